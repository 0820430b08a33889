//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/staging"
	"thermsim/internal/testtier"
	"thermsim/report"
)

// diskStep is an operation on the disk: the n-th of its kind on that name.
type diskStep struct {
	op, name string
	n        int
}

// diskSteps notes operations, and does something at one of them.
type diskSteps struct {
	mu   sync.Mutex
	seen map[diskStep]int
	list []diskStep
	act  func(diskStep) error
}

func (d *diskSteps) fault(op, name string) error {
	d.mu.Lock()
	key := diskStep{op, name, 0}
	key.n, d.seen[key] = d.seen[key], d.seen[key]+1
	d.list = append(d.list, key)
	d.mu.Unlock()
	if d.act == nil {
		return nil
	}
	return d.act(key)
}

// thermsim runs a command line in this process.
func thermsim(steps *diskSteps, args ...string) (status int, said string) {
	var out, errs bytes.Buffer
	g := &session.Session{Console: &terminal.Console{Stdout: &out, Stderr: &errs}, Start: time.Now()}
	if steps != nil {
		steps.seen = map[diskStep]int{}
		g.Fault = steps.fault
	}
	status = execute(g, args)
	return status, errs.String()
}

// folderOf reads all files of a folder but what transactions keep.
func folderOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && e.Name() == ".thermsim" {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// copyFolder copies a folder with the times of its files, by which they are recognised.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	err := os.CopyFS(to, os.DirFS(from))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return os.Chtimes(to+strings.TrimPrefix(path, from), info.ModTime(), info.ModTime())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// boundaryCase is a command that writes over what an earlier one wrote. DIR in the arguments stands for the folder.
type boundaryCase struct {
	earlier, command []string
	set              string // of the record; "" where the files say the same whenever they are made
}

func boundaryCases(stack, placement, project string) map[string]boundaryCase {
	steady := []string{"steady", stack, "--quiet", "--dpi", "36", "--maps", "all", "--files", "raw", "--out", "DIR"}
	return map[string]boundaryCase{
		"steady": {steady, []string{"steady", stack, "--formats", "none", "--grid", "4x4", "--out", "DIR"},
			report.RunFiles},
		"transient": {steady, []string{"transient", stack, "--formats", "none", "--steps", "3", "--dt", "1ms",
			"--files",
			"vtr", "--file-steps", "1", "--out", "DIR"}, report.RunFiles},
		"render": {steady, []string{"render", "DIR", "--dpi", "36", "--colors", "viridis"}, ""},
		"check": {[]string{"check", stack, "--quiet", "--out", "DIR"},
			[]string{"check", stack, "--grid", "4x4", "--out", "DIR"}, "check"},
		"import": {
			[]string{"import", "3dice", project, "--compat", "--measure=false", "-o", "DIR/stack.toml"},
			[]string{"import", "3dice", project, "--measure=false", "--force", "-o", "DIR/stack.toml"}, "",
		},
		"import eda": {
			[]string{"import", "eda", "--placement", placement, "--grid", "4x4", "-o", "DIR/chip"},
			[]string{"import", "eda", "--placement", placement, "--grid", "8x8", "--cells", "--force", "-o",
				"DIR/chip"}, "",
		},
	}
}

func inFolder(args []string, dir string) []string {
	var out []string
	for _, a := range args {
		out = append(out, strings.Replace(a, "DIR", dir, 1))
	}
	return out
}

// A boundary of a run is an operation on the disk. At each, in turn, something goes wrong: the operation fails, or the
// user interrupts. The folder holds one whole run, the old or the new, the exit status is that of the contract, and the
// message says which run it is. The quick tier takes the first and the last operation of each kind.
func TestEveryBoundaryOfARun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stack.toml")
	if err := os.WriteFile(file, []byte(tinyStack), 0o644); err != nil {
		t.Fatal(err)
	}
	placement := filepath.Join(t.TempDir(), "cells.csv")
	if err := os.WriteFile(placement, []byte(tinyPlacement), 0o644); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join("..", "..", "interop", "threedice", "testdata", "steady", "case.stk")
	for name, c := range boundaryCases(file, placement, project) {
		t.Run(name, func(t *testing.T) {
			b := newBoundaries(t, c)
			kinds := make([]string, len(b.steps))
			for n, at := range b.steps {
				kinds[n] = at.op
			}
			taken := 0
			for n, at := range b.steps {
				if !testtier.Pick(firstOrLast(kinds, n), true) {
					continue
				}
				// The quick tier takes turns.
				if taken++; testtier.Pick(taken%2 == 0, true) {
					b.fail(t, at)
				}
				if testtier.Pick(taken%2 == 1, true) {
					b.interrupt(t, at)
				}
			}
			t.Logf("%d boundaries", len(b.steps))
		})
	}
}

const tinyPlacement = `# die 0 0 100 100 um
name,cell,x [um],y [um],width [um],height [um],watts [W]
a,INV,10,10,5,5,0.25
b,INV,60,70,20,5,0.5
`

