package staging

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
		if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode() != 0o660 {
			t.Errorf("mode %v", info.Mode())
		}
	}
	defer umask(umask(0o007)) // files have the permissions that the user wishes
	if err := write("first", nil); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	if err := write("sec", full); !errors.Is(err, full) {
		t.Error(err)
	}
	holds("first")
	if err := os.WriteFile(filepath.Join(dir, ".a.json.new"), []byte("left by a process that was killed"),
		0o666); err != nil {
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

// What cannot be replaced is known before, told without the names of temporary files, and stays; what can be replaced
// stays too.
func TestCheckReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	if err := os.WriteFile(file, []byte("before"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := CheckReplace(file); err != nil {
		t.Error(err)
	}
	if err := CheckReplace(filepath.Join(dir, "b.json")); err != nil {
		t.Error(err)
	}
	if err := Replace(file, func(io.Writer) error { return CheckReplace(file) }); err != nil {
		t.Errorf("a file that is being replaced: %v", err)
	}
	refused := []string{dir, filepath.Join(dir, "none", "a.json"), filepath.Join(file, "a.json"),
		filepath.Join(dir, strings.Repeat("x", 300))}
	if socket, err := net.Listen("unix", filepath.Join(dir, "socket")); err == nil {
		defer socket.Close()
		refused = append(refused, filepath.Join(dir, "socket"))
	}
	for _, path := range refused {
		if err := CheckReplace(path); err == nil || strings.Contains(err.Error(), ".new") ||
			!strings.Contains(err.Error(), "cannot write "+path+": ") {
			t.Errorf("%s: %v", path, err)
		}
		err := Replace(path, func(io.Writer) error {
			t.Errorf("%s: the content was asked for", path)
			return nil
		})
		if err == nil {
			t.Errorf("%s was replaced", path)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) > 2 {
		t.Errorf("%v, %v", all, err)
	}
}
