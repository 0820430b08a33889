package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Timings whose folder went away during the run fail it at its end.
func TestTimingsFailAtTheEnd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	g := &globals{timings: timingsFlag{file: filepath.Join(dir, "t.json")}}
	if err := g.logTimings(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil { // which shows that nothing was left in it
		t.Fatal(err)
	}
	if err := g.tellTimings(); exitStatus(err) != exitInternal ||
		!strings.Contains(err.Error(), "cannot write the timings: ") {
		t.Error(err)
	}
}
