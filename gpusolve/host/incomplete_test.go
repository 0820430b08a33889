package host_test

import (
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
)

func TestIncomplete(t *testing.T) {
	opstest.Incomplete(t, func(testing.TB) ops.Device { return host.Open() })
}
