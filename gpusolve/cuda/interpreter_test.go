package cuda_test

import (
	"testing"

	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/opstest/devices"
	"thermsim/gpusolve/ptx"
)

func TestConformanceOnInterpreter(t *testing.T) {
	opstest.Run(t, devices.OnInterpreter(ptx.Options{}))
}
func TestMatricesOnInterpreter(t *testing.T) {
	opstest.Matrices(t, devices.OnInterpreter(ptx.Options{}))
}