// boundaries are those of a command, with the folders before and after it.
type boundaries struct {
	boundaryCase
	steps      []diskStep
	start      string // folder of the earlier run
	old        map[string]string
	fresh      map[string]string // of a run that nothing disturbs
	folders    string
	foldersNow int
}

func newBoundaries(t *testing.T, c boundaryCase) *boundaries {
	t.Helper()
	b := &boundaries{boundaryCase: c, folders: quickFolder(t)}
	b.start = filepath.Join(b.folders, "start")
	if status, said := thermsim(nil, inFolder(c.earlier, b.start)...); status != exit.Done {
		t.Fatal(said)
	}
	if err := os.WriteFile(filepath.Join(b.start, "notes.txt"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	b.old = folderOf(t, b.start)
	var all diskSteps
	dir, status, said := b.run(t, &all)
	if status != exit.Done {
		t.Fatal(said)
	}
	b.steps = all.list
	b.fresh = folderOf(t, dir)
	return b
}

func (b *boundaries) run(t *testing.T, steps *diskSteps) (dir string, status int, said string) {
	t.Helper()
	b.foldersNow++
	dir = filepath.Join(b.folders, fmt.Sprint("case", b.foldersNow))
	copyFolder(t, b.start, dir)
	status, said = thermsim(steps, inFolder(b.command, dir)...)
	return dir, status, said
}

// fail lets one operation fail.
func (b *boundaries) fail(t *testing.T, at diskStep) {
	t.Helper()
	steps := diskSteps{act: func(s diskStep) error {
		if s == at {
			return syscall.ENOSPC
		}
		return nil
	}}
	dir, status, said := b.run(t, &steps)
	defer os.RemoveAll(dir)
	which := b.judge(t, fmt.Sprintf("%v fails", at), dir)
	switch {
	case status == exit.Done && at.op == "remove": // only something to be swept later
	case status == exit.Done:
		t.Errorf("%v fails, and the command succeeds", at)
	case status != exit.Internal && status != exit.Input, !strings.Contains(said, syscall.ENOSPC.Error()):
		t.Errorf("%v fails: exit status %d, %s", at, status, said)
	case (which == "new") != strings.Contains(said, "the files of this run are in"):
		t.Errorf("%v fails: the folder holds the %s run, the message is %s", at, which, said)
	}
}

// interrupt sends SIGINT at an operation.
func (b *boundaries) interrupt(t *testing.T, at diskStep) {
	t.Helper()
	arrived := make(chan os.Signal, 4)
	signal.Notify(arrived, os.Interrupt)
	defer signal.Stop(arrived)
	steps := diskSteps{act: func(s diskStep) error {
		if s == at {
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				return err
			}
			<-arrived
			time.Sleep(5 * time.Millisecond) // for the command to hear of it
		}
		return nil
	}}
	dir, status, said := b.run(t, &steps)
	defer os.RemoveAll(dir)
	which := b.judge(t, fmt.Sprintf("interrupted at %v", at), dir)
	switch {
	case status == exit.Done && which == "new": // over before the command heard of it
	case status != exit.Interrupted:
		t.Errorf("interrupted at %v: exit status %d, %s", at, status, said)
	case (which == "old") != strings.Contains(said, "nothing was written"):
		t.Errorf("interrupted at %v: the folder holds the %s run, the message is %s", at, which, said)
	}
}

// judge says which run a folder holds.
func (b *boundaries) judge(t *testing.T, when, dir string) string {
	t.Helper()
	now := folderOf(t, dir)
	if now["notes.txt"] != "mine" {
		t.Errorf("%s: a file of the user is gone", when)
	}
	if maps.Equal(now, b.old) {
		return "old"
	}
	if b.set == "" {
		if !maps.Equal(now, b.fresh) {
			t.Errorf("%s: the folder holds neither the old files nor the new ones", when)
		}
		return "new"
	}
	record, err := staging.Look(dir)
	if err != nil {
		t.Errorf("%s: %v", when, err)
		return "none"
	}
	set := record.Set(b.set)
	names := map[string]bool{"notes.txt": true}
	for _, e := range set.Files {
		info, err := os.Stat(filepath.Join(dir, e.Name))
		if err != nil || info.Size() != e.Size || info.ModTime().UnixNano() != e.Modified {
			t.Errorf("%s: %s is not the file that the run wrote (%v)", when, e.Name, err)
		}
		names[e.Name] = true
	}
	for name := range now {
		if !names[name] {
			t.Errorf("%s: %s is of another run", when, name)
		}
	}
	if !set.Holds("run.zip") {
		return "new"
	}
	r, err := report.Restore(dir, nil)
	if err != nil {
		t.Errorf("%s: %v", when, err)
		return "none"
	}
	defer r.Close()
	if len(r.Solution.Steps) == 0 || r.Solution.Status.Converged {
		for name := range b.fresh {
			if !names[name] {
				t.Errorf("%s: %s is missing", when, name)
			}
		}
	}
	return "new"
}
