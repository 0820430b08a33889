package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/internal/testtier"
)

// attempt is a run on a GPU that something happens to.
type attempt struct {
	file   string // the stack
	out    string
	kept   bool // with a checkpoint after each step
	resume bool
}

// run steps the stack on a driver, and gives the exit status and what was told on stderr.
func (a *attempt) run(drv cudriver.Driver, steps string) (status int, said string) {
	args := []string{"transient", a.file, "--quiet", "--formats", "none", "--out", a.out, "--steps", steps,
		"--dt", "1 ms"}
	if a.kept {
		args = append(args, "--checkpoint", "1 steps")
	}
	if a.resume {
		args = append(args, "--resume")
	}
	return adjusted(func(s *gpusolve.Options) { s.Device, s.Driver = "gpu", drv }, args...)
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
	a := &attempt{file: filepath.Join(dir, "stack.toml"), out: filepath.Join(dir, "out")}
	if err := os.WriteFile(a.file, []byte(tinyStack), 0o644); err != nil {
		t.Fatal(err)
	}
	return a
}

// A device that is lost at any moment of a transient until its last results are read, so that every call of the driver
// fails from then on, ends the run with status 4 and the first error, with no file; a checkpoint that stood before
// stands after, the message says so, and a device that works goes on from it to the files of a run that was not
// disturbed.
func TestALostDeviceLeavesTheCheckpoint(t *testing.T) {
	a := newAttempt(t)
	whole := *a
	whole.out = filepath.Join(t.TempDir(), "whole")
	if status, said := whole.run(newMachine(), "4"); status != exit.Done {
		t.Fatal(said)
	}
	a.kept = true
	undisturbed := *a
	undisturbed.out = filepath.Join(t.TempDir(), "undisturbed")
	all := cudriver.Faulty(newMachine(), nil)
	if status, said := undisturbed.run(all, "4"); status != exit.Done {
		t.Fatal(said)
	}
	calls := len(all.Calls())
	for calls > 0 && all.Calls()[calls-1] != "cuMemcpyDtoHAsync" {
		calls-- // with the last results read, a lost device does no harm
	}
	resumed := 0
	results := []cudriver.Result{214, cudriver.IllegalAddress, cudriver.LaunchTimeout, cudriver.LaunchFailed, 46, 999}
	for n := 3; n < calls; n += 1 + calls/testtier.Pick(12, 60) {
		r := results[n%len(results)]
		a.out = filepath.Join(t.TempDir(), "out")
		status, said := a.run(cudriver.Faulty(newMachine(), cudriver.FailFrom(n, r)), "4")
		if status != exit.Device || !strings.Contains(said, r.String()) {
			t.Fatalf("lost at call %d of %d (%v): status %d, %s", n, calls, r, status, said)
		}
		if files := a.reported(); len(files) > 0 {
			t.Errorf("lost at call %d of %d: %v were written", n, calls, files)
		}
		stands := strings.Contains(said, "--resume continues from the checkpoint")
		if !stands {
			continue
		}
		resumed++
		again := *a
		again.resume = true
		if status, said := again.run(newMachine(), "4"); status != exit.Done {
			t.Fatalf("lost at call %d of %d, resumed: %s", n, calls, said)
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
		_, said := a.run(cudriver.Faulty(newMachine(), cudriver.FailFrom(150, r)), "2")
		for _, words := range want {
			if !strings.Contains(said, words) {
				t.Errorf("%v: %s does not say %q", r, said, words)
			}
		}
		if strings.Count(said, "CUDA_ERROR") != 1 {
			t.Errorf("%v is not told once: %s", r, said)
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
	status, said := a.run(&endless{Driver: newMachine()}, "50")
	if status != exit.Device || !strings.Contains(said, "300ms") ||
		!strings.Contains(said, cudriver.WaitVariable+"=1h") {
		t.Errorf("status %d: %s", status, said)
	}
	if files := a.reported(); len(files) > 0 {
		t.Errorf("%v were written", files)
	}
	t.Setenv(cudriver.WaitVariable, "soon")
	if status, said := a.run(newMachine(), "1"); status != exit.Input ||
		!strings.Contains(said, "THERMSIM_GPU_WAIT=soon") {
		t.Errorf("status %d: %s", status, said)
	}
}
