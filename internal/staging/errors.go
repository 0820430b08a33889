package staging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrBusy reports a folder that another process is writing to.
var ErrBusy = errors.New("another thermsim process is writing to it")

// notFolderError reports a file where a folder is expected.
type notFolderError struct{ path string }

func (e *notFolderError) Error() string { return e.path + " is not a folder" }

// unwritable explains why the folder is not writable.
func (t *Transaction) unwritable(err error) error {
	var file *notFolderError
	switch {
	case errors.As(err, &file):
		return fmt.Errorf("cannot write to %s: %w; choose another folder with %s", t.dir, err, t.options.Flag)
	case errors.Is(err, ErrBusy):
		return fmt.Errorf("cannot write to %s: %w; wait for it to finish, or choose another folder with %s", t.dir, err,
			t.options.Flag)
	case t.homeIsFile():
		return fmt.Errorf("cannot write to %s: %s in it is a file, but thermsim needs a folder of that name; move the "+
			"file away, or choose another folder with %s", t.dir, home, t.options.Flag)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("cannot write to %s: %w; free some space, or choose a folder on another disk with %s", t.dir,
			cause(err), t.options.Flag)
	}
	return fmt.Errorf("cannot write to %s: %w; choose a writable folder with %s", t.dir, cause(err),
		t.options.Flag)
}

// homeIsFile reports whether a file has the name of the hidden folder.
func (t *Transaction) homeIsFile() bool {
	info, err := os.Stat(filepath.Join(t.dir, home))
	return err == nil && !info.IsDir()
}

// Failed reports which file could not be written and how to fix that.
func (t *Transaction) Failed(name string, err error) error { return t.failed(name, err) }

func (t *Transaction) failed(name string, err error) error {
	remedy := ""
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		remedy = "; free some space, or choose a folder on another disk with " + t.options.Flag
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		remedy = "; choose a writable folder with " + t.options.Flag
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist), errors.Is(err, syscall.EISDIR):
		remedy = "; another file has that name: move it away, or choose another folder with " + t.options.Flag
	}
	full := filepath.Join(t.dir, filepath.FromSlash(name))
	var already *writeError
	if errors.As(err, &already) {
		return err
	}
	return &writeError{fmt.Errorf("cannot write %s: %w%s", full, cause(err), remedy)}
}

// writeError is an error that names the file concerned.
type writeError struct{ err error }

func (e *writeError) Error() string { return e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }

// cause is the error of the system, without the names of temporary files.
func cause(err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file):
		return file.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

func notDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// unsupported reports whether a file system does not support an operation.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSYS)
}

// owner is the holder of a lock, as recorded in its file.
func owner(text []byte) string {
	if words := strings.TrimSpace(string(text)); words != "" && len(words) < 100 {
		return " (" + words + ")"
	}
	return ""
}
