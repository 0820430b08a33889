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

// One multiprocessor has more values than its threads read at a time.
func TestStepsOfLongVectorsOnInterpreter(t *testing.T) {
	opstest.Krylov(t, devices.OnInterpreter(interpreter.Options{SMs: 1}), [3]int{41, 29, 7})
}
