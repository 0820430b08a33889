package staging

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A file is replaced whole or not at all, one process at a time, and what a killed one left is taken.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	write := func(text string, fails error) error {
		return Replace(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fails)
		})
	}
	holds := func(want string) {
		t.Helper()
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%q, %v; want %q", text, err, want)
		}
		if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
			t.Errorf("%v, %v", all, err)
		}
	}
	if err := write("first", nil); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	if err := write("sec", full); !errors.Is(err, full) {
		t.Error(err)
	}
	holds("first")
	if err := os.WriteFile(filepath.Join(dir, ".a.json.new"), []byte("left by a process that was killed"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := write("third", nil); err != nil {
		t.Fatal(err)
	}
	holds("third")
	if runtime.GOOS == "windows" {
		return // without locks
	}
	err := Replace(path, func(w io.Writer) error {
		if err := write("other", nil); !errors.Is(err, ErrBusy) {
			t.Errorf("two at once: %v", err)
		}
		_, err := io.WriteString(w, "fourth")
		return err
	})
	if err != nil {
		t.Error(err)
	}
	holds("fourth")
}
