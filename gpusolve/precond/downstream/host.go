package downstream

import (
	"math"

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

func (p *hostOperations) factor() error {
	for n := range p.streams {
		p.streams[n].factor(p)
	}
	return nil
}

func (p *hostOperations) diagonal(v ops.Vector) {
	d := host.Doubles(v)
	sheet := p.NX * p.NY
	for k := range p.NZ {
		p.conducted(d[k*sheet:(k+1)*sheet], k)
	}
	for _, v := range p.cavities {
		for c := range sheet {
			w := v.Carry(c%p.NX, c/p.NX, p.NX, p.NY)
			d[v.Fluid*sheet+c] += w.Heat * w.Own
		}
	}
}

// conducted fills d with the diagonal in plane k except what is carried.
func (p *hostOperations) conducted(d []float64, k int) {
	for j := range p.NY {
		p.Diagonal(d[j*p.NX:(j+1)*p.NX], k, j)
	}
	for _, from := range [2]int{k, k - 2} {
		if from < 0 || p.far[from] == nil {
			continue
		}
		for c, g := range p.far[from] {
			d[c] += float64(g)
		}
	}
}

func (p *hostOperations) raised(to, r, d ops.Vector, share float64) {
	sum, from, more := host.Singles(to), host.Doubles(r), host.Doubles(d)
	p.each(len(sum), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			sum[c] = float32(math.Abs(from[c]) + share*more[c])
		}
	})
}

func (p *hostOperations) dominates(product, d, weight ops.Vector, share float64) bool {
	a, least, w := host.Doubles(product), host.Doubles(d), host.Doubles(weight)
	for c, v := range a {
		if !(v > 0 && v >= share*least[c] && w[c] > 0) {
			return false
		}
	}
	return true
}

func (p *hostOperations) scale(d, weight, product ops.Vector) {
	to, w, a := host.Doubles(d), host.Doubles(weight), host.Doubles(product)
	top := 0.0
	for _, v := range w {
		top = math.Max(top, v)
	}
	for c, v := range a {
		to[c] = v / top
	}
}

func (p *hostOperations) most(r, d ops.Vector) float64 {
	weight := host.Doubles(d)
	top := 0.0
	for c, v := range host.Doubles(r) {
		top = math.Max(top, math.Abs(v)/weight[c]) // keeps what is not a number
	}
	return top
}

func (p *hostOperations) largest(v ops.Vector) float64 {
	top := 0.0
	for _, x := range host.Singles(v) {
		top = math.Max(top, math.Abs(float64(x)))
	}
	return top
}

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

func (p *hostOperations) narrow(dst, v ops.Vector) {
	to, from := host.Singles(dst), host.Doubles(v)
	p.each(len(to), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			to[c] = float32(from[c])
		}
	})
}

func (p *hostOperations) add(z, v ops.Vector) {
	to, from := host.Doubles(z), host.Singles(v)
	p.each(len(to), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			to[c] += float64(from[c])
		}
	})
}

func (p *hostOperations) sweep(z, t ops.Vector) {
	for n := range p.streams {
		p.streams[n].solve(p, host.Doubles(z), host.Doubles(t))
	}
}
