package downstream

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// parts are the operations of the method on the processor.
type parts struct {
	*host.Conductances
	far      [][]float32
	cavities []*mesh.Cavity
	streams  []stream // of cavities with central differences
	elements elementsTask
}

func onHost(s ops.System) (p *parts, ok bool) {
	c, ok := host.ConductancesOf(s)
	if !ok {
		return nil, false
	}
	p = &parts{Conductances: c}
	if p.far, p.cavities, ok = c.Cooling(); !ok {
		return nil, false
	}
	for _, v := range p.cavities {
		if v.Of.Central {
			p.streams = append(p.streams, newStream(p, v))
		}
	}
	p.factor()
	return p, true
}

// factor takes the entries of the lines from the operator again.
func (p *parts) factor() {
	for n := range p.streams {
		p.streams[n].factor(p)
	}
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
