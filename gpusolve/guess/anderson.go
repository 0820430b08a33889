// Package guess makes better starts of the states before: for the next system of a nonlinear iteration, and for the
// next step in time.
package guess

import (
	"math"

	"thermsim/gpusolve/ops"
)

// Anderson accelerates a fixed-point iteration x' = G(x) by Anderson's method (D. G. Anderson, Iterative procedures for
// nonlinear integral equations, J. ACM 12 (1965) 547; in this form H. F. Walker and P. Ni, SIAM J. Numer. Anal. 49
// (2011) 1715): with f = G(x) - x and its last changes df_i, which went with changes dG_i, the next x is G - sum c_i
// dG_i with the c_i that make f - sum c_i df_i smallest. Depth 2 keeps two changes.
//
// What a change of x does to G depends little on the right-hand side: changes are kept from one time step to the next,
// whose first iteration they speed up already.
type Anderson struct {
	on    ops.System
	f, g  ops.Vector // of the last x; while G is sought, f holds x
	last  bool       // f and g are of this system
	spare ops.Vector
	pairs [Depth]pair // the latest first
	held  int
	gram  [3]float64 // df_0 . df_0, df_0 . df_1, df_1 . df_1

	paired bool // the latest change is of this system
	Rested bool // the last solve began with a state that is not mixed
	// how often mixing made a state of this system worse, and the solves for which it is left out since
	setbacks, rest int
}

// pair is a change of f and of G.
type pair struct{ f, g ops.Vector }

const Depth = 2

func NewAnderson(on ops.System) (*Anderson, error) {
	a := &Anderson{on: on}
	vectors := []*ops.Vector{&a.f, &a.g, &a.spare}
	for i := range a.pairs {
		vectors = append(vectors, &a.pairs[i].f, &a.pairs[i].g)
	}
	for _, v := range vectors {
		var err error
		if *v, err = on.New64(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Begin takes up another system.
func (a *Anderson) Begin() { a.last, a.paired, a.setbacks, a.rest = false, false, 0, 0 }

// Before keeps the state that a solve starts from.
func (a *Anderson) Before(x ops.Vector) { a.on.Combine(a.spare, 1, x, 0, x) }

// After takes what became of it, and mixes. worse says that the step was longer than the one before.
func (a *Anderson) After(x ops.Vector, worse bool) {
	on := a.on
	on.Combine(a.spare, 1, x, -1, a.spare)
	a.Rested = a.rest > 0
	a.pause(worse)
	if a.last && a.rest == 0 {
		oldest := a.pairs[Depth-1]
		copy(a.pairs[1:], a.pairs[:Depth-1])
		a.pairs[0] = oldest
		a.held = min(a.held+1, Depth)
		a.paired = true
		on.Combine(oldest.f, 1, a.spare, -1, a.f)
		on.Combine(oldest.g, 1, x, -1, a.g)
		a.measure()
	}
	a.f, a.spare = a.spare, a.f
	on.Combine(a.g, 1, x, 0, x)
	a.last = true
	if a.rest > 0 {
		a.rest--
		return
	}
	for i, c := range a.weights() {
		if c != 0 {
			on.Combine(x, 1, x, -c, a.pairs[i].g)
		}
	}
}

// pause stops mixing where it led to a longer step in the same direction. Mixing aims at the shortest step, and can
// return to it repeatedly where a hotter face loses hardly more heat; plain steps move past that point. Each pause is
// twice as long as the one before. It ends where plain steps reverse: they overshoot the solution, which mixing
// corrects.
func (a *Anderson) pause(worse bool) {
	if !a.last || !worse && a.rest == 0 {
		return
	}
	product, _ := a.on.Inner(a.spare, a.f)
	switch onward := product > 0; {
	case !onward:
		a.rest = 0
	case a.rest == 0:
		a.setbacks++
		a.rest = 1 << a.setbacks
		a.held, a.paired = 0, false
	}
}

// Contraction is how far the last change of x changed G, the Euclidean norm of one over that of the other; ok is false
// before there are two systems of a step.
func (a *Anderson) Contraction() (rho float64, ok bool) {
	if !a.paired {
		return 0, false
	}
	p := &a.pairs[0]
	gg, _ := a.on.Inner(p.g, p.g)
	gf, _ := a.on.Inner(p.g, p.f)
	moved := gg - 2*gf + a.gram[0] // dx = dG - df
	return math.Sqrt(gg / moved), gg > 0 && moved > 0
}

// most bounds the weights: beyond it the changes say nothing about f.
const most = 10

// weights make f less the sum of the changes smallest.
func (a *Anderson) weights() (c [Depth]float64) {
	if a.held == 0 {
		return c
	}
	b1, _ := a.on.Inner(a.f, a.pairs[0].f)
	d11, d12, d22 := a.gram[0], a.gram[1], a.gram[2]
	if !(d11 > 0) {
		return c
	}
	if a.held > 1 {
		b2, _ := a.on.Inner(a.f, a.pairs[1].f)
		if det := d11*d22 - d12*d12; det > 1e-8*d11*d22 {
			c[0], c[1] = (b1*d22-b2*d12)/det, (b2*d11-b1*d12)/det
			if math.Abs(c[0]) < most && math.Abs(c[1]) < most {
				return c
			}
		}
	}
	return [Depth]float64{math.Max(-most, math.Min(most, b1/d11))}
}

// measure forms the products of the latest change of f with itself and the one before.
func (a *Anderson) measure() {
	a.gram[2] = a.gram[0]
	a.gram[0], _ = a.on.Inner(a.pairs[0].f, a.pairs[0].f)
	if a.held > 1 {
		a.gram[1], _ = a.on.Inner(a.pairs[0].f, a.pairs[1].f)
	}
}
