package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/stack"
)

func TestExitStatus(t *testing.T) {
	one := &stack.Error{Pos: stack.Pos{File: "s.toml", Line: 3, Col: 1}, Msg: "wrong"}
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk on fire"), 1},
		{usagef("--what"), 2},
		{one, 2},
		{stack.ErrorList{one, one}, 2},
		{fmt.Errorf("reading: %w", one), 2},
		{fmt.Errorf("%w: 3", gpusolve.ErrOption), 2},
		{gpusolve.ErrSingular, 2},
		{withStatus(exitNotConverged, errors.New("not yet")), 3},
		{fmt.Errorf("%w: lost", gpusolve.ErrDevice), 4},
		{withStatus(exitTooHot, errors.New("hot")), 5},
		{context.Canceled, 130},
		{withStatus(exitInternal, one), 1}, // an own status beats what the kind stands for
	} {
		if got := exitStatus(c.err); got != c.want {
			t.Errorf("%v: exit status %d, want %d", c.err, got, c.want)
		}
	}
}

// A fault of thermsim itself must not look like a fault of the user, and shows a trace only on request.
func TestPanicReport(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var said strings.Builder
		g := &globals{console: &console{stderr: &said, verbose: verbose}}
		if status := reportPanic(g, "index out of range", []byte("goroutine 1")); status != exitCrash {
			t.Errorf("exit status %d, want %d", status, exitCrash)
		}
		if text := said.String(); !strings.Contains(text, "please report") ||
			!strings.Contains(text, "index out of range") {
			t.Errorf("message %q", text)
		}
		if got := strings.Contains(said.String(), "goroutine 1"); got != verbose {
			t.Errorf("trace shown: %v, want %v", got, verbose)
		}
	}
}

// An error in an input starts with its place, so that editors can jump there.
func TestPlaceFirst(t *testing.T) {
	var said strings.Builder
	c := &console{stderr: &said}
	c.fail(stack.ErrorList{{Pos: stack.Pos{File: "s.toml", Line: 3, Col: 7}, Msg: "wrong", Remedy: "mend it"}})
	c.fail(errors.New("no such luck"))
	if got, want := said.String(), "s.toml:3:7: wrong; mend it\nthermsim: no such luck\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoColor(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	c := newConsole(null, null, func(string) (string, bool) { return "", false })
	if c.style.Color || c.live || c.style.Width != defaultWidth {
		t.Errorf("a file counts as a terminal: %+v", c.style)
	}
	if got := c.bold("title"); got != "title" {
		t.Errorf("painted %q", got)
	}
	c.style.Color = true
	if got := c.bold("title"); got != "\x1b[1mtitle\x1b[0m" {
		t.Errorf("painted %q", got)
	}
}
