package main

import (
	"bytes"
	"context"
	"encoding/json"
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
)

// A GPU that runs out of memory while it is set up: auto takes the processor, says so on stderr and in summary.json; a
// GPU that was asked for ends the run with status 4 and no file.
func TestAutoWithoutAGPUThatFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stack.toml")
	// Some 3.8 million steps of cells: more work than opening a GPU.
	text := strings.Replace(tinyStack, "nx = 3, ny = 2", "nx = 320, ny = 300", 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(device string) (out, stderr string, err error) {
		o := newSimulateOptions()
		o.stack, o.out = file, filepath.Join(t.TempDir(), "out")
		o.precond = "multigrid" // which takes long enough
		plan := transientOptions{simulateOptions: o, dt: flags.Duration(),
			initial: beginning{Quantity: flags.Temperature()}}
		if err := errors.Join(plan.steps.Set("20"), plan.dt.Set("1 ms")); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		g := &session.Session{Console: &terminal.Console{Stdout: io.Discard, Stderr: &said}, Start: time.Now()}
		g.Adjust = func(s *gpusolve.Options) {
			s.Device, s.Driver = device, cudriver.Faulty(interpreter.New(interpreter.Options{NoRaces: true}),
				cudriver.FailNth("cuMemAlloc", 8, cudriver.OutOfMemory))
		}
		err = runTransient(context.Background(), g, plan)
		return o.out, said.String(), err
	}
	out, stderr, err := run("auto")
	if err != nil || strings.Count(stderr, "the processor solves in place of the GPU: ") != 1 ||
		!strings.Contains(stderr, "cuMemAlloc") {
		t.Fatalf("%v, stderr %q", err, stderr)
	}
	data, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Device struct{ Kind, GPU_failure string }
	}
	if err := json.Unmarshal(data, &s); err != nil || s.Device.Kind != "cpu" ||
		!strings.Contains(s.Device.GPU_failure, "cuMemAlloc") {
		t.Errorf("%v, device in summary.json: %+v", err, s.Device)
	}
	out, stderr, err = run("gpu")
	if files, _ := os.ReadDir(out); exit.Status(err) != exit.Device || !strings.Contains(err.Error(), "cuMemAlloc") ||
		len(files) > 0 {
		t.Errorf("a GPU was demanded: %v, %d files, stderr %q", err, len(files), stderr)
	}
}
