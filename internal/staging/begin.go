package staging

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"time"
)

// Begin makes the folder if need be ("" is the working directory), takes its lock, undoes a commit that was cut off,
// and removes what dead processes left. Where another process writes into the folder, longer than Options.Patience, the
// error is ErrBusy.
func Begin(dir string, o Options) (*Transaction, error) {
	if dir == "" {
		dir = "."
	}
	if o.Flag == "" {
		o.Flag = "--out"
	}
	t := &Transaction{dir: dir, options: o, id: o.ID, files: map[string]*Output{}}
	t.pending.SetLimit(mostPending)
	if t.id == "" {
		t.id = newID()
	}
	if err := t.begin(); err != nil {
		t.Abort()
		return nil, err
	}
	return t, nil
}

func (t *Transaction) begin() (err error) {
	for deadline := time.Now().Add(t.options.Patience); ; time.Sleep(10 * time.Millisecond) {
		err = t.take()
		// Another process that leaves no trace removes what it made, from under this one too.
		gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) && !t.homeIsFile()
		if !errors.Is(err, ErrBusy) && !gone || !time.Now().Before(deadline) {
			break
		}
		t.release()
		t.made, t.disk = nil, nil
	}
	if err != nil {
		return t.unwritable(err)
	}
	if t.undone, err = t.disk.settle(); err != nil {
		return t.failed("", err)
	}
	if t.before, err = t.disk.readRecord(recordName); err != nil {
		return t.failed(recordName, err)
	}
	if err = t.Foresee(t.options.Outputs...); err != nil {
		return err
	}
	if err = t.disk.mkdir(newFiles); err != nil {
		return t.unwritable(err)
	}
	return nil
}

// take makes the folder if need be, and takes its lock.
func (t *Transaction) take() (err error) {
	if t.made, err = makeFolder(t.dir, t.options.Fault); err != nil {
		return err
	}
	if t.disk, err = openDisk(t.dir, t.options.Fault); err != nil {
		return err
	}
	t.lock, err = t.disk.takeLock()
	return err
}

// Do begins a transaction, stages files, and commits them; after an error the folder is as it was.
func Do(ctx context.Context, dir string, o Options, stage func(*Transaction) error) (*Result, error) {
	t, err := Begin(dir, o)
	if err != nil {
		return nil, err
	}
	defer t.Abort()
	if err := stage(t); err != nil {
		return nil, err
	}
	return t.Commit(ctx)
}

// Check says whether files can be written into a folder, and leaves no trace.
func Check(dir string, o Options) error {
	t, err := Begin(dir, o)
	if err == nil {
		t.Abort()
	}
	return err
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
