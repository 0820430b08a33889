package multigrid

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// On gives the operations on a mesh's system.
func On(s ops.System) (Operations, error) {
	return precond.On(s, "multigrid", onRanks, onHost, cooledOnGPU, onGPU)
}
