package cuda_test

import (
	"testing"

	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

func TestConformanceOnInterpreter(t *testing.T) {
	opstest.Run(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestMatricesOnInterpreter(t *testing.T) {
	opstest.Matrices(t, devices.OnInterpreter(interpreter.Options{}))
}
