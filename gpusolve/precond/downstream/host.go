package downstream

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// hostOperations are the operations of the method on the processor.
type hostOperations struct {
	*host.Conductances
	far      [][]float32
	cavities []*mesh.Cavity
	streams  []stream // of cavities with central differences
	elements elementsTask
}

func onHost(s ops.System) (o operations, ok bool, err error) {
	c, ok := host.ConductancesOf(s)
	if !ok {
		return nil, false, nil
	}
	p := &hostOperations{Conductances: c}
	if p.far, p.cavities, ok = c.Cooling(); !ok {
		return nil, false, nil
	}
	for _, v := range p.cavities {
		if v.Of.Central {
			p.streams = append(p.streams, newStream(p, v))
		}
	}
	return p, true, p.factor()
}

// factor takes the entries of the lines from the operator again.
func (p *hostOperations) factor() error {
	for n := range p.streams {
		p.streams[n].factor(p)
	}
	return nil
}
