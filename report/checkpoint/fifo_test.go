//go:build unix

package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A FIFO in the place of a file of a checkpoint is refused at once: nobody writes into it.
func TestCheckpointOfPipes(t *testing.T) {
	for _, name := range []string{stateName, logName} {
		dir := t.TempDir()
		f, err := Create(dir, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		save(t, f, nil, "state")
		f.Close()
		path := filepath.Join(dir, Folder, name)
		if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
			t.Skip(err)
		}
		if _, err := Resume(dir, nil); !errors.Is(err, ErrDamaged) ||
			!strings.Contains(err.Error(), name+" is not a regular file. Fix: remove the folder") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
