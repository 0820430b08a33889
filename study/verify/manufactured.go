package verify

import (
	"context"
	"math"

	"thermsim/stack"
	"thermsim/study/verify/analytic"
)

// chosen is the field that the manufactured case must reproduce.
var chosen = analytic.Manufactured{A: 4e-3, B: 3e-3, L: 0.5e-3, K: [3]float64{20, 50, 10}, Mu: 1.2, Amplitude: 0.4}

func (s solver) manufacturedCases() []Case {
	return []Case{{"manufactured", "cosines in x, y, z in an orthotropic block, sources in every cell: second order " +
		"in the grid", s.manufactured}}
}

func (s solver) manufactured(ctx context.Context) (Result, error) {
	var w [3]worst
	for level := range w {
		f, err := s.steady(ctx, manufacturedStack(chosen, 1<<level))
		if err != nil {
			return Result{}, err
		}
		largest := chosen.Rise(0, 0, 0)
		f.each(func(c [3]float64, rise float64) { w[level].add(rise, chosen.Rise(c[0], c[1], c[2]), largest) })
	}
	r := w[2].result("rise of the worst cell on the finest grid, relative to the hottest", "K", 1e-3)
	r.Order, r.WantOrder, r.OrderTolerance = math.Log2(w[1].err/w[2].err), 2, 0.1
	return r.judge(), nil
}

// manufacturedStack makes each plane a layer with a separate power map: the watts of every cell, integrated in closed
// form.
func manufacturedStack(m analytic.Manufactured, refine int) *stack.Stack {
	nx, ny, nz := 8*refine, 6*refine, 5*refine
	st := newStack("manufactured solution", m.A, m.B, nx, ny)
	st.Boundary[stack.Top] = convection(m.H())
	edge := func(length float64, i, n int) float64 { return length * float64(i) / float64(n) }
	for k := range nz {
		watts := make([]float64, nx*ny)
		for j := range ny {
			for i := range nx {
				watts[j*nx+i] = m.Watts(
					[3]float64{edge(m.A, i, nx), edge(m.B, j, ny), edge(m.L, k, nz)},
					[3]float64{edge(m.A, i+1, nx), edge(m.B, j+1, ny), edge(m.L, k+1, nz)})
			}
		}
		l := addLayer(st, "block", m.L/float64(nz), 1, m.K, 1e6)
		l.Powers = []stack.Power{mapPower(st, nx, ny, watts)}
	}
	return st
}
