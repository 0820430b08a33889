package staging

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// text makes files of name and content pairs.
func text(pairs ...string) []File {
	var files []File
	for i := 0; i < len(pairs); i += 2 {
		files = append(files,
			File{pairs[i], func(w io.Writer) error { _, err := io.WriteString(w, pairs[i+1]); return err }})
	}
	return files
}

// put commits files.
func put(ctx context.Context, dir string, o Options, files ...File) (*Result, error) {
	return Do(ctx, dir, o, func(t *Transaction) error { return t.WriteFiles(ctx, files...) })
}

func mustPut(t *testing.T, dir string, o Options, files ...File) *Result {
	t.Helper()
	r, err := put(t.Context(), dir, o, files...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// content is what a folder holds, without the transaction's own.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && p == dir:
			return fs.SkipAll
		case err != nil:
			return err
		case e.Name() == home:
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		b, err := os.ReadFile(p)
		all[filepath.ToSlash(strings.TrimPrefix(p, dir+string(filepath.Separator)))] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// leftovers are files of transactions that have ended.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, home))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != filepath.Base(recordName) {
			names = append(names, e.Name())
		}
	}
	return names
}

var run = Options{Set: "run", Command: "steady"}

// The first run has files that the second one does not, and the other way round.
func firstRun() []File {
	return text("summary.json", "first", "run.zip", strings.Repeat("1", 3000), "maps/a.png", "a", "b.csv", "b")
}
func secondRun() []File {
	return text("summary.json", "second", "c.csv", "c", "maps/d.png", "d", "deep/er/e", "e")
}

func contentOf(t *testing.T, files []File) map[string]string {
	all := map[string]string{}
	for _, f := range files {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		all[f.Name] = b.String()
	}
	return all
}

// operation is a step on the disk: the n-th of its kind on that name.
type operation struct {
	op, name string
	n        int
}

// watcher sees every operation, and may act at one.
type watcher struct {
	mu   sync.Mutex
	seen map[operation]int
	list []operation
	act  func(operation) error
}

func (w *watcher) fault(op, name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil {
		w.seen = map[operation]int{}
	}
	key := operation{op, name, 0}
	key.n, w.seen[key] = w.seen[key], w.seen[key]+1
	w.list = append(w.list, key)
	if w.act == nil {
		return nil
	}
	return w.act(key)
}

// trial runs the second run over the first, with a foreign file beside it.
func trial(t *testing.T, o Options, w *watcher) (dir string, err error) {
	t.Helper()
	dir = t.TempDir()
	mustPut(t, dir, o, firstRun()...)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Fault = w.fault
	_, err = put(t.Context(), dir, o, secondRun()...)
	return dir, err
}

// states are the folder's content before and after the second run.
func states(t *testing.T, set string) (before, after map[string]string) {
	before, after = contentOf(t, firstRun()), contentOf(t, secondRun())
	if set == "" {
		after = maps.Clone(before)
		maps.Copy(after, contentOf(t, secondRun()))
	}
	before["notes.txt"], after["notes.txt"] = "mine", "mine"
	return before, after
}

// Each operation on the disk fails once. Afterwards the folder holds one run: the old one where there is an error, but
// for the single error that says that the new files are there; and nothing is left over but what could not be removed.
func TestEveryOperationFailsOnce(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{run, {}} {
		before, after := states(t, o.Set)
		var all watcher
		if _, err := trial(t, o, &all); err != nil {
			t.Fatal(err)
		}
		for _, at := range all.list {
			w := watcher{act: func(op operation) error {
				if op == at {
					return syscall.EIO
				}
				return nil
			}}
			dir, err := trial(t, o, &w)
			got := content(t, dir)
			there := err != nil && strings.Contains(err.Error(), "the files of this run are in")
			switch {
			case err != nil && !errors.Is(err, syscall.EIO):
				t.Errorf("%v fails: the error is %v", at, err)
			case err == nil && at.op != "remove":
				t.Errorf("%v fails, and nobody says so", at)
			case err != nil && !there && !maps.Equal(got, before):
				t.Errorf("%v fails: %v\nthe folder holds %v", at, err, got)
			case (err == nil || there) && !maps.Equal(got, after):
				t.Errorf("%v fails, the run goes on: the folder holds %v", at, got)
			}
			if left := leftovers(t, dir); at.op != "remove" && len(left) > 0 {
				t.Errorf("%v fails: left %q", at, left)
			}
			// The next run finds nothing in its way.
			mustPut(t, dir, o, secondRun()...)
			if got := content(t, dir); !maps.Equal(got, after) || len(leftovers(t, dir)) > 0 {
				t.Errorf("%v failed: after the next run the folder holds %v, left over %q", at, got, leftovers(t, dir))
			}
		}
	}
}

