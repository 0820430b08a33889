package multigrid

import (
	"errors"

	"thermsim/gpusolve/ops"
)

// On gives the operations on a mesh's system.
func On(s ops.System) (Operations, error) {
	if d, ok := s.(ops.Distributed); ok {
		return onRanks(d)
	}
	if o, ok := onHost(s); ok {
		return o, nil
	}
	if o, ok := cooledOnGPU(s); ok {
		return o, nil
	}
	if o, ok := onGPU(s); ok {
		return o, nil
	}
	return nil, errors.New("this device has no multigrid operations")
}
