package cuda_test

import (
	"testing"

	"thermsim/gpusolve/interpreter"
	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/opstest/devices"
)

func TestConformanceOnInterpreter(t *testing.T) {
	opstest.Run(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestMatricesOnInterpreter(t *testing.T) {
	opstest.Matrices(t, devices.OnInterpreter(interpreter.Options{}))
}
