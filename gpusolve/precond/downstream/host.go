package downstream

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// parts are the operations of the bound on the processor.
type parts struct {
	*host.Conductances
	far      [][]float32
	cavities []*mesh.Cavity
}

func onHost(s ops.System) (p *parts, ok bool) {
	c, ok := host.ConductancesOf(s)
	if !ok {
		return nil, false
	}
	p = &parts{Conductances: c}
	p.far, p.cavities, ok = c.Cooling()
	return p, ok
}

// lines is the number of lines of coolant.
func (p *parts) lines() int {
	n := 0
	for _, c := range p.cavities {
		for _, wet := range c.Lines {
			if wet {
				n++
			}
		}
	}
	return n
}
