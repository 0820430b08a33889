// Package checkpoint stores a transient in two files, from which another run continues with the same bits: the state of
// the solver, and a log of everything that the recorders read from its steps. The log grows. The state is replaced
// atomically and contains the length of the log that belongs to it. The last checkpoint is therefore complete whenever
// a run is killed.
package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"thermsim/gpusolve/snapshot"
	"thermsim/gpusolve/solution"
	"thermsim/internal/inputfile"
)

// Names in a run's folder.
const (
	Folder    = "checkpoint"
	stateName = "state"
	freshName = "state.new"
	logName   = "steps"
	magic     = "thermsim checkpoint 2"
)

// Point is the estimated largest error after an iteration.
type Point struct {
	Step, Iteration int
	ErrorK          float64
}

// Fact is an input of the result, such as a flag or the hash of a file.
type Fact struct{ Name, Value string }

// Errors of checkpoints that cannot be resumed.
var (
	ErrNone    = errors.New("there is no checkpoint")
	ErrDamaged = errors.New("the checkpoint is damaged")
	ErrChanged = errors.New("the checkpoint is one of another run")
)

// Files are a run's checkpoint.
type Files struct {
	dir   string
	facts []Fact
	// Interval between checkpoints, as the user wrote it.
	Interval string
	log      *journal
	saved    bool
	lock     *os.File // of the state that is resumed
	history  int      // points in the log

	length int64 // of the log
	sum    string
}

// Exists says whether a run's folder holds a checkpoint. If that is unknown, a run must not create one, which would
// overwrite the other.
func Exists(out string) (bool, error) {
	_, err := os.Stat(filepath.Join(out, Folder, stateName))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	return err == nil, err
}

// Create starts the checkpoint of a new run. It can be resumed after the first Save.
func Create(out string, facts []Fact, interval string) (*Files, error) {
	f := &Files{dir: filepath.Join(out, Folder), facts: facts, Interval: interval}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(f.dir, logName))
	if err != nil {
		return nil, err
	}
	f.log = newJournal(log, sha256.New(), 0)
	return f, nil
}

