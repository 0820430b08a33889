package downstream

import (
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// diagonal fills v with that of the operator.
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

// dominates says whether w and A w are positive, and A w at least the firm part of the diagonal.
func (p *hostOperations) dominates(product, diagonal, weight ops.Vector) bool {
	a, d, w := host.Doubles(product), host.Doubles(diagonal), host.Doubles(weight)
	for c, v := range a {
		if !(v > 0 && v >= firm*d[c] && w[c] > 0) {
			return false
		}
	}
	return true
}

// scale sets d to product / max weight.
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

// most is the largest |r_i|/d_i.
func (p *hostOperations) most(r, d ops.Vector) float64 {
	weight := host.Doubles(d)
	top := 0.0
	for c, v := range host.Doubles(r) {
		top = math.Max(top, math.Abs(v)/weight[c]) // keeps what is not a number
	}
	return top
}

// largest is the largest magnitude.
func (p *hostOperations) largest(v ops.Vector) float64 {
	top := 0.0
	for _, x := range host.Singles(v) {
		top = math.Max(top, math.Abs(float64(x)))
	}
	return top
}
