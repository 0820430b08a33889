// Package staging writes the files of a run into a folder atomically: the folder holds one complete run, the old or the
// new one, whenever the program ends.
//
// A [Transaction] writes all files below the hidden folder .thermsim, and finally renames them together. A journal,
// written before the first rename, allows the next process to roll back; see Commit.
// docs/contributing/decisions/0003-what-an-interrupt-leaves.md gives the reasons.
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

// Names inside the folder, with slashes, as os.Root accepts them on all systems.
const (
	home        = ".thermsim"
	newFiles    = home + "/new"         // new files, under their final names
	oldFiles    = home + "/old"         // old files, during a commit
	journalName = home + "/commit.json" // present during a commit
	recordName  = home + "/files.json"  // the files that runs wrote
	lockName    = home + "/lock"        // held by the writing process
)

// Options of a transaction.
type Options struct {
	// Set names the kind of files, such as "run" for a steady or transient run: a commit removes the previous files of
	// the same set. "" keeps no record and removes nothing, for self-contained files.
	Set string
	// Command that writes, for the record.
	Command string
	// ID of the run that the files belong to; "" for a new one. Files with an existing ID are added to that run.
	ID string
	// Shows identifies the source of the files, such as a digest of inputs; "" if irrelevant. A commit also removes the
	// files of the sets in Replaces whose source differs.
	Shows    string
	Replaces []string
	// Outputs are path.Match patterns of the names that files of the set may have. Begin fails with ErrTaken if Create
	// would refuse an existing file with such a name, so that a conflict shows before a long computation.
	Outputs []string
	// Inputs are files that were read. They are never replaced.
	Inputs []string
	// Force replaces files that no run in the folder wrote.
	Force bool
	// Flag that selects the folder, for messages; default --out.
	Flag string
	// Patience is how long Begin waits for another process that writes to the folder before it fails with ErrBusy.
	Patience time.Duration
	// Timeline records the writing and syncing of files. May be nil.
	Timeline *timeline.Log
	// Fault is called before every disk operation, which fails with the returned error; for tests.
	Fault func(op, name string) error
}

// File is one file to be written.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Transaction collects the files of a run. It is safe for concurrent use; end it with Commit or Abort.
type Transaction struct {
	dir     string
	options Options
	id      string
	disk    *disk
	lock    *os.File
	made    []string // folders that did not exist, outermost first
	before  *Record
	undone  bool // Begin rolled back an interrupted commit

	mu      sync.Mutex
	files   map[string]*Output
	order   []*Output
	pending errgroup.Group // files being synced
	ended   bool
}

// mostPending bounds the number of files that are synced concurrently.
const mostPending = 32

// ID of the run: the same in the record and in the saved run.
func (t *Transaction) ID() string { return t.id }

// Dir is the folder.
func (t *Transaction) Dir() string { return t.dir }

// Undone reports whether an interrupted commit was rolled back.
func (t *Transaction) Undone() bool { return t.undone }

// Before is the record of the folder at the start of the transaction.
func (t *Transaction) Before() *Record { return t.before }

// ErrName reports an invalid name of an output file.
var ErrName = errors.New("is not a valid file name")

// ErrTaken reports an existing file that must not be replaced.
var ErrTaken = errors.New("must not be replaced")

// free checks whether a file of the set may use a name: inputs, and files that no run in the folder wrote, are not
// replaced. Files without a set use the names that the user gives.
func (t *Transaction) free(name string) error {
	there, err := t.disk.root.Lstat(name)
	switch {
	case t.options.Set == "" || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		return t.failed(name, err)
	case there.IsDir(): // fails later
		return nil
	}
	target, err := t.disk.root.Stat(name)
	for _, path := range t.options.Inputs {
		if in, failed := os.Stat(path); err == nil && failed == nil && os.SameFile(in, target) {
			return fmt.Errorf("%s %w: it is an input of this run; choose another folder with %s", t.path(name),
				ErrTaken, t.options.Flag)
		}
	}
	if t.options.Force || t.before.owns(name) {
		return nil
	}
	return fmt.Errorf("%s %w: no run in this folder wrote it; choose another folder with %s, or overwrite it "+
		"with --force", t.path(name), ErrTaken, t.options.Flag)
}

