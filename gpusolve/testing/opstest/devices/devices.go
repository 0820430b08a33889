// Package devices opens what the tests of operations run on: the processor, the interpreter of PTX, and the first GPU.
package devices

import (
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/interpreter"
)

// Processor opens the executor in Go.
func Processor(testing.TB) ops.Device { return host.Open() }

// decoded keeps the kernels of all machines of a package's tests.
var decoded interpreter.Cache

// Machine makes a machine that shares its decoded kernels with all others of the package's tests.
func Machine(o interpreter.Options) *interpreter.Machine {
	o.Cache = &decoded
	return interpreter.New(o)
}

// Interpreter opens the interpreter as a GPU. A failure fails the test: it needs nothing that a machine may lack.
func Interpreter(t testing.TB, o interpreter.Options) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(Machine(o), 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// GPU opens the first GPU. The test is skipped where there is none, and fails where one cannot be opened.
func GPU(t testing.TB) *cuda.Device {
	t.Helper()
	drv, err := cudriver.Open()
	if err == nil {
		err = drv.Init()
	}
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	if n, err := drv.DeviceGetCount(); n == 0 {
		t.Skipf("needs a GPU: the driver lists none (%v)", err)
	}
	d, err := cuda.Open(drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// OnInterpreter opens interpreters, current on the goroutine of the test.
func OnInterpreter(o interpreter.Options) func(testing.TB) ops.Device {
	return func(t testing.TB) ops.Device {
		t.Helper()
		return bound(t, Interpreter(t, o))
	}
}

// FewRows refuses more than two blocks along y and z: almost all grids have more rows or planes.
func FewRows() interpreter.Options { return interpreter.Options{GridRows: 2, NoRaces: true} }

// OnGPU opens the first GPU, current on the goroutine of the test; it skips t where there is none.
func OnGPU(t testing.TB) func(testing.TB) ops.Device {
	t.Helper()
	GPU(t).Close()
	return func(t testing.TB) ops.Device {
		t.Helper()
		return bound(t, GPU(t))
	}
}

func bound(t testing.TB, d *cuda.Device) ops.Device {
	t.Cleanup(d.Bind())
	return d
}
