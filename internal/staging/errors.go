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

// ErrBusy marks errors of folders that another process writes into.
var ErrBusy = errors.New("another thermsim is writing into it")

// notFolderError says that a file stands where a folder should be.
type notFolderError struct{ path string }

func (e *notFolderError) Error() string { return e.path + " is not a folder" }

// unwritable says why nothing can be written into the folder.
func (t *Transaction) unwritable(err error) error {
	var file *notFolderError
	switch {
	case errors.As(err, &file):
		return fmt.Errorf("cannot write into %s: %w; name another one with %s", t.dir, err, t.options.Flag)
	case errors.Is(err, ErrBusy):
		return fmt.Errorf("cannot write into %s: %w; wait for its end, or name another folder with %s", t.dir, err,
			t.options.Flag)
	case t.homeIsFile():
		return fmt.Errorf("cannot write into %s: %s in it is a file, but runs keep a folder of that name; move the "+
			"file away, or name another folder with %s", t.dir, home, t.options.Flag)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("cannot write into %s: %w; free some space or name a folder on another disk with %s", t.dir,
			cause(err), t.options.Flag)
	}
	return fmt.Errorf("cannot write into %s: %w; name a folder that you may write to with %s", t.dir, cause(err),
		t.options.Flag)
}

// homeIsFile says whether a file has the name of the folder that runs keep.
func (t *Transaction) homeIsFile() bool {
	info, err := os.Stat(filepath.Join(t.dir, home))
	return err == nil && !info.IsDir()
}

// Failed says what could not be written and what to do about it.
func (t *Transaction) Failed(name string, err error) error { return t.failed(name, err) }

func (t *Transaction) failed(name string, err error) error {
	remedy := ""
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		remedy = "; free some space or name a folder on another disk with " + t.options.Flag
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		remedy = "; name a folder that you may write to with " + t.options.Flag
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist), errors.Is(err, syscall.EISDIR):
		remedy = "; something else has that name: move it away or name another folder with " + t.options.Flag
	}
	full := filepath.Join(t.dir, filepath.FromSlash(name))
	var already *writeError
	if errors.As(err, &already) {
		return err
	}
	return &writeError{fmt.Errorf("cannot write %s: %w%s", full, cause(err), remedy)}
}

// writeError is an error that says which file is at fault.
type writeError struct{ err error }

func (e *writeError) Error() string { return e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }

// cause is what the system said, without the names of temporary files.
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

// unsupported says whether a file system does not know an operation.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSYS)
}

// owner is who holds a lock, as its file tells.
func owner(text []byte) string {
	if words := strings.TrimSpace(string(text)); words != "" && len(words) < 100 {
		return " (" + words + ")"
	}
	return ""
}
