package cuda_test

import (
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/ptx"
)

// interpreted opens the interpreter of PTX as a GPU.
func interpreted(t testing.TB) (*cuda.Device, *ptx.Machine) {
	t.Helper()
	m := ptx.New(ptx.Options{})
	d, err := cuda.Open(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d, m
}

func TestConformanceOnInterpreter(t *testing.T) {
	opstest.Run(t, func(t testing.TB) ops.Device {
		d, _ := interpreted(t)
		t.Cleanup(d.Bind())
		return d
	})
}

func TestMatricesOnInterpreter(t *testing.T) {
	opstest.Matrices(t, func(t testing.TB) ops.Device {
		d, _ := interpreted(t)
		t.Cleanup(d.Bind())
		return d
	})
}
