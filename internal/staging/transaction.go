// Package staging writes the files of a run into a folder so that the folder holds one whole run, the old or the new,
// whenever the program ends.
//
// A [Transaction] takes all files under the hidden folder .thermsim, and gives them their names together, last. What
// stands in the folder changes between two points, and a journal written before the first of them tells whoever comes
// next how to undo it; see Commit. docs/contributing/decisions/0003-what-an-interrupt-leaves.md has the reasons.
package staging

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"thermsim/internal/timeline"
)

// Names inside the folder. They are kept with slashes, as os.Root takes them everywhere.
const (
	home        = ".thermsim"
	newFiles    = home + "/new"         // staged, under their final names
	oldFiles    = home + "/old"         // set aside while a commit goes on
	journalName = home + "/commit.json" // there while a commit goes on
	recordName  = home + "/files.json"  // what the runs in the folder wrote
	lockName    = home + "/lock"        // held by the process that writes
)

// Options of a transaction.
type Options struct {
	// Set is what the files are to each other, such as "run" for those of a steady or transient run: a commit removes
	// the files of the set before it. "" keeps no record and removes nothing, for files that stand for themselves.
	Set string
	// Command that writes, for the record.
	Command string
	// ID of the run that the files show; "" for a new one. Files of the same ID add to those that are there.
	ID string
	// Shows tells what the files are made from, such as a digest of inputs; "" where that does not matter. A commit
	// also removes the files of the sets in Replaces that show something else.
	Shows    string
	Replaces []string
	// Outputs are patterns, as path.Match takes them, of names that files of the set may have. Begin fails with
	// ErrTaken where a file has such a name that Create would refuse, so that results that take long to find have their
	// place.
	Outputs []string
	// Inputs are files that were read. No file takes the place of one of them.
	Inputs []string
	// Force replaces files that no run in the folder wrote.
	Force bool
	// Flag by which the folder was named, for messages; --out where empty.
	Flag string
	// Patience is how long Begin waits for another process that writes into the folder, before it fails with ErrBusy.
	Patience time.Duration
	// Timeline notes writing and syncing of the files. May be nil.
	Timeline *timeline.Log
	// Fault is asked before every operation on the disk, and fails it with what it returns; for tests.
	Fault func(op, name string) error
}

// File is one file to be written.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Transaction collects the files of a run. It may be used by several goroutines; end it with Commit or Abort.
type Transaction struct {
	dir     string
	options Options
	id      string
	disk    *disk
	lock    *os.File
	made    []string // folders that did not exist, outermost first
	before  *Record
	undone  bool // Begin found a commit that was cut off

	mu      sync.Mutex
	files   map[string]*Output
	order   []*Output
	pending errgroup.Group // files on their way to the disk
	ended   bool
}

// mostPending bounds the files that go to the disk at once.
const mostPending = 32

// ID of the run: the same in the record and in the saved run.
func (t *Transaction) ID() string { return t.id }

// Dir is the folder.
func (t *Transaction) Dir() string { return t.dir }

// Undone says whether a commit that was cut off has been undone.
func (t *Transaction) Undone() bool { return t.undone }

// Before is what the folder holds as the transaction begins.
func (t *Transaction) Before() *Record { return t.before }

// ErrName says that a name cannot be that of a file of the folder.
var ErrName = errors.New("is no name for a file")

// ErrTaken says that a file must not be replaced.
var ErrTaken = errors.New("must not be replaced")

// free says whether a file of the set may take a name: an input keeps its own, and so does what no run in the folder
// wrote. Files that belong to no set take the names that the user gives them.
func (t *Transaction) free(name string) error {
	there, err := t.disk.root.Lstat(name)
	switch {
	case t.options.Set == "" || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		return t.failed(name, err)
	case there.IsDir(): // fails on its own
		return nil
	}
	target, err := t.disk.root.Stat(name)
	for _, path := range t.options.Inputs {
		if in, failed := os.Stat(path); err == nil && failed == nil && os.SameFile(in, target) {
			return fmt.Errorf("%s %w: it is an input of this run; name another folder with %s", t.path(name), ErrTaken,
				t.options.Flag)
		}
	}
	if t.options.Force || t.before.owns(name) {
		return nil
	}
	return fmt.Errorf("%s %w: no run in this folder wrote it; name another folder with %s, or replace such files "+
		"with --force", t.path(name), ErrTaken, t.options.Flag)
}

