//go:build unix

package inputfile

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A FIFO that nobody writes into is refused at once, not waited for.
func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Read(path); !errors.Is(err, ErrNotRegular) {
		t.Errorf("got %v", err)
	}
}
