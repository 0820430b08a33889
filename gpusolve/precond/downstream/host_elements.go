package downstream

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// blockRows is the length of a block of elementwise work.
const blockRows = 4096

// elementsTask is elementwise work.
type elementsTask struct {
	n    int
	body func(lo, hi int)
}

func (t *elementsTask) Run(lo, hi, _ int) { t.body(lo*blockRows, min(t.n, hi*blockRows)) }

func (p *hostOperations) each(n int, body func(lo, hi int)) {
	p.elements = elementsTask{n, body}
	p.Run(&p.elements, (n+blockRows-1)/blockRows, n)
	p.elements = elementsTask{}
}

// residual sets t = r - y, r being of FP32; a nil y is zero.
func (p *hostOperations) residual(t, r, y ops.Vector) {
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
func (p *hostOperations) narrow(dst, v ops.Vector) {
	to, from := host.Singles(dst), host.Doubles(v)
	p.each(len(to), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			to[c] = float32(from[c])
		}
	})
}

// add adds an FP32 vector to z.
func (p *hostOperations) add(z, v ops.Vector) {
	to, from := host.Doubles(z), host.Singles(v)
	p.each(len(to), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			to[c] += float64(from[c])
		}
	})
}

// sweep adds to z the solution of the coolant's own equations for the residual t.
func (p *hostOperations) sweep(z, t ops.Vector) {
	for n := range p.streams {
		p.streams[n].solve(p, host.Doubles(z), host.Doubles(t))
	}
}
