package mixed_test

import (
	"testing"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ptx"
)

func onHost(testing.TB) ops.Device { return host.Open() }

// onDriver opens GPUs of a driver.
func onDriver(open func() (cu.Driver, error)) func(testing.TB) ops.Device {
	return func(t testing.TB) ops.Device {
		t.Helper()
		drv, err := open()
		if err != nil {
			t.Skipf("needs a GPU: %v", err)
		}
		d, err := cuda.Open(drv, 0)
		if err != nil {
			t.Skipf("needs a GPU: %v", err)
		}
		t.Cleanup(d.Bind())
		return d
	}
}

func onInterpreter(o ptx.Options) func(testing.TB) ops.Device {
	return onDriver(func() (cu.Driver, error) { return ptx.New(o), nil })
}

// fewRows refuses more than two blocks along y and z: almost all grids have more rows or planes.
func fewRows() ptx.Options { return ptx.Options{GridRows: 2, Cache: new(ptx.Cache), NoRaces: true} }

// onGPU skips the test where there is none.
func onGPU(t *testing.T) func(testing.TB) ops.Device {
	open := onDriver(cu.Open)
	open(t).Close()
	return open
}
