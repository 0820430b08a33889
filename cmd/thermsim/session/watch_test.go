package session

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that is written while the run goes on counts as changed, and one that rests does not.
func TestWatchedDuringRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "die.flp")
	if err := os.WriteFile(path, []byte("a"), 0o666); err != nil {
		t.Fatal(err)
	}
	w := newWatched("stack.toml")
	for range 2 { // read twice, it is the first state that was used first
		if _, err := w.Read(path); err != nil {
			t.Fatal(err)
		}
	}
	if list := w.changed(); len(list) != 0 {
		t.Errorf("changed: %v", list)
	}
	if err := os.WriteFile(path, []byte("ab"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Read(path); err != nil {
		t.Fatal(err)
	}
	if list := w.changed(); len(list) != 1 || list[0] != path {
		t.Errorf("changed: %v", list)
	}
	if list, err := w.wait(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}
