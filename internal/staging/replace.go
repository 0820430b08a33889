package staging

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace makes one file anew, without a transaction, so that several processes may do so to different files of a
// folder at once. What was there stays until the new file is whole and on the disk. A process that is killed leaves a
// hidden file with the ending .new, which the next Replace of that name takes; while it is at work, that of another
// process fails with ErrBusy.
func Replace(path string, content func(io.Writer) error) (err error) {
	fresh, f, err := beginReplacing(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(fresh) // the next Replace takes it
		}
	}()
	err = f.Truncate(0)
	if err == nil {
		err = content(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}

// CheckReplace says whether Replace could make that file, and leaves no trace. One that another process replaces it
// could make.
func CheckReplace(path string) error {
	fresh, f, err := beginReplacing(path)
	switch {
	case errors.Is(err, ErrBusy):
		return nil
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	_ = os.Remove(fresh) // the next Replace takes it
	return f.Close()
}

// beginReplacing opens the file that is to take the place of what has that path: a file or nothing. A folder cannot be
// replaced, and a device must not be.
func beginReplacing(path string) (fresh string, f *os.File, err error) {
	switch there, err := os.Stat(path); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", nil, err
	case err == nil && there.IsDir():
		return "", nil, &fs.PathError{Op: "replace", Path: path, Err: errors.New("it is a folder")}
	case err == nil && !there.Mode().IsRegular():
		return "", nil, &fs.PathError{Op: "replace", Path: path, Err: errors.New("it is no regular file")}
	}
	fresh = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	opened := false
	f, err = openLocked(func() (*os.File, error) {
		f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE, 0o666)
		opened = err == nil
		return f, err
	}, func() (os.FileInfo, error) { return os.Stat(fresh) })
	if err != nil && opened && !errors.Is(err, ErrBusy) {
		_ = os.Remove(fresh) // best effort; the next takes it
	}
	return fresh, f, err
}
