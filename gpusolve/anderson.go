package gpusolve

import (
	"math"

	"thermsim/gpusolve/ops"
)

// anderson accelerates a fixed-point iteration x' = G(x) by Anderson's method (D. G. Anderson, Iterative procedures for nonlinear integral equations, J. ACM 12
// (1965) 547; H. F. Walker and P. Ni, SIAM J. Numer. Anal. 49 (2011) 1715): the next x is the sum of the last G(x_i), with the weights of sum 1 that make the
// sum of the f_i = G(x_i) - x_i smallest. Depth 2 looks at three of them. Where the iteration contracts well by itself it is left alone.
type anderson struct {
	on     ops.Mixing
	points [depth + 1]point // the latest first
	held   int
	gram   [depth + 1][depth + 1]float64 // f_i . f_j
}

// point is f and G of one x. While G is sought, f holds x.
type point struct{ f, g ops.Vector }

const depth = 2

// slow is the contraction from which on mixing is worth its passes over memory.
const slow = 0.15

// newAnderson makes the vectors: two for each point but for the G of the latest, which is the state itself.
func newAnderson(on ops.Mixing) (*anderson, error) {
	a := &anderson{on: on}
	for i := range a.points {
		p := &a.points[i]
		for _, v := range []*ops.Vector{&p.f, &p.g} {
			var err error
			if *v, err = on.New64(); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

// forget begins another system.
func (a *anderson) forget() { a.held = 0 }

// before keeps the state that a solve starts from.
func (a *anderson) before(x ops.Vector) {
	// The oldest point makes room.
	oldest := a.points[depth]
	copy(a.points[1:], a.points[:depth])
	a.points[0] = oldest
	a.on.Combine(oldest.f, 1, x, 0, x)
}

// after takes what became of it, and mixes where the contraction is slow.
func (a *anderson) after(x ops.Vector, contraction float64) {
	p := a.points[0]
	a.on.Combine(p.f, 1, x, -1, p.f)
	a.on.Combine(p.g, 1, x, 0, x)
	a.held = min(a.held+1, depth+1)
	for i := depth; i > 0; i-- {
		for j := depth; j > 0; j-- {
			a.gram[i][j] = a.gram[i-1][j-1]
		}
	}
	for i := range a.held {
		a.gram[0][i], _ = a.on.Inner(p.f, a.points[i].f)
		a.gram[i][0] = a.gram[0][i]
	}
	if a.held < 2 || contraction < slow {
		return
	}
	w := a.weights()
	a.on.Combine(x, w[0], x, w[1], a.points[1].g)
	if a.held > 2 {
		a.on.Combine(x, 1, x, w[2], a.points[2].g)
	}
}

// weights of sum 1 that make the sum of the f smallest. Where the older points add nothing, they get none.
func (a *anderson) weights() [depth + 1]float64 {
	g := &a.gram
	// In terms of the steps d1 = f0 - f1 and d2 = f1 - f2: minimise |f0 - c1 d1 - c2 d2|.
	b1 := g[0][0] - g[0][1]
	d11 := g[0][0] - 2*g[0][1] + g[1][1]
	if !(d11 > 0) {
		return [depth + 1]float64{1}
	}
	if a.held > 2 {
		b2 := g[0][1] - g[0][2]
		d12 := g[0][1] - g[0][2] - g[1][1] + g[1][2]
		d22 := g[1][1] - 2*g[1][2] + g[2][2]
		if det := d11*d22 - d12*d12; det > 1e-8*d11*d22 {
			c1, c2 := (b1*d22-b2*d12)/det, (b2*d11-b1*d12)/det
			if math.Abs(c1) < 10 && math.Abs(c2) < 10 {
				return [depth + 1]float64{1 - c1, c1 - c2, c2}
			}
		}
	}
	c := math.Max(-10, math.Min(10, b1/d11))
	return [depth + 1]float64{1 - c, c}
}