// The process dies before each operation. The next who looks at the folder finds the old run or the new one, whole; and
// where a second process dies while it brings the folder into order, the third does it.
func TestDyingAtEveryOperation(t *testing.T) {
	t.Parallel()
	dead := errors.New("dead")
	for _, o := range []Options{run, {}} {
		before, after := states(t, o.Set)
		var all watcher
		if _, err := trial(t, o, &all); err != nil {
			t.Fatal(err)
		}
		for _, at := range all.list {
			gone := false
			w := watcher{act: func(op operation) error {
				gone = gone || op == at
				if gone {
					return dead
				}
				return nil
			}}
			dir, _ := trial(t, o, &w)
			for n := 0; ; n++ {
				more := 0
				r := watcher{act: func(operation) error {
					if more++; more > n {
						return dead
					}
					return nil
				}}
				second := o
				second.Fault = r.fault
				if s, err := Begin(dir, second); err == nil {
					s.Abort()
					break
				}
			}
			if _, err := Look(dir); err != nil {
				t.Errorf("dead at %v: %v", at, err)
			}
			if got := content(t, dir); !maps.Equal(got, before) && !maps.Equal(got, after) {
				t.Errorf("dead at %v: the folder holds %v", at, got)
			}
			if err := Check(dir, Options{}); err != nil || len(leftovers(t, dir)) > 0 {
				t.Errorf("dead at %v: left %q, %v", at, leftovers(t, dir), err)
			}
		}
	}
}

// An interrupt between two operations leaves the old run, or the new one where everything was decided; the error tells
// which.
func TestInterruptAtEveryOperation(t *testing.T) {
	t.Parallel()
	before, after := states(t, "run")
	var all watcher
	if _, err := trial(t, run, &all); err != nil {
		t.Fatal(err)
	}
	for _, at := range all.list {
		ctx, cancel := context.WithCancel(t.Context())
		dir := t.TempDir()
		mustPut(t, dir, run, firstRun()...)
		if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		w := watcher{act: func(op operation) error {
			if op == at {
				cancel()
			}
			return nil
		}}
		o := run
		o.Fault = w.fault
		_, err := put(ctx, dir, o, secondRun()...)
		cancel()
		want := after
		if err != nil {
			want = before
			if !errors.Is(err, context.Canceled) {
				t.Errorf("interrupted at %v: %v", at, err)
			}
		}
		if got := content(t, dir); !maps.Equal(got, want) {
			t.Errorf("interrupted at %v, error %v: the folder holds %v", at, err, got)
		}
		if left := leftovers(t, dir); len(left) > 0 {
			t.Errorf("interrupted at %v: left %q", at, left)
		}
	}
}

