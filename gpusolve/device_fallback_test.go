package gpusolve_test

import (
	"errors"
	"strings"
	"testing"

	"thermsim/gpusolve"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/stepping"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
)

// manySteps of a few cells are more work than opening a GPU, so that auto takes one.
const manySteps = 1_000_000_000

// Whichever driver call fails before the first step, auto goes on with the processor and says why; a GPU that was asked
// for fails.
func TestAutoGoesOnWithoutAGPUThatFails(t *testing.T) {
	t.Parallel()
	m, err := mesh.Build(cases.Slab(cases.Options{NX: 3, NY: 2}, 2))
	if err != nil {
		t.Fatal(err)
	}
	attempt := func(device string, fail func(string, int) error) (info gpusolve.DeviceInfo, calls, told []string,
		live int,
		err error) {
		machine := devices.Machine(interpreter.Options{NoRaces: true})
		drv := cudriver.Faulty(machine, fail)
		e, err := stepping.Open(m,
			&driver.Job{Options: gpusolve.Options{Device: device, Driver: drv, Notice: func(text string) {
				told = append(told, text)
			}}}, manySteps, 1e-6)
		calls = drv.Calls()
		if err == nil {
			info = e.Info
			if err := e.Failure(); err != nil {
				t.Errorf("failed after its set-up: %v", err)
			}
			e.Close()
		}
		live = machine.Objects().Allocations
		return info, calls, told, live, err
	}
	info, calls, told, _, err := attempt("auto", nil)
	if err != nil || info.Kind != "gpu" || info.GPUFailure != "" || len(told) > 0 {
		t.Fatalf("without a fault: %+v, %v, %v", info, told, err)
	}
	fallbacks := 0
	for n, call := range calls {
		info, _, told, live, err := attempt("auto", cudriver.FailAt(n, cudriver.OutOfMemory))
		if live != 0 && call != "cuMemFree" && call != "cuMemFreeHost" {
			t.Errorf("call %d (%s): %d allocations are left", n, call, live)
		}
		switch {
		case err != nil:
			t.Errorf("call %d of %d (%s): %v", n, len(calls), call, err)
		case info.Kind == "gpu" && (info.GPUFailure != "" || len(told) > 0):
			t.Errorf("call %d (%s): %+v, %q", n, call, info, told)
		case info.Kind == "cpu":
			fallbacks++
			if !strings.Contains(info.GPUFailure, call) || len(told) != 1 ||
				!strings.Contains(told[0], info.GPUFailure) {
				t.Errorf("call %d (%s): told %q, failure %q", n, call, told, info.GPUFailure)
			}
			if n%4 > 0 {
				continue
			}
			if _, _, _, _, err := attempt("gpu", cudriver.FailAt(n, cudriver.OutOfMemory)); !errors.Is(err,
				gpusolve.ErrDevice) || !errors.Is(err, cudriver.ErrOutOfMemory) {
				t.Errorf("call %d (%s) with a GPU demanded: %v", n, call, err)
			}
		}
	}
	// All but what close gives back, and what nothing depends on.
	if fallbacks < len(calls)/2 {
		t.Errorf("%d of %d failures led to the processor", fallbacks, len(calls))
	}
}

// A machine without a GPU is as it should be: nothing to tell.
func TestAutoIsSilentWithoutAGPU(t *testing.T) {
	drv := cudriver.Faulty(devices.Machine(interpreter.Options{}), cudriver.FailAt(0, cudriver.NoDevice))
	o := device.Options{Driver: drv, Notice: func(text string) { t.Error(text) }}
	dev, info, err := o.Open(device.Demand{Cells: manySteps})
	if err != nil || info.Kind != "cpu" || info.GPUFailure != "" {
		t.Fatalf("%+v, %v", info, err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

// A GPU with too little memory is one that fails: what is free shows only when it is open.
func TestAutoTellsOfAGPUThatIsTooSmall(t *testing.T) {
	told := ""
	o := device.Options{Driver: devices.Machine(interpreter.Options{Memory: 1 << 20}), Notice: func(text string) {
		told = text
	}}
	dev, info, err := o.Open(device.Demand{Cells: 2e6, Memory: func(int64) int64 { return 100e6 }})
	if err != nil || info.Kind != "cpu" || !strings.Contains(told, "needs 0.1 GB") ||
		!strings.Contains(info.GPUFailure, "needs 0.1 GB") {
		t.Fatalf("%+v, %q, %v", info, told, err)
	}
	dev.Close()
	o.Device = "gpu"
	if _, _, err := o.Open(device.Demand{Cells: 2e6, Memory: func(int64) int64 {
		return 100e6
	}}); !errors.Is(err, gpusolve.ErrDevice) {
		t.Errorf("a GPU was demanded: %v", err)
	}
}

// Matrices go the same way.
func TestAutoLoadsAMatrixWithoutAGPUThatFails(t *testing.T) {
	const n = 2e6
	a := &sparse.CSR{RowPtr: make([]int64, n+1), Col: make([]int32, n), Val: make([]float64, n)}
	for i := range a.Col {
		a.RowPtr[i+1], a.Col[i], a.Val[i] = int64(i+1), int32(i), 2
	}
	m := &matrix.Matrix{Rows: a, Symmetric: true, Dominant: true, Entries: n}
	drv := cudriver.Faulty(devices.Machine(interpreter.Options{NoRaces: true}),
		cudriver.FailNth("cuMemAlloc", 2, cudriver.OutOfMemory))
	s, err := matrix.Open(m, gpusolve.Options{Driver: drv, Preconditioner: "jacobi"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Info.Kind != "cpu" || !strings.Contains(s.Info.GPUFailure, "cuMemAlloc") {
		t.Errorf("%+v", s.Info)
	}
}
