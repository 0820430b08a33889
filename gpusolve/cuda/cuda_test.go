package cuda_test

import (
	"testing"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
)

// gpu opens the first GPU, or skips the test.
func gpu(t testing.TB) *cuda.Device {
	t.Helper()
	drv, err := cu.Open()
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	d, err := cuda.Open(drv, 0)
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	return d
}

func TestConformanceOnGPU(t *testing.T) {
	gpu(t).Close()
	opstest.Run(t, func(t testing.TB) ops.Device {
		d := gpu(t)
		t.Cleanup(d.Bind())
		return d
	})
}

func TestMatricesOnGPU(t *testing.T) {
	gpu(t).Close()
	opstest.Matrices(t, func(t testing.TB) ops.Device {
		d := gpu(t)
		t.Cleanup(d.Bind())
		return d
	})
}