// Files of the run before go, those of other kinds, changed ones and foreign ones stay; a run that shows the same adds
// to what is there.
func TestWhatIsSuperseded(t *testing.T) {
	dir := t.TempDir()
	mustPut(t, dir, Options{Set: "check"}, text("stack.png", "s")...)
	mustPut(t, dir, run, text("summary.json", "1", "map_a.png", "a", "map_b.csv", "b", "deep/c", "c")...)
	for name, what := range map[string]string{"mine.txt": "mine", "map_b.csv": "edited"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(what), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := mustPut(t, dir, run, text("summary.json", "2", "run.zip", "z")...)
	want := map[string]string{"stack.png": "s", "summary.json": "2", "run.zip": "z", "mine.txt": "mine",
		"map_b.csv": "edited"}
	if got := content(t, dir); !maps.Equal(got, want) {
		t.Errorf("the folder holds %v", got)
	}
	if !slices.Equal(r.Removed, []string{filepath.Join(dir, "deep", "c"), filepath.Join(dir, "map_a.png")}) ||
		!slices.Equal(r.Changed, []string{filepath.Join(dir, "map_b.csv")}) {
		t.Errorf("removed %q, changed %q", r.Removed, r.Changed)
	}
	if _, err := os.Stat(filepath.Join(dir, "deep")); err == nil {
		t.Error("an empty folder is left")
	}
	rec, err := Look(dir)
	if err != nil || !rec.Set("run").Holds("run.zip") || rec.Set("run").Holds("map_a.png") || rec.Set("solve") != nil {
		t.Fatalf("record %+v, %v", rec, err)
	}
	same := Options{Set: "run", ID: rec.Set("run").ID}
	mustPut(t, dir, same, text("map_z.png", "z")...)
	if got := content(t, dir); got["run.zip"] != "z" || got["map_z.png"] != "z" {
		t.Errorf("the folder holds %v", got)
	}
	// A file of another kind of command in the place of one of the run's ends the run.
	mustPut(t, dir, Options{Set: "solve"}, text("summary.json", "x", "x.mtx", "x")...)
	want = map[string]string{"stack.png": "s", "summary.json": "x", "x.mtx": "x", "mine.txt": "mine",
		"map_b.csv": "edited"}
	if got := content(t, dir); !maps.Equal(got, want) {
		t.Errorf("the folder holds %v", got)
	}
}

// TestPatience lets many write files that stand for themselves into one folder at once: each waits for its turn, and
// none is refused.
func TestPatience(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	patient := Options{Patience: time.Minute}
	var writers sync.WaitGroup
	for n := range 8 {
		writers.Go(func() {
			if err := Check(dir, patient); err != nil {
				t.Error(err)
			}
			if _, err := put(t.Context(), dir, patient, text(fmt.Sprint(n), "x")...); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if got := content(t, dir); len(got) != 8 {
		t.Errorf("the folder holds %v", got)
	}
}

func TestTwoAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	one, err := Begin(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("(process %d); wait for it to finish, or choose another folder with --out", os.Getpid())
	if _, err := Begin(dir, run); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
	if err := one.WriteFiles(t.Context(), text("a", "a")...); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustPut(t, dir, run, text("a", "b")...)
	if got := content(t, dir); got["a"] != "b" {
		t.Errorf("the folder holds %v", got)
	}
}

// A lock whose file cannot be examined is an error; one that was removed or replaced is taken again.
func TestLockOfALostFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() (*os.File, error) { return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666) }
	for _, lost := range []error{fs.ErrNotExist, errLost} {
		looks := 0
		f, err := openLocked(open, func() (os.FileInfo, error) {
			if looks++; looks == 1 {
				return nil, lost
			}
			return os.Stat(name)
		})
		if (err == nil) != (lost == fs.ErrNotExist) || err != nil && !errors.Is(err, lost) {
			t.Errorf("%v: %v", lost, err)
		}
		if err == nil {
			f.Close()
		}
	}
}

// An input is not replaced, not even by force.
func TestInputsAreKept(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a")
	if err := os.WriteFile(in, []byte("input"), 0o666); err != nil {
		t.Fatal(err)
	}
	forced := run
	forced.Force, forced.Inputs = true, []string{in}
	if _, err := put(t.Context(), dir, forced, text("a", "a")...); !errors.Is(err, ErrTaken) {
		t.Errorf("error %v", err)
	}
	if got := content(t, dir); got["a"] != "input" {
		t.Errorf("the folder holds %v", got)
	}
}

// A folder, or a file that bears the name of one, is never taken for an output.
func TestAFolderInTheWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "b", "kept"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := put(t.Context(), dir, run, text("a", "a", "b", "b", "c", "c")...)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "b")) ||
		!strings.Contains(err.Error(), "another file has that name") {
		t.Errorf("error %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder holds %v", entries)
	}
}

func TestNamesThatAreNone(t *testing.T) {
	tx, err := Begin(t.TempDir(), run)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Abort()
	for _, name := range []string{"", ".", "..", "../a", "/etc/a", "a/../../b", ".thermsim", ".thermsim/files.json",
		"x/../.thermsim/a"} {
		if _, err := tx.Create(name); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
	if _, err := tx.Create("a"); err != nil {
		t.Error(err)
	}
	if _, err := tx.Create("./a"); err == nil || !strings.Contains(err.Error(), "two files of this run") {
		t.Errorf("error %v", err)
	}
}

// A record that names files outside the folder removes nothing.
func TestHostileRecord(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "out")
	mustPut(t, dir, run, text("a", "a")...)
	if err := os.WriteFile(filepath.Join(top, "victim"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{recordName, journalName} {
		hostile :=
			`{"schema":1,"sets":[{"name":"run","files":[{"name":"../victim"}]}],"commit":{"fresh":["../victim"]}}`
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(hostile), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := put(t.Context(), dir, run, text("a", "b")...); err == nil ||
			!strings.Contains(err.Error(), "not inside the folder") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(top, "victim")); err != nil {
		t.Error(err)
	}
}

// Files have the permissions that the user wishes, and nothing but them lies in a folder of files that stand for
// themselves.
func TestUmaskAndTraces(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "new", "out")
	old := umask(0o027)
	defer umask(old)
	mustPut(t, dir, Options{}, text("a", "a", "sub/b", "b")...)
	for name, want := range map[string]fs.FileMode{"a": 0o640, "sub": 0o750, "sub/b": 0o640} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("the folder holds %v", entries)
	}
	tx, err := Begin(filepath.Join(top, "not", "to", "be"), run)
	if err != nil {
		t.Fatal(err)
	}
	tx.Abort()
	tx.Abort()
	if _, err := os.Stat(filepath.Join(top, "not")); err == nil {
		t.Error("folders are left")
	}
}

// A file that has the name of the folder that runs keep is told as such, and stays.
func TestFileInPlaceOfHome(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, home)
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Check(dir, Options{})
	if want := ".thermsim in it is a file, but thermsim needs a folder of that name; move the file away, or " +
		"choose another folder with --out"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want ... %s", err, want)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != "mine" {
		t.Errorf("the file has %q, %v", data, err)
	}
}
