package staging

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
)

// disk is an output folder. All changes go through it, so that tests can inject a failure into every operation. Names
// outside the folder fail too.
type disk struct {
	dir   string
	root  *os.Root
	check func(op, name string) error
}

func fault(check func(op, name string) error, op, name string) error {
	if check == nil {
		return nil
	}
	return check(op, name)
}

func (d *disk) fault(op, name string) error { return fault(d.check, op, name) }

// do performs an operation unless a test makes it fail.
func (d *disk) do(op, name string, act func() error) error {
	if err := d.fault(op, name); err != nil {
		return err
	}
	return act()
}

// makeFolder creates a folder and its parents, and returns the new ones, outermost first.
func makeFolder(dir string, check func(op, name string) error) (made []string, err error) {
	var missing []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil {
			if !info.IsDir() {
				return nil, &notFolderError{at}
			}
			break
		}
		if filepath.Dir(at) == at || !errors.Is(err, fs.ErrNotExist) && !notDir(err) {
			return nil, err
		}
		missing = append(missing, at)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := fault(check, "mkdir", missing[i]); err != nil {
			return made, err
		}
		err := os.Mkdir(missing[i], 0o777)
		if err == nil {
			made = append(made, missing[i])
		} else if !errors.Is(err, fs.ErrExist) {
			return made, err
		}
	}
	return made, nil
}

// openDisk opens the folder and creates the hidden folder of transactions.
func openDisk(dir string, check func(op, name string) error) (*disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := &disk{dir, root, check}
	if err := d.mkdir(home); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *disk) close() { _ = d.root.Close() } // no data

// mkdir creates a folder and its parents; they may exist.
func (d *disk) mkdir(name string) error {
	if info, err := d.root.Stat(name); err == nil && info.IsDir() {
		return nil
	}
	return d.do("mkdir", name, func() error { return d.root.MkdirAll(name, 0o777) })
}

// create creates a new file and its parent folders.
func (d *disk) create(name string) (*os.File, error) {
	if path.Dir(name) != newFiles {
		if err := d.mkdir(path.Dir(name)); err != nil {
			return nil, err
		}
	}
	if err := d.fault("create", name); err != nil {
		return nil, err
	}
	return d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// open reads a file.
func (d *disk) open(name string) (*os.File, error) {
	if err := d.fault("open", name); err != nil {
		return nil, err
	}
	return d.root.Open(name)
}

func (d *disk) rename(from, to string) error {
	return d.do("rename", to, func() error { return d.root.Rename(from, to) })
}

// remove removes a file or an empty folder; a missing one is not an error.
func (d *disk) remove(name string) error {
	err := d.do("remove", name, func() error { return d.root.Remove(name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d *disk) removeAll(name string) error {
	return d.do("remove", name, func() error { return d.root.RemoveAll(name) })
}

// removeEmptyAbove removes the parent folders of a file as long as they are empty.
func (d *disk) removeEmptyAbove(name string) {
	for dir := path.Dir(name); dir != "." && d.remove(dir) == nil; dir = path.Dir(dir) {
	}
}

// exists reports whether a file exists. A file that cannot be examined is an error: treating it as absent would lose
// the files that an interrupted commit has set aside.
func (d *disk) exists(name string) (bool, error) {
	if err := d.fault("stat", name); err != nil {
		return false, err
	}
	_, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err != nil && notDir(err) {
		return false, nil
	}
	return err == nil, err
}

func (d *disk) read(name string) ([]byte, error) { return d.root.ReadFile(name) }

// writeSynced writes a small file and syncs it.
func (d *disk) writeSynced(name string, text []byte) error {
	if err := d.fault("create", name); err != nil {
		return err
	}
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	err = d.do("write", name, func() error { _, err := f.Write(text); return err })
	if err == nil {
		err = d.do("sync", name, f.Sync)
	}
	return cmp.Or(err, d.closeFile(f, name))
}

func (d *disk) closeFile(f *os.File, name string) error {
	return cmp.Or(f.Close(), d.fault("close", name))
}

// syncFolder syncs the directory entries of a folder. Windows has no such operation and does not need it.
func (d *disk) syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	err = d.do("syncdir", name, f.Sync)
	_ = f.Close() // read only
	if unsupported(err) {
		return nil // some network and user-space file systems
	}
	return err
}
