package downstream

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// parts are the operations of the method on the processor.
type parts struct {
	*host.Conductances
	sys      ops.System
	mesh     *mesh.Mesh
	far      [][]float32
	streams  []stream
	coarse   *coarse
	elements elementsTask
}

func onHost(s ops.System) (relaxed ops.System, o operations, ok bool) {
	far, cavities, ok := host.CoolingOf(s)
	if !ok {
		return nil, nil, false
	}
	c, _ := host.ConductancesOf(s)
	p := &parts{Conductances: c, sys: s, mesh: s.Mesh(), far: far}
	for _, v := range cavities {
		p.streams = append(p.streams, newStream(p, v))
	}
	p.coarse = newCoarse(p)
	relaxed, _ = host.Relaxed(s)
	p.factor()
	return relaxed, p, true
}

// refresh follows changed coefficients.
func (p *parts) refresh(relaxed ops.System) error {
	host.RelaxAgain(relaxed, p.sys)
	p.factor()
	return nil
}

func (p *parts) factor() {
	for n := range p.streams {
		p.streams[n].factor(p)
	}
	p.coarse.factor(p)
}

// blocks is the number of unknowns of the coarse operator.
func (p *parts) blocks() int { return p.coarse.n }

// blockRows is the length of a block of elementwise work.
const blockRows = 4096

// elementsTask is elementwise work.
type elementsTask struct {
	n    int
	body func(lo, hi int)
}

func (t *elementsTask) Run(lo, hi, _ int) { t.body(lo*blockRows, min(t.n, hi*blockRows)) }

func (p *parts) each(n int, body func(lo, hi int)) {
	p.elements = elementsTask{n, body}
	p.Run(&p.elements, (n+blockRows-1)/blockRows, n)
	p.elements = elementsTask{}
}

// subtract sets t = r - y, r being of FP32; a nil y is zero.
func (p *parts) subtract(t, r, y ops.Vector) {
	dst, from := host.Doubles(t), host.Singles(r)
	if y == nil {
		p.each(len(dst), func(lo, hi int) {
			for c := lo; c < hi; c++ {
				dst[c] = float64(from[c])
			}
		})
		return
	}
	minus := host.Doubles(y)
	p.each(len(dst), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			dst[c] = float64(from[c]) - minus[c]
		}
	})
}

// narrow rounds v to FP32.
func (p *parts) narrow(dst, v ops.Vector) {
	to, from := host.Singles(dst), host.Doubles(v)
	p.each(len(to), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			to[c] = float32(from[c])
		}
	})
}

// add adds an FP32 vector to z.
func (p *parts) add(z, v ops.Vector) {
	to, from := host.Doubles(z), host.Singles(v)
	p.each(len(to), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			to[c] += float64(from[c])
		}
	})
}

// sweep adds to z the solution of the coolant's own equations for the residual t.
func (p *parts) sweep(z, t ops.Vector) {
	for n := range p.streams {
		p.streams[n].solve(p, host.Doubles(z), host.Doubles(t))
	}
}

// transport adds to z what the coarse operator gives for the residual t.
func (p *parts) transport(z, t ops.Vector) { p.coarse.correct(p, host.Doubles(z), host.Doubles(t)) }
