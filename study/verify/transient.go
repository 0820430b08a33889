package verify

import (
	"context"
	"math"

	"thermsim/stack"
	"thermsim/study/verify/analytic"
)

func (s solver) transientCases() []Case {
	return []Case{
		{"lumped-transient", "a body of one cell heated from the ambient, 1000 steps of tau/1000; 1 - exp(-t/tau)",
			s.lumped},
		{"slab-transient", "a slab that cools from a uniform rise, 1000 steps of tau/1000; eigenfunction series",
			s.slabTransient},
		{"slab-transient-order", "the same slab with steps of tau/50 and tau/100: first order in the step",
			s.slabTransientOrder},
	}
}

func (s solver) lumped(ctx context.Context) (Result, error) {
	const side, thickness, k, c, h, watts = 2e-3, 50e-6, 400, 3.4e6, 100, 0.1
	st := newStack("lumped body", side, side, 1, 1)
	l := addLayer(st, "body", thickness, 1, isotropic(k), c)
	l.Powers = []stack.Power{uniformPower(watts, st.Domain())}
	st.Boundary[stack.Top] = convection(h)
	r := (1/float64(h) + thickness/(2*k)) / (side * side)
	capacity := c * side * side * thickness
	tau := r * capacity
	f, err := s.transient(ctx, st, 1000, tau/1000)
	if err != nil {
		return Result{}, err
	}
	var w worst
	want := analytic.LumpedRise(watts, r, capacity, tau)
	w.add(f.at(0, 0, 0), want, want)
	return w.result("rise after one time constant", "K", 1e-3), nil
}

// cooling is the slab of the transient cases, at Bi = 1.
var cooling = analytic.Cooling{L: 1e-3, K: 10, C: 2e6, H: 1e4}

// coolingError is the relative error at z = 0 after one time constant in the given number of steps, with the compared
// values.
func (s solver) coolingError(ctx context.Context, steps int) (w worst, err error) {
	const initial, cells = 80, 64 // the grid's own error is 2e-5
	st := newStack("cooling slab", 1e-3, 1e-3, 2, 2)
	addLayer(st, "slab", cooling.L, cells, isotropic(cooling.K), cooling.C)
	st.Boundary[stack.Top] = convection(cooling.H)
	st.Transient.Initial = ambient + initial
	tau := cooling.TimeConstant()
	f, err := s.transient(ctx, st, steps, tau/float64(steps))
	if err != nil {
		return w, err
	}
	want := initial * cooling.Rise((f.Z[0]+f.Z[1])/2, tau)
	w.add(f.at(1, 1, 0), want, want)
	return w, nil
}

func (s solver) slabTransient(ctx context.Context) (Result, error) {
	w, err := s.coolingError(ctx, 1000)
	if err != nil {
		return Result{}, err
	}
	return w.result("rise at the adiabatic face after one time constant", "K", 1e-3), nil
}

func (s solver) slabTransientOrder(ctx context.Context) (Result, error) {
	var w [2]worst
	for i, steps := range []int{50, 100} {
		var err error
		if w[i], err = s.coolingError(ctx, steps); err != nil {
			return Result{}, err
		}
	}
	r := w[1].result("rise at the adiabatic face after one time constant, finest step", "K", 0.01)
	r.Order, r.WantOrder, r.OrderTolerance = math.Log2(w[0].err/w[1].err), 1, 0.05
	return r.judge(), nil
}
