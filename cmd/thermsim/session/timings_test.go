package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
)

// Timings whose folder went away during the run fail it at its end.
func TestTimingsFailAtTheEnd(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	g := &Session{Timings: timingsFlag{File: filepath.Join(dir, "t.json")}}
	if err := g.LogTimings(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil { // which shows that nothing was left in it
		t.Fatal(err)
	}
	if err := g.WriteTimings(); exit.Status(err) != exit.Internal ||
		!strings.Contains(err.Error(), "cannot write the timings: ") {
		t.Error(err)
	}
}