// Resume opens the checkpoint of a run with the same facts. If facts differ, the error is ErrChanged and names them.
func Resume(out string, facts []Fact) (*Files, error) {
	f := &Files{dir: filepath.Join(out, Folder), facts: facts, saved: true}
	state, err := inputfile.Open(filepath.Join(f.dir, stateName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", ErrNone, f.dir)
	}
	if errors.Is(err, inputfile.ErrNotRegular) {
		return nil, fmt.Errorf("%w: %s is not a regular file. Fix: remove the folder %s to start again", ErrDamaged,
			stateName,
			f.dir)
	}
	if err != nil {
		return nil, err
	}
	if err := f.open(state); err != nil {
		_ = state.Close() // read only
		return nil, err
	}
	f.lock = state
	return f, nil
}

// open reads the head of a state, and opens the log.
func (f *Files) open(state *os.File) error {
	if err := whole(state); err != nil {
		return fmt.Errorf("%w: %s: %w. Fix: remove the folder %s to start again", ErrDamaged, state.Name(), err, f.dir)
	}
	c := snapshot.NewReader(state)
	was := f.head(c, nil)
	if c.Err() != nil {
		return fmt.Errorf("%w: %s: %w. Fix: remove the folder %s to start again", ErrDamaged, state.Name(), c.Err(),
			f.dir)
	}
	if err := same(was, f.facts); err != nil {
		return err
	}
	log, err := openLog(filepath.Join(f.dir, logName))
	if err != nil {
		return fmt.Errorf("%w: %w. Fix: remove the folder %s to start again", ErrDamaged, err, f.dir)
	}
	h, err := hashed(log, f.length)
	if err == nil && !sameSum(h, f.sum) {
		err = errors.New("its checksum does not match")
	}
	if err != nil {
		_ = log.Close() // nothing was written
		return fmt.Errorf("%w: %s: %w. Fix: remove the folder %s to start again", ErrDamaged, log.Name(), err, f.dir)
	}
	f.log = newJournal(log, h, f.length)
	return nil
}

// openLog opens a log, for reading and appending. It opens the file read-only first, which detects what is not a
// regular file.
func openLog(path string) (*os.File, error) {
	f, err := inputfile.Open(path)
	if errors.Is(err, inputfile.ErrNotRegular) {
		err = fmt.Errorf("%s is not a regular file", logName)
	}
	if err != nil {
		return nil, err
	}
	_ = f.Close() // read only
	return os.OpenFile(path, os.O_RDWR, 0)
}

// mostText bounds texts in a checkpoint, mostFacts their number.
const mostText, mostFacts = 1 << 20, 1 << 16

// head reads or writes the header before the solver's state.
func (f *Files) head(c *snapshot.Coder, facts []Fact) []Fact {
	text := magic
	if c.Text(&text, mostText); text != magic {
		c.Fail(snapshot.ErrFormat)
	}
	n := c.Length(len(facts), mostFacts)
	for i := 0; i < n && c.Err() == nil; i++ {
		if c.Reading() {
			facts = append(facts, Fact{})
		}
		c.Text(&facts[i].Name, mostText)
		c.Text(&facts[i].Value, mostText)
	}
	c.Text(&f.Interval, mostText)
	length := int(f.length)
	c.Int(&length)
	f.length = int64(length)
	c.Text(&f.sum, mostText)
	return facts
}

// whole checks the checksum at the end of a state and seeks to its start.
func whole(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size() - sha256.Size
	if size < 0 {
		return io.ErrUnexpectedEOF
	}
	h, err := hashed(f, size)
	if err != nil {
		return err
	}
	sum := make([]byte, sha256.Size)
	if _, err := io.ReadFull(f, sum); err != nil {
		return err
	}
	if !bytes.Equal(sum, h.Sum(nil)) {
		return errors.New("its checksum does not match")
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// same compares facts in any order.
func same(was, is []Fact) error {
	old := map[string]string{}
	for _, f := range was {
		old[f.Name] = f.Value
	}
	for _, f := range is {
		before, there := old[f.Name]
		delete(old, f.Name)
		switch {
		case !there:
			return fmt.Errorf("%w: %s was not set, and is %s now", ErrChanged, f.Name, f.Value)
		case before != f.Value && len(f.Value) == 2*sha256.Size:
			return fmt.Errorf("%w: %s has changed", ErrChanged, f.Name)
		case before != f.Value:
			return fmt.Errorf("%w: %s was %s, and is %s now", ErrChanged, f.Name, before, f.Value)
		}
	}
	for _, f := range was {
		if _, left := old[f.Name]; left {
			return fmt.Errorf("%w: %s was %s, and is not set now", ErrChanged, f.Name, f.Value)
		}
	}
	return nil
}

// Replay passes the steps of the log to show. It returns them, the history of the error, and the solver's state, which
// the caller reads before the next Save.
func (f *Files) Replay(show func(solution.Step, solution.Field) error) (steps []solution.Step, history []Point,
	state io.Reader, err error) {
	log := f.log.file
	if _, err = log.Seek(0, io.SeekStart); err != nil {
		return nil, nil, nil, err
	}
	if steps, history, err = replay(log, f.length, show); err != nil {
		return nil, nil, nil, err
	}
	if err = log.Truncate(f.length); err == nil { // what a run wrote after its last state
		_, err = log.Seek(f.length, io.SeekStart)
	}
	f.history = len(history)
	return steps, history, bufio.NewReaderSize(f.lock, 1<<16), err
}

// Hear appends a step to the log. Everything that is read from the returned field is logged too.
func (f *Files) Hear(step solution.Step, of solution.Field) (solution.Field, error) {
	entry(f.log.coder, entryStep)
	codeStep(f.log.coder, &step)
	return &heard{of, f.log.coder}, f.log.coder.Err()
}

// Save stores the solver's state, which write writes, together with the log and the history. It replaces the previous
// state atomically.
func (f *Files) Save(history []Point, write func(io.Writer) error) error {
	if fresh := history[min(f.history, len(history)):]; len(fresh) > 0 {
		entry(f.log.coder, entryHistory)
		codeHistory(f.log.coder, &fresh)
		f.history = len(history)
	}
	if err := f.log.sync(); err != nil {
		return err
	}
	f.length, f.sum = f.log.length, f.log.sum()
	fresh := filepath.Join(f.dir, freshName)
	if err := writeState(fresh, func(w io.Writer) error {
		c := snapshot.NewWriter(w)
		f.head(c, f.facts)
		return errors.Join(c.Err(), write(w))
	}); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	if err := os.Rename(fresh, filepath.Join(f.dir, stateName)); err != nil {
		return err
	}
	f.saved = true
	return syncFolder(f.dir)
}

// writeState writes a file with its checksum and syncs it.
func writeState(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	h := sha256.New()
	b := bufio.NewWriterSize(file, 1<<16)
	err = write(io.MultiWriter(b, h))
	if err == nil {
		_, err = b.Write(h.Sum(nil))
	}
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// syncFolder syncs a folder where the system supports that.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // some systems cannot
	return d.Close()
}

// Saved reports whether a state can be resumed.
func (f *Files) Saved() bool { return f.saved }

// Close closes the files. They are kept if a state can be resumed.
func (f *Files) Close() {
	_ = f.log.file.Close() // what is to stay is on the disk
	if f.lock != nil {
		_ = f.lock.Close() // read only
	}
	if !f.saved {
		_ = f.remove() // there is no state
	}
}

// Remove deletes the checkpoint of a finished run. If the state cannot be deleted, the checkpoint stays and can still
// be resumed.
func (f *Files) Remove() error {
	f.Close()
	if f.saved {
		f.saved = false
		return f.remove()
	}
	return nil
}

// remove deletes the files and their folder. The state goes first: without it the log has no use, and if it cannot be
// removed, the log stays too.
func (f *Files) remove() error {
	if err := os.Remove(filepath.Join(f.dir, stateName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range []string{freshName, logName} {
		_ = os.Remove(filepath.Join(f.dir, name)) // the log has no effect without a state
	}
	_ = os.Remove(f.dir)
	return nil
}
