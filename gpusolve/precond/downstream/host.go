package downstream

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// hostBound are the operations of the bound on the processor.
type hostBound struct {
	*host.Conductances
	far      [][]float32
	cavities []*mesh.Cavity
}

func onHost(s ops.System) (operations, bool) {
	c, ok := host.ConductancesOf(s)
	if !ok {
		return nil, false
	}
	p := &hostBound{Conductances: c}
	p.far, p.cavities, ok = c.Cooling()
	return p, ok
}
