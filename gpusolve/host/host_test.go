package host_test

import (
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/opstest"
)

func TestConformance(t *testing.T) {
	opstest.Run(t, func(testing.TB) ops.Device { return host.Open() })
}

func TestMatrices(t *testing.T) {
	opstest.Matrices(t, func(testing.TB) ops.Device { return host.Open() })
}
