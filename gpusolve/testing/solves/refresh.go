package solves

import (
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

// Executors to refresh on: the processor, and a GPU's kernels on the interpreter.
func Executors(t *testing.T) map[string]func() ops.Device {
	return map[string]func() ops.Device{
		"host":        func() ops.Device { return host.Open() },
		"interpreter": func() ops.Device { return devices.Interpreter(t, interpreter.Options{NoRaces: true}) },
	}
}
