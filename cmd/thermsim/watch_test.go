package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
)

// watchedStack is a stack that names an included file and a floorplan with its powers.
const watchedStack = `schema = 1
include = ["more.toml"]
size = ["4 mm", "4 mm"]
grid = { nx = 4, ny = 4 }
boundary.top = { h = "5000 W/(m^2 K)" }
[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
power = { floorplan = "die.flp", watts = "die.ptrace" }
`

// Each change of a file that the stack names, directly or through others, starts one run; errors are told, and mending
// them starts another.
func TestWatchRuns(t *testing.T) {
	t.Parallel() // most of its time it waits
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("stack.toml", watchedStack)
	put("more.toml", "ambient = \"300 K\"\n")
	put("die.flp", "core 0.004 0.004 0 0\n")
	put("die.ptrace", "core\n3\n")
	put("stranger.flp", "")

	changes := []struct {
		change func()
		why    string // in the line of the next run
		fault  string // of that run
	}{
		{func() { put("die.ptrace", "core\n42\n") }, "die.ptrace changed", ""},
		{func() { put("more.toml", "ambient = 10\n") }, "more.toml changed", "more.toml:1:11"},
		{func() { put("more.toml", "ambient = \"310 K\"\n") }, "more.toml changed", ""},
		{func() {
			os.Remove(filepath.Join(dir, "die.flp"))
		}, "die.flp changed", "cannot read " + filepath.Join(dir, "die.flp")},
		{func() { put("stranger.flp", "x"); put("die.flp", "core 0.004 0.004 0 0\n") }, "die.flp changed", ""},
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var told bytes.Buffer
	g := &session.Session{Console: &terminal.Console{Stdout: &bytes.Buffer{}, Stderr: &told}}
	var ambients []float64
	runs, begun := 0, 0 // begun: where the lines of the run begin
	var texts []string
	err := session.WatchRuns(ctx, g, dir, func(_ context.Context, w *session.Watched) error {
		texts = append(texts, told.String()[begun:])
		begun = told.Len()
		runs++
		p := project{watched: w}
		s, _, err := loadInput(g, dir, flags.Grid{}, &p)
		if err == nil {
			ambients = append(ambients, s.Ambient)
		}
		if runs > len(changes) {
			cancel()
			return err
		}
		time.AfterFunc(100*time.Millisecond, changes[runs-1].change)
		return err
	})
	if exit.Status(err) != exit.Interrupted {
		t.Errorf("ended with %v", err)
	}
	if want := []float64{300, 300, 310, 310}; !slices.Equal(ambients, want) {
		t.Errorf("ambients of the runs that could be read: %v, want %v", ambients, want)
	}
	for i, c := range changes {
		if !strings.Contains(texts[i+1], c.why) {
			t.Errorf("run %d is told as %q, want %q", i+2, texts[i+1], c.why)
		}
		after := told.String()[begun:]
		if i+2 < len(texts) {
			after = texts[i+2]
		}
		if c.fault != "" && !strings.Contains(after, c.fault) {
			t.Errorf("run %d says %q, want %q", i+2, after, c.fault)
		}
	}
}
