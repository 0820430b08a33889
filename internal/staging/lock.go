package staging

import (
	"errors"
	"fmt"
	"os"
)

// takeLock makes this process the only one that writes into the folder, or fails with ErrBusy. The system gives the
// lock back when the process ends, however that happens. A file system without locks is taken as it is.
func (d *disk) takeLock() (*os.File, error) {
	for {
		if err := d.fault("create", lockName); err != nil {
			return nil, err
		}
		f, err := d.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f); err != nil && !unsupported(err) {
			text, _ := d.read(lockName) // only for the message
			_ = f.Close()
			if errors.Is(err, errLocked) {
				return nil, fmt.Errorf("%w%s", ErrBusy, owner(text))
			}
			return nil, err
		}
		// Who held the lock before may have removed its file.
		mine, err1 := f.Stat()
		there, err2 := d.root.Stat(lockName)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			_ = f.Truncate(0) // for messages only
			_, _ = fmt.Fprintf(f, "process %d\n", os.Getpid())
			return f, nil
		}
		_ = f.Close()
		if err2 != nil && !errors.Is(err2, os.ErrNotExist) {
			return nil, err2
		}
	}
}

// Lock makes this process the only one that has a file open with it, until it closes it; where another one has, the
// error is ErrBusy. A file system without locks is taken as it is.
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

// dropLock removes the lock's file while it is still held, and gives the lock back.
func (d *disk) dropLock(f *os.File) {
	_ = d.remove(lockName) // where it stays it does no harm
	_ = f.Close()
}
