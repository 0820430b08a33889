package staging

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace replaces one file atomically, without a transaction, so that several processes can replace different files of
// a folder concurrently. The previous file stays until the new one is complete and synced. A killed process leaves a
// hidden file with the extension .new, which the next Replace of that name reuses. A concurrent Replace of the same
// file fails with ErrBusy.
func Replace(path string, content func(io.Writer) error) (err error) {
	fresh, f, err := beginReplacing(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(fresh) // the next Replace reuses it
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

// CheckReplace checks whether Replace can write that file, and leaves no trace. A file that another process is
// replacing passes.
func CheckReplace(path string) error {
	fresh, f, err := beginReplacing(path)
	switch {
	case errors.Is(err, ErrBusy):
		return nil
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	_ = os.Remove(fresh) // the next Replace reuses it
	return f.Close()
}

// beginReplacing opens the temporary file that will replace the path, which may be missing or a regular file. Folders
// and devices are rejected.
func beginReplacing(path string) (fresh string, f *os.File, err error) {
	switch there, err := os.Stat(path); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", nil, err
	case err == nil && there.IsDir():
		return "", nil, &fs.PathError{Op: "replace", Path: path, Err: errors.New("is a folder")}
	case err == nil && !there.Mode().IsRegular():
		return "", nil, &fs.PathError{Op: "replace", Path: path, Err: errors.New("not a regular file")}
	}
	fresh = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	opened := false
	f, err = openLocked(func() (*os.File, error) {
		f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE, 0o666)
		opened = err == nil
		return f, err
	}, func() (os.FileInfo, error) { return os.Stat(fresh) })
	if err != nil && opened && !errors.Is(err, ErrBusy) {
		_ = os.Remove(fresh) // best effort; the next Replace reuses it
	}
	return fresh, f, err
}
