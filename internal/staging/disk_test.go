package staging

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "thermsim/internal/testtier" // temporary files in memory
)

var errLost = errors.New("lost")

// A folder that cannot be made is told and nothing is made; one that can has the permissions that the user wishes, with
// those above it.
func TestFoldersAreMade(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "a", "b")
	if made, err := makeFolder(dir, func(string, string) error {
		return errLost
	}); !errors.Is(err, errLost) || len(made) > 0 {
		t.Errorf("made %q, %v", made, err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); err == nil {
		t.Error("a folder was made all the same")
	}
	if _, err := os.Stat("/proc/self"); err == nil { // where nobody makes folders
		if made, err := makeFolder("/proc/self/new", nil); err == nil || len(made) > 0 {
			t.Errorf("made %q, %v", made, err)
		}
	}
	defer umask(umask(0o027))
	made, err := makeFolder(dir, nil)
	if err != nil || len(made) != 2 || made[1] != dir {
		t.Fatalf("made %q, %v", made, err)
	}
	for _, name := range made {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o750 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// What cannot be removed or read is told; what is not there is no error.
func TestDiskTellsItsFaults(t *testing.T) {
	d, err := openDisk(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if err := d.mkdir("full/of"); err != nil {
		t.Fatal(err)
	}
	if d.remove("full") == nil {
		t.Error("a folder that holds another was removed")
	}
	if err := d.remove("nothing"); err != nil {
		t.Error(err)
	}
	d.check = func(string, string) error { return errLost }
	for op, err := range map[string]error{"remove": d.remove("full/of"), "removeAll": d.removeAll("full"),
		"mkdir": d.mkdir("new"), "rename": d.rename("full", "empty"), "sync": d.syncFolder("full")} {
		if !errors.Is(err, errLost) {
			t.Errorf("%s: %v", op, err)
		}
	}
	d.check = nil
	if r, err := d.readRecord("full"); err == nil {
		t.Errorf("a folder was read as %v", r)
	}
	if r, err := d.readRecord("nothing"); err != nil || len(r.Sets) > 0 {
		t.Errorf("no record: %v, %v", r, err)
	}
}

// A small file is not written where any of what that takes fails.
func TestWriteSyncedTellsItsFaults(t *testing.T) {
	d, err := openDisk(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	for _, op := range []string{"create", "write", "sync", "close"} {
		d.check = func(at, name string) error {
			if at == op && name == "record" {
				return errLost
			}
			return nil
		}
		if err := d.writeSynced("record", []byte("text")); !errors.Is(err, errLost) {
			t.Errorf("%s fails: %v", op, err)
		}
	}
}

// Whoever looks at a folder is told where it cannot be seen whether a commit was cut off.
func TestLookTellsItsFaults(t *testing.T) {
	dir := t.TempDir()
	mustPut(t, dir, run, text("a", "old")...)
	d, err := openDisk(dir, func(op, name string) error {
		if op == "stat" && name == journalName {
			return errLost
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if r, err := d.look(); !errors.Is(err, errLost) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%+v, %v", r, err)
	}
	d.check = nil
	if r, err := d.look(); err != nil || len(r.Sets) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A file that nobody closed is closed by the commit, which fails where that does.
func TestCommitClosesFiles(t *testing.T) {
	for _, lost := range []bool{false, true} {
		dir := t.TempDir()
		tx, err := Begin(dir, run)
		if err != nil {
			t.Fatal(err)
		}
		out, err := tx.Create("a")
		if err == nil {
			_, err = out.Write([]byte("text"))
		}
		if err != nil {
			t.Fatal(err)
		}
		if lost {
			out.file.Close()
		}
		if _, err = tx.Commit(t.Context()); (err != nil) != lost {
			t.Errorf("lost: %v, error %v", lost, err)
		}
		if _, there := content(t, dir)["a"]; there == lost {
			t.Errorf("lost: %v, there: %v", lost, there)
		}
	}
}

// An interrupt before the first file is in its place leaves the old run, also while the journal is written.
func TestInterruptBeforeTheSwitch(t *testing.T) {
	for _, at := range []string{"a", journalName} {
		dir := t.TempDir()
		mustPut(t, dir, run, text("a", "old")...)
		ctx, cancel := context.WithCancel(t.Context())
		o := run
		o.Fault = func(op, name string) error {
			if op == "create" && strings.HasSuffix(name, at) {
				cancel()
			}
			return nil
		}
		_, err := put(ctx, dir, o, text("a", "new")...)
		if got := content(t, dir)["a"]; !errors.Is(err, context.Canceled) || got != "old" {
			t.Errorf("interrupted at %s: %q, %v", at, got, err)
		}
	}
}

// A name is as long as file systems take, in each of its folders, and leads nowhere else.
func TestValidNames(t *testing.T) {
	long := strings.Repeat("n", 255)
	for name, want := range map[string]bool{
		"a": true, "a/b": true, long: true, long + "/" + long: true, long + "n": false, "a/" + long + "n/b": false,
		"": false, ".": false, "..": false, "../a": false, "/a": false, "a//b": false, "a/../b": false, home: false,
		home + "/a": false, home + "a": true,
	} {
		if got := validName(name); got != want {
			t.Errorf("%.20q of %d bytes: %v", name, len(name), got)
		}
	}
}
