package gpusolve_test

import (
	"errors"
	"slices"
	"testing"

	"thermsim/gpusolve"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
	"thermsim/stack"
)

func opens(calls []string) (n int) {
	for _, call := range calls {
		if call == "cuDevicePrimaryCtxRetain" {
			n++
		}
	}
	return n
}

// A GPU that was opened ahead is the one that solves; the field is that of a GPU opened in time.
func TestOpenAhead(t *testing.T) {
	m := builtMesh(t, cases.Stack10(cases.Options{NX: 8}))
	var fields [2][]float64
	for n := range fields {
		drv := cudriver.Faulty(devices.Machine(interpreter.Options{NoRaces: true}), nil)
		o := gpusolve.Options{Device: "gpu", Driver: drv}
		if n > 0 {
			o.Ahead = gpusolve.OpenAhead(m.Stack, o)
			if o.Ahead == nil {
				t.Fatal("nothing is opened ahead")
			}
		}
		s, err := gpusolve.Steady(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		fields[n] = make([]float64, m.NX()*m.NY())
		if err := s.Field.Plane(0, fields[n]); err != nil {
			t.Fatal(err)
		}
		s.Close()
		o.Ahead.Close() // has nothing to give back
		if got := opens(drv.Calls()); got != 1 {
			t.Errorf("%d contexts were opened", got)
		}
	}
	if !slices.Equal(fields[0], fields[1]) {
		t.Error("the fields differ")
	}
}

// What fails ahead fails the solve that names the GPU; "auto" goes on without. A GPU that nobody takes is given back.
func TestOpenAheadFails(t *testing.T) {
	m := builtMesh(t, cases.Stack10(cases.Options{NX: 8}))
	for _, call := range []string{"cuInit", "cuModuleLoadData"} {
		drv := cudriver.Faulty(devices.Machine(interpreter.Options{NoRaces: true}), cudriver.FailNth(call, 0, 999))
		o := gpusolve.Options{Device: "gpu", Driver: drv}
		o.Ahead = gpusolve.OpenAhead(m.Stack, o)
		if _, err := gpusolve.Steady(t.Context(), m, o); !errors.Is(err, gpusolve.ErrDevice) {
			t.Errorf("%s: %v", call, err)
		}
		released := slices.Contains(drv.Calls(), "cuDevicePrimaryCtxRelease")
		if opened := opens(drv.Calls()) > 0; opened != released {
			t.Errorf("%s: opened %v, released %v", call, opened, released)
		}
	}
	drv := cudriver.Faulty(devices.Machine(interpreter.Options{NoRaces: true}), nil)
	gpusolve.OpenAhead(m.Stack, gpusolve.Options{Device: "gpu", Driver: drv}).Close()
	if calls := drv.Calls(); opens(calls) != 1 || !slices.Contains(calls, "cuDevicePrimaryCtxRelease") {
		t.Errorf("not given back: %v", calls)
	}
	if p := gpusolve.OpenAhead(m.Stack, gpusolve.Options{Driver: drv}); p != nil {
		t.Error("a grid that the processor solves sooner opens a GPU")
	}
	if p := gpusolve.OpenAhead(m.Stack, gpusolve.Options{Device: "cpu", Driver: drv}); p != nil {
		t.Error("cpu opens a GPU")
	}
}

func builtMesh(t *testing.T, s *stack.Stack) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
