package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/internal/testtier"
)

// attempt is a run on a GPU that something happens to.
type attempt struct {
	t       *testing.T
	modules *interpreter.Cache
	file    string // the stack
	out     string
	kept    bool // with a checkpoint after each step
	resume  bool
}

// run steps the stack on a driver, and says what was told on stderr.
func (a *attempt) run(drv cudriver.Driver, steps string) (stderr string, err error) {
	o := newSimulateOptions()
	o.stack, o.out = a.file, a.out
	plan := transientOptions{simulateOptions: o, dt: flags.Duration(),
		initial: beginning{Quantity: flags.Temperature()}}
	if err := errors.Join(plan.steps.Set(steps), plan.dt.Set("1 ms")); err != nil {
		a.t.Fatal(err)
	}
	if a.kept {
		if err := plan.checkpoints.every.Set("1 steps"); err != nil {
			a.t.Fatal(err)
		}
	}
	plan.checkpoints.resume = a.resume
	var said bytes.Buffer
	g := &session.Session{Console: &terminal.Console{Stdout: io.Discard, Stderr: &said, Quiet: true}, Start: time.Now()}
	g.Adjust = func(s *gpusolve.Options) { s.Device, s.Driver = "gpu", drv }
	err = runTransient(context.Background(), g, plan)
	return said.String(), err
}

func (a *attempt) machine() cudriver.Driver {
	return interpreter.New(interpreter.Options{NoRaces: true, Cache: a.modules})
}

// reported are the names of files in the output folder, checkpoints left out.
func (a *attempt) reported() (names []string) {
	entries, _ := os.ReadDir(a.out)
	for _, e := range entries {
		if e.Name() != "checkpoint" && e.Name() != ".thermsim" {
			names = append(names, e.Name())
		}
	}
	return names
}

func newAttempt(t *testing.T) *attempt {
	dir := t.TempDir()
	a := &attempt{t: t, modules: new(interpreter.Cache), file: filepath.Join(dir, "stack.toml"),
		out: filepath.Join(dir, "out")}
	if err := os.WriteFile(a.file, []byte(tinyStack), 0o644); err != nil {
		t.Fatal(err)
	}
	return a
}

// A device that is lost at any moment of a transient, so that every call of the driver fails from then on, ends the run
// with status 4 and the first error, with no file; a checkpoint that stood before stands after, the message says so,
// and a device that works goes on from it to the files of a run that was not disturbed.
func TestALostDeviceLeavesTheCheckpoint(t *testing.T) {
	a := newAttempt(t)
	whole := *a
	whole.out = filepath.Join(t.TempDir(), "whole")
	all := cudriver.Faulty(a.machine(), nil)
	if _, err := whole.run(all, "4"); err != nil {
		t.Fatal(err)
	}
	calls := len(all.Calls())
	a.kept = true
	resumed := 0
	results := []cudriver.Result{214, cudriver.IllegalAddress, cudriver.LaunchTimeout, cudriver.LaunchFailed, 46, 999}
	for n := 3; n < calls; n += 1 + calls/testtier.Pick(12, 60) {
		r := results[n%len(results)]
		a.out = filepath.Join(t.TempDir(), "out")
		_, err := a.run(cudriver.Faulty(a.machine(), cudriver.FailFrom(n, r)), "4")
		var failed *cudriver.Error
		if exit.Status(err) != exit.Device || !errors.As(err, &failed) || failed.Result != r {
			t.Fatalf("lost at call %d of %d (%v): status %d, %v", n, calls, r, exit.Status(err), err)
		}
		if files := a.reported(); len(files) > 0 {
			t.Errorf("lost at call %d of %d: %v were written", n, calls, files)
		}
		stands := strings.Contains(err.Error(), "--resume goes on from the checkpoint")
		if !stands {
			continue
		}
		resumed++
		again := *a
		again.resume = true
		if _, err := again.run(a.machine(), "4"); err != nil {
			t.Fatalf("lost at call %d of %d, resumed: %v", n, calls, err)
		}
		sameFiles(t, whole.out, a.out)
	}
	if resumed < testtier.Pick(2, 10) {
		t.Errorf("only %d of the runs left a checkpoint", resumed)
	}
}

// The messages of a device that fails name what happened and what to do.
func TestWhatAFailingDeviceSays(t *testing.T) {
	for r, want := range map[cudriver.Result][]string{
		214: {"ECC", "nvidia-smi -q -d ECC,ROW_REMAPPER", "--device cpu"},
		226: {"ECC", "only this process"},
		700: {"outside its memory", "fault in thermsim"},
		702: {"longer than the system allows", "display"},
		999: {"dmesg, Xid 79"},
		46:  {"busy or in exclusive use", "nvidia-smi -c 0"},
	} {
		a := newAttempt(t)
		_, err := a.run(cudriver.Faulty(a.machine(), cudriver.FailFrom(150, r)), "2")
		for _, words := range want {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%v: %v does not say %q", r, err, words)
			}
		}
		if err != nil && strings.Count(err.Error(), "CUDA_ERROR") != 1 {
			t.Errorf("%v is told more than once: %v", r, err)
		}
	}
}

// endless is a device whose work does not end from some question on.
type endless struct {
	cudriver.Driver
	asked int
}

func (e *endless) StreamQuery(s cudriver.Stream) (bool, error) {
	if e.asked++; e.asked > 60 {
		return false, nil
	}
	return e.Driver.StreamQuery(s)
}

// A kernel that does not end ends the run all the same, after the time of THERMSIM_GPU_WAIT.
func TestAKernelThatDoesNotEnd(t *testing.T) {
	t.Setenv(cudriver.WaitVariable, "300ms")
	a := newAttempt(t)
	_, err := a.run(&endless{Driver: a.machine()}, "50")
	if exit.Status(err) != exit.Device || !strings.Contains(err.Error(), "300ms") ||
		!strings.Contains(err.Error(), cudriver.WaitVariable+"=1h") {
		t.Errorf("status %d: %v", exit.Status(err), err)
	}
	if files := a.reported(); len(files) > 0 {
		t.Errorf("%v were written", files)
	}
	t.Setenv(cudriver.WaitVariable, "soon")
	if _, err := a.run(a.machine(), "1"); exit.Status(err) != exit.Input ||
		!strings.Contains(err.Error(), "THERMSIM_GPU_WAIT=soon") {
		t.Errorf("status %d: %v", exit.Status(err), err)
	}
}
