package staging

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"
)

// settle brings the folder from whatever a dead process left into order: a commit that was cut off is undone, and
// temporary files go. The caller holds the lock.
func (d *disk) settle() (undone bool, err error) {
	cut, err := d.exists(journalName)
	if err != nil {
		return false, err
	}
	if cut {
		journal, err := d.readRecord(journalName)
		if err != nil {
			return false, err
		}
		if journal.Commit != nil {
			undone = true
			if err := d.undo(journal.Commit); err != nil {
				return false, err
			}
		} else if err := d.remove(journalName); err != nil { // cut short before anything was renamed
			return false, err
		}
	}
	for _, name := range []string{newFiles, oldFiles} {
		there, err := d.exists(name)
		if err == nil && there {
			err = d.removeAll(name)
		}
		if err != nil {
			return false, err
		}
	}
	return undone, nil
}

// undo takes back what of a commit was done. It may be cut off, and begun again.
func (d *disk) undo(p *commitPlan) error {
	for _, name := range p.Fresh {
		waits, err := d.exists(path.Join(newFiles, name))
		if err != nil {
			return err
		}
		if waits {
			continue // it has not got its name yet
		}
		if err := d.remove(name); err != nil {
			return err
		}
		d.removeEmptyAbove(name)
	}
	for _, name := range slices.Concat(p.Replaced, p.Removed) {
		aside := path.Join(oldFiles, name)
		there, err := d.exists(aside)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		if err := d.mkdir(path.Dir(name)); path.Dir(name) != "." && err != nil {
			return err
		}
		if err := d.rename(aside, name); err != nil {
			return err
		}
	}
	if err := d.syncFolder("."); err != nil {
		return err
	}
	return d.remove(journalName)
}

// Look reads what a folder holds, for those who read its files: where a commit was cut off, it is undone first, and
// where one goes on, Look waits for its end. Of a folder without a record, or none at all, the record is empty.
func Look(dir string) (*Record, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return &Record{Schema: schema}, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := &disk{dir: dir, root: root}
	defer d.close()
	return d.look()
}

func (d *disk) look() (*Record, error) {
	const patience = 5 * time.Second
	dir := d.dir
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		cut, err := d.exists(journalName)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be looked into: %w", dir, cause(err))
		}
		if !cut {
			break
		}
		lock, err := d.takeLock()
		if errors.Is(err, ErrBusy) && time.Now().Before(deadline) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s is between two runs, and cannot be brought into order: %w", dir, cause(err))
		}
		_, err = d.settle()
		d.dropLock(lock)
		if err != nil {
			return nil, fmt.Errorf("%s is between two runs, and cannot be brought into order: %w", dir, cause(err))
		}
	}
	r, err := d.readRecord(recordName)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", dir, recordName, cause(err))
	}
	return r, nil
}
