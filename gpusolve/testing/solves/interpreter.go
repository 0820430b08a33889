package solves

import (
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
)

// OnInterpreter opens the CUDA executor on the interpreter of PTX.
func OnInterpreter(t testing.TB, drv cudriver.Driver) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Empty fails the test where anything is left on the device.
func Empty(t testing.TB, m *interpreter.Machine) {
	t.Helper()
	if left := m.Objects(); left != (interpreter.Objects{}) {
		t.Errorf("left on the device: %+v", left)
	}
}
