package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

const tinyStack = `schema = 1
size = ["2 mm", "3 mm"]
grid = { nx = 3, ny = 2 }
boundary.top = { h = "1000 W/(m^2 K)" }
[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
power = { uniform = "1 W" }
[[layer]]
name = "lid"
material = "copper"
thickness = "1 mm"
`

// tinyMesh is tinyStack, parsed and meshed.
func tinyMesh(t *testing.T) (*stack.Stack, *mesh.Mesh) {
	t.Helper()
	s, err := stackfile.Parse("tiny.toml", []byte(tinyStack), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

// A driver call that fails in the middle of a run ends it with exit status 4, a message that names the call, and no
// file: whichever call it is, from the first allocation to the copy of the last plane into the report. What only gives
// something back cannot spoil a run any more. The quick tier takes the first and the last call of each name.
func TestEveryDriverFaultLeavesNoFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stack.toml")
	if err := os.WriteFile(file, []byte(tinyStack), 0o644); err != nil {
		t.Fatal(err)
	}
	var modules interpreter.Cache
	for name, run := range map[string]func(context.Context, *session.Session, simulateOptions) error{
		"steady": runSteady,
		"transient": func(ctx context.Context, g *session.Session, o simulateOptions) error {
			t := transientOptions{simulateOptions: o, dt: flags.Duration(),
				initial: beginning{Quantity: flags.Temperature()}}
			if err := errors.Join(t.steps.Set("2"), t.dt.Set("1 ms")); err != nil {
				return err
			}
			return runTransient(ctx, g, t)
		},
	} {
		// attempt runs the command with driver calls failing as fail says; the device is open by then.
		attempt := func(fail func(string, int) error) (calls []string, files []os.DirEntry, err error) {
			machine := interpreter.New(interpreter.Options{NoRaces: true, Cache: &modules})
			armed := false
			var opening int
			drv := cudriver.Faulty(machine, func(call string, n int) error {
				if !armed {
					return nil
				}
				return fail(call, n-opening)
			})
			d, err := cuda.Open(drv, 0)
			if err != nil {
				t.Fatal(err)
			}
			opening, armed = len(drv.Calls()), true
			o := newSimulateOptions()
			o.stack, o.out = file, filepath.Join(t.TempDir(), "out")
			var said bytes.Buffer
			g := &session.Session{Console: &terminal.Console{Stdout: io.Discard, Stderr: &said, Quiet: true},
				Start: time.Now()}
			g.Adjust = func(s *gpusolve.Options) { s.Executor = d }
			err = run(context.Background(), g, o)
			files, _ = os.ReadDir(o.out)
			return drv.Calls()[opening:], files, err
		}
		calls, files, err := attempt(func(string, int) error { return nil })
		if err != nil || len(files) == 0 {
			t.Fatalf("%s without a fault: %v, %d files", name, err, len(files))
		}
		for n := range calls {
			if !testtier.Pick(firstOrLast(calls, n), true) {
				continue
			}
			made, files, err := attempt(cudriver.FailAt(n, 999))
			if len(made) <= n {
				t.Errorf("%s: call %d of %d was not made", name, n, len(calls))
				continue
			}
			call := made[n] // files are written beside each other, so the order varies
			switch {
			case err == nil && !givesBack(call):
				t.Errorf("%s, call %d of %d (%s): its failure went unnoticed", name, n, len(calls), call)
			case err != nil && exit.Status(err) != exit.Device:
				t.Errorf("%s, call %d of %d (%s): exit status %d: %v", name, n, len(calls), call, exit.Status(err), err)
			case err != nil && (len(files) > 0 || !strings.Contains(err.Error(), call)):
				t.Errorf("%s, call %d of %d (%s): %d files, message %q", name, n, len(calls), call, len(files), err)
			}
		}
	}
}

// firstOrLast reports whether the n-th entry of a list is the first or the last one of its value.
func firstOrLast[T comparable](list []T, n int) bool {
	return slices.Index(list, list[n]) == n || slices.Index(list[n+1:], list[n]) < 0
}

// givesBack reports whether a call only frees something, or waits before that.
func givesBack(call string) bool {
	switch call {
	case "cuMemFree", "cuMemFreeHost", "cuEventDestroy", "cuModuleUnload", "cuStreamDestroy", "cuGraphExecDestroy",
		"cuDevicePrimaryCtxRelease",
		"cuCtxSetCurrent", "cuStreamSynchronize":
		return true
	}
	return false
}
