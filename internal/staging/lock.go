package staging

import (
	"errors"
	"fmt"
	"os"
)

// takeLock makes this process the only one that writes to the folder, or fails with ErrBusy. The system releases the
// lock when the process ends, however that happens. File systems without locks are used without one.
func (d *disk) takeLock() (*os.File, error) {
	f, err := openLocked(func() (f *os.File, err error) {
		err = d.do("create", lockName, func() error {
			f, err = d.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o666)
			return err
		})
		return f, err
	}, func() (os.FileInfo, error) { return d.root.Stat(lockName) })
	if errors.Is(err, ErrBusy) {
		text, _ := d.read(lockName) // only for the message
		return nil, fmt.Errorf("%w%s", ErrBusy, owner(text))
	}
	if err == nil {
		_ = f.Truncate(0) // for messages only
		_, _ = fmt.Fprintf(f, "process %d\n", os.Getpid())
	}
	return f, err
}

// openLocked opens a file exclusively for this process. stat examines the file that has its name.
func openLocked(open func() (*os.File, error), stat func() (os.FileInfo, error)) (*os.File, error) {
	for {
		f, err := open()
		if err != nil {
			return nil, err
		}
		if err := Lock(f); err != nil {
			_ = f.Close() // nothing was written
			return nil, err
		}
		// The previous holder of the lock may have removed or renamed its file.
		mine, err1 := f.Stat()
		there, err2 := stat()
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return f, nil
		}
		_ = f.Close() // nothing was written
		if err = errors.Join(err1, err2); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
}

// Lock locks an open file for this process until it is closed. The error is ErrBusy if another process holds the lock.
// File systems without locks are used without one.
func Lock(f *os.File) error {
	err := lockFile(f)
	switch {
	case errors.Is(err, errLocked):
		return ErrBusy
	case err != nil && !unsupported(err):
		return err
	}
	return nil
}

// dropLock removes the lock file while it is still held, and releases the lock.
func (d *disk) dropLock(f *os.File) {
	_ = d.remove(lockName) // a remaining file has no effect
	_ = f.Close()
}
