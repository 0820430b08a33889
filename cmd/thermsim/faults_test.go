package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
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

// modules are those of all simulated devices here, parsed once.
var modules interpreter.Cache

// newMachine is a simulated device.
func newMachine() cudriver.Driver {
	return interpreter.New(interpreter.Options{NoRaces: true, Cache: &modules})
}

// adjusted runs a command line in this process with other options of the solver.
func adjusted(adjust func(*gpusolve.Options), args ...string) (status int, said string) {
	var errs bytes.Buffer
	g := &session.Session{Console: &terminal.Console{Stdout: io.Discard, Stderr: &errs}, Start: time.Now()}
	g.Adjust = adjust
	status = execute(g, args)
	return status, errs.String()
}

// A driver call that fails in the middle of a run ends it with exit status 4, a message that names the call, and no
// file: whichever call it is, from the first allocation to the copy of the last plane into the report. What only gives
// something back cannot spoil a run any more. The quick tier takes the first and the last call of each name.
func TestEveryDriverFaultLeavesNoFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stack.toml")
	if err := os.WriteFile(file, []byte(tinyStack), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"steady": {"steady"}, "transient": {"transient", "--steps", "2", "--dt", "1 ms"},
	} {
		// attempt runs the command with driver calls failing as fail says; the device is open by then.
		attempt := func(fail func(string, int) error) (calls []string, files []os.DirEntry, status int, said string) {
			armed := false
			var opening int
			drv := cudriver.Faulty(newMachine(), func(call string, n int) error {
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
			out := filepath.Join(t.TempDir(), "out")
			status, said = adjusted(func(s *gpusolve.Options) { s.Executor = d },
				append(args, file, "--quiet", "--formats", "none", "--out", out)...)
			files, _ = os.ReadDir(out)
			return drv.Calls()[opening:], files, status, said
		}
		calls, files, status, said := attempt(func(string, int) error { return nil })
		if status != exit.Done || len(files) == 0 {
			t.Fatalf("%s without a fault: %s, %d files", name, said, len(files))
		}
		for n := range calls {
			if !testtier.Pick(firstOrLast(calls, n), true) {
				continue
			}
			made, files, status, said := attempt(cudriver.FailAt(n, 999))
			if len(made) <= n {
				t.Errorf("%s: call %d of %d was not made", name, n, len(calls))
				continue
			}
			call := made[n] // files are written beside each other, so the order varies
			switch {
			case status == exit.Done && !givesBack(call):
				t.Errorf("%s, call %d of %d (%s): its failure went unnoticed", name, n, len(calls), call)
			case status != exit.Done && status != exit.Device:
				t.Errorf("%s, call %d of %d (%s): exit status %d: %s", name, n, len(calls), call, status, said)
			case status != exit.Done && (len(files) > 0 || !strings.Contains(said, call)):
				t.Errorf("%s, call %d of %d (%s): %d files, message %q", name, n, len(calls), call, len(files), said)
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