// Foresee fails with ErrTaken where a file has a name of these patterns that Create would refuse.
func (t *Transaction) Foresee(patterns ...string) error {
	for _, pattern := range patterns {
		names, err := fs.Glob(t.disk.root.FS(), pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := t.free(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Create starts a file, whose name may lie in folders below the output folder. It is the caller's to close; Abort does
// so too.
func (t *Transaction) Create(name string) (*Output, error) {
	slashed := path.Clean(filepath.ToSlash(name))
	if !validName(slashed) {
		return nil, fmt.Errorf("%.300q %w in %s", name, ErrName, t.dir)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files[slashed] != nil {
		return nil, fmt.Errorf("two files of this run would be called %s; give one of them another name",
			filepath.Join(t.dir, name))
	}
	if t.ended {
		return nil, fmt.Errorf("cannot write %s: the run has ended", filepath.Join(t.dir, name))
	}
	if err := t.free(slashed); err != nil {
		return nil, err
	}
	f, err := t.disk.create(path.Join(newFiles, slashed))
	if err != nil {
		return nil, t.failed(slashed, err)
	}
	o := &Output{transaction: t, name: slashed, file: f}
	t.files[slashed] = o
	t.order = append(t.order, o)
	return o, nil
}

// Open reads back a file that was created and closed. The caller closes it before Commit.
func (t *Transaction) Open(name string) (*os.File, error) {
	slashed := path.Clean(filepath.ToSlash(name))
	if !t.Has(name) {
		return nil, fmt.Errorf("no file of this run is called %s", name)
	}
	f, err := t.disk.open(path.Join(newFiles, slashed))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", filepath.Join(t.dir, name), cause(err))
	}
	return f, nil
}

// Has says whether a file of that name was created.
func (t *Transaction) Has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.files[path.Clean(filepath.ToSlash(name))] != nil
}

// Write stages one file. A cancelled context stops it between two writes.
func (t *Transaction) Write(ctx context.Context, name string, content func(io.Writer) error) error {
	defer t.options.Timeline.Begin("write " + name)()
	f, err := t.Create(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(cancelWriter{ctx, f}, 1<<16)
	err = content(b)
	if err == nil {
		err = b.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return t.failed(name, err)
	}
	return nil
}

// WriteFiles stages files one after the other.
func (t *Transaction) WriteFiles(ctx context.Context, files ...File) error {
	for _, f := range files {
		if err := t.Write(ctx, f.Name, f.Write); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes what was staged, and the folder if Begin made it. After a Commit it does nothing.
func (t *Transaction) Abort() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.ended = true
	for _, f := range t.order {
		f.discard()
	}
	_ = t.pending.Wait() // thrown away
	if t.lock != nil {
		_ = t.disk.removeAll(newFiles) // best effort; the next transaction sweeps
	}
	t.release()
}

// release gives the folder free and removes what nobody needs.
func (t *Transaction) release() {
	if t.lock != nil {
		t.disk.dropLock(t.lock)
	}
	if t.disk != nil {
		_ = t.disk.remove(home) // fails, as it should, where it holds a record
		t.disk.close()
	}
	for i := len(t.made) - 1; i >= 0; i-- {
		if fault(t.options.Fault, "remove", t.made[i]) == nil {
			_ = os.Remove(t.made[i]) // fails, as it should, when something lies in it
		}
	}
}

// cancelWriter fails once its context is done.
type cancelWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c cancelWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

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

// Output is a file under construction.
type Output struct {
	transaction *Transaction
	name        string
	file        *os.File

	mu     sync.Mutex
	closed bool
	entry  Entry // once it is closed
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	if err := o.transaction.disk.fault("write", o.name); err != nil {
		n, _ := o.file.Write(p[:len(p)/2]) // as a full disk does
		return n, err
	}
	return o.file.Write(p)
}

// Seek implements io.Seeker.
func (o *Output) Seek(offset int64, whence int) (int64, error) { return o.file.Seek(offset, whence) }

// Close ends the file. It goes to the disk while other files are being written; Commit waits for it, and tells if it
// did not get there. Closing twice does nothing.
func (o *Output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.closed = true
	info, err := o.file.Stat()
	if err != nil {
		_ = o.file.Close() // thrown away
		return o.transaction.failed(o.name, err)
	}
	o.entry = Entry{o.name, info.Size(), info.ModTime().UnixNano()}
	o.transaction.pending.Go(o.settle)
	return nil
}

// settle brings the file to the disk.
func (o *Output) settle() error {
	defer o.transaction.options.Timeline.Begin("sync " + o.name)()
	d := o.transaction.disk
	if err := cmp.Or(d.do("sync", o.name, o.file.Sync), d.closeFile(o.file, o.name)); err != nil {
		return o.transaction.failed(o.name, err)
	}
	return nil
}

// discard closes a file that nobody wants any more.
func (o *Output) discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		_ = o.file.Close() // thrown away
	}
}
