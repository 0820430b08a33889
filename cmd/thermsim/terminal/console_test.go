package terminal

import (
	"errors"
	"os"
	"strings"
	"testing"

	"thermsim/stack"
)

// An error in an input starts with its place, so that editors can jump there.
func TestPlaceFirst(t *testing.T) {
	var said strings.Builder
	c := &Console{Stderr: &said}
	c.Fail(stack.ErrorList{{Pos: stack.Pos{File: "s.toml", Line: 3, Col: 7}, Msg: "wrong", Remedy: "mend it"}})
	c.Fail(errors.New("no such luck"))
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
	c := New(null, null, func(string) (string, bool) { return "", false })
	if c.Style.Color || c.live || c.Style.Width != DefaultWidth {
		t.Errorf("a file counts as a terminal: %+v", c.Style)
	}
	if got := c.Bold("title"); got != "title" {
		t.Errorf("painted %q", got)
	}
	c.Style.Color = true
	if got := c.Bold("title"); got != "\x1b[1mtitle\x1b[0m" {
		t.Errorf("painted %q", got)
	}
}