// Foresee fails with ErrTaken if Create would refuse an existing file that matches one of the patterns.
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

// Create starts a file, whose name may contain subfolders. The caller closes it; Abort does so too.
func (t *Transaction) Create(name string) (*Output, error) {
	slashed := path.Clean(filepath.ToSlash(name))
	if !validName(slashed) {
		return nil, fmt.Errorf("%.300q %w in %s", name, ErrName, t.dir)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files[slashed] != nil {
		return nil, fmt.Errorf("two files of this run have the name %s; rename one of them",
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

// Open reads a file that was created and closed. The caller closes it before Commit.
func (t *Transaction) Open(name string) (*os.File, error) {
	slashed := path.Clean(filepath.ToSlash(name))
	if !t.Has(name) {
		return nil, fmt.Errorf("this run has no file named %s", name)
	}
	f, err := t.disk.open(path.Join(newFiles, slashed))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", filepath.Join(t.dir, name), cause(err))
	}
	return f, nil
}

// Has reports whether a file with that name was created.
func (t *Transaction) Has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.files[path.Clean(filepath.ToSlash(name))] != nil
}

// Write writes one file. A cancelled context stops it between two writes.
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

// WriteFiles writes files one after the other.
func (t *Transaction) WriteFiles(ctx context.Context, files ...File) error {
	for _, f := range files {
		if err := t.Write(ctx, f.Name, f.Write); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes the new files, and the folder if Begin created it. After a Commit it does nothing.
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
	_ = t.pending.Wait() // discarded
	if t.lock != nil {
		_ = t.disk.removeAll(newFiles) // best effort; the next transaction cleans up
	}
	t.release()
}

// release unlocks the folder and removes empty folders that it created.
func (t *Transaction) release() {
	if t.lock != nil {
		t.disk.dropLock(t.lock)
	}
	if t.disk != nil {
		_ = t.disk.remove(home) // fails, as intended, if it holds a record
		t.disk.close()
	}
	for i := len(t.made) - 1; i >= 0; i-- {
		if fault(t.options.Fault, "remove", t.made[i]) == nil {
			_ = os.Remove(t.made[i]) // fails, as intended, if it is not empty
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

// Begin creates the folder if necessary ("" is the working directory), locks it, rolls back an interrupted commit, and
// removes temporary files. The error is ErrBusy if another process writes to the folder for longer than
// Options.Patience.
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
		// Another process may have removed the folder that it created.
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

// take creates the folder if necessary, and locks it.
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

// Do begins a transaction, writes files, and commits them; after an error the folder is unchanged.
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

// Check checks whether files can be written to a folder, and leaves no trace.
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
		n, _ := o.file.Write(p[:len(p)/2]) // as on a full disk
		return n, err
	}
	return o.file.Write(p)
}

// Seek implements io.Seeker.
func (o *Output) Seek(offset int64, whence int) (int64, error) { return o.file.Seek(offset, whence) }

// Close ends the file and syncs it in the background; Commit waits for that and reports an error. Closing twice does
// nothing.
func (o *Output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.closed = true
	info, err := o.file.Stat()
	if err != nil {
		_ = o.file.Close() // discarded
		return o.transaction.failed(o.name, err)
	}
	o.entry = Entry{o.name, info.Size(), info.ModTime().UnixNano()}
	o.transaction.pending.Go(o.settle)
	return nil
}

// settle syncs the file.
func (o *Output) settle() error {
	defer o.transaction.options.Timeline.Begin("sync " + o.name)()
	d := o.transaction.disk
	if err := cmp.Or(d.do("sync", o.name, o.file.Sync), d.closeFile(o.file, o.name)); err != nil {
		return o.transaction.failed(o.name, err)
	}
	return nil
}

// discard closes a file of an aborted transaction.
func (o *Output) discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		_ = o.file.Close() // discarded
	}
}
