package verify

import (
	"context"
	"math"
	"sync"

	"thermsim/stack"
	"thermsim/study/verify/analytic"
)

// spreading is a plate with a centered rectangular source on its top face, convection on the far one. One quarter is
// solved: its inner sides are planes of symmetry.
type spreading struct {
	plate  analytic.Plate
	source analytic.Source
	// inside and outside are the coarsest grid's cells along each axis within the quarter source and beyond it; planes
	// are its cells per sheet. Each refinement doubles them all.
	inside, outside int
	planes          []int
}

var onePlate = spreading{
	plate:  analytic.Plate{A: 10e-3, B: 10e-3, H: 1e4, Sheets: []analytic.Sheet{{Thickness: 1e-3, K: isotropic(20)}}},
	source: analytic.Source{X: 5e-3, Y: 5e-3, Width: 2e-3, Height: 2e-3, Watts: 4},
	inside: 5, outside: 20, planes: []int{5},
}

var twoPlates = spreading{
	plate: analytic.Plate{A: 10e-3, B: 10e-3, H: 2e4, Sheets: []analytic.Sheet{
		{Thickness: 200e-6, K: isotropic(398)}, {Thickness: 300e-6, K: isotropic(1.1)}}},
	source: analytic.Source{X: 5e-3, Y: 5e-3, Width: 2.85e-3, Height: 2.85e-3, Watts: 1.33},
	inside: 12, outside: 30, planes: []int{3, 4},
}

var orthotropicPlates = spreading{
	plate: analytic.Plate{A: 12e-3, B: 8e-3, H: 8e3, Sheets: []analytic.Sheet{
		{Thickness: 200e-6, K: [3]float64{90, 40, 15}, Contact: 3e-6},
		{Thickness: 400e-6, K: [3]float64{5, 20, 2}}}},
	source: analytic.Source{X: 6e-3, Y: 4e-3, Width: 3e-3, Height: 2e-3, Watts: 2},
	inside: 10, outside: 30, planes: []int{3, 4},
}

// rises over the source, in K.
type rises struct{ mean, center float64 }

func (s solver) spreadingCases() []Case {
	var cases []Case
	for _, p := range []struct {
		name, what string
		spreading
	}{
		{"source-one-layer", "2 x 2 mm source on 10 x 10 x 1 mm, k 20, h 1e4", onePlate},
		{"source-two-layers", "2.85 mm square source on 200 um k 398 over 300 um k 1.1, h 2e4", twoPlates},
		{"source-orthotropic", "3 x 2 mm source on two orthotropic layers of 12 x 8 mm with a contact " +
			"resistance, h 8e3", orthotropicPlates},
	} {
		shared := &levels{solver: s, spreading: p.spreading}
		cases = append(cases,
			Case{p.name + "-mean", p.what + "; cosine series, mean over the source",
				func(ctx context.Context) (Result, error) {
					want := p.plate.MeanRise(p.source, 400)
					return shared.extrapolated(ctx, "mean rise of the source, extrapolated", want, true,
						func(r rises) float64 { return r.mean })
				}},
			Case{p.name + "-centre", p.what + "; cosine series, center of the source",
				func(ctx context.Context) (Result, error) {
					want := p.plate.Rise(p.source, p.source.X, p.source.Y, 400)
					return shared.extrapolated(ctx, "rise at the center of the source, extrapolated", want, false,
						func(r rises) float64 { return r.center })
				}})
	}
	return cases
}

// levels are the solutions on three grids, computed once for the two cases that use them.
type levels struct {
	solver
	spreading
	mu   sync.Mutex
	done []rises
}

func (l *levels) solve(ctx context.Context) ([]rises, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.done) < 3 {
		r, err := l.solveQuarter(ctx, l.spreading, 1<<len(l.done))
		if err != nil {
			return nil, err
		}
		l.done = append(l.done, r)
	}
	return l.done, nil
}

// extrapolated compares Richardson's extrapolation on three grids with the series.
//
// A point away from the source's edge converges as h^2, and one step, (4 fine - coarse)/3, removes that. The mean over
// the source feels the edge, where the flux jumps and the temperature behaves as r ln r: its error is h^2 (a + b ln h).
// For it the first step leaves pure h^2, from which the order is read, and a second step removes that.
func (l *levels) extrapolated(ctx context.Context, quantity string, want float64, feelsEdge bool,
	pick func(rises) float64) (Result, error) {
	all, err := l.solve(ctx)
	if err != nil {
		return Result{}, err
	}
	v := [3]float64{pick(all[0]), pick(all[1]), pick(all[2])}
	coarse, fine := (4*v[1]-v[0])/3, (4*v[2]-v[1])/3
	order := math.Log2((v[1] - want) / (v[2] - want))
	value := fine
	if feelsEdge {
		order = math.Log2((coarse - want) / (fine - want))
		value = (4*fine - coarse) / 3
	}
	var w worst
	w.add(value, want, want)
	r := w.result(quantity, "K", 2e-5)
	r.Order, r.WantOrder, r.OrderTolerance = order, 2, 0.1
	return r.judge(), nil
}

// quarter is the stack of one quarter with its symmetry planes at x = 0 and y = 0, upside up: the source lies on top.
func (p spreading) quarter(refine int) *stack.Stack {
	st := newStack("source on a plate", p.plate.A/2, p.plate.B/2, 0, 0)
	axis := func(length, source float64) stack.Axis {
		in, out := refine*p.inside, refine*p.outside
		return stack.Axis{Cells: in + out, Segments: []stack.Segment{
			{To: source / 2, Cells: in, Ratio: 1}, {To: length / 2, Cells: out, Ratio: 1}}}
	}
	st.Grid.X = axis(p.plate.A, p.source.Width)
	st.Grid.Y = axis(p.plate.B, p.source.Height)
	st.Boundary[stack.Bottom] = convection(p.plate.H)
	for i := len(p.plate.Sheets) - 1; i > 0; i-- {
		l := addLayer(st, "plate", p.plate.Sheets[i].Thickness, refine*p.planes[i], p.plate.Sheets[i].K, 1e6)
		l.ContactResistance = p.plate.Sheets[i-1].Contact
	}
	// A flux through the surface enters the cells below it: a layer of one cell carries the power.
	top := p.plate.Sheets[0]
	cells := refine * p.planes[0]
	dz := top.Thickness / float64(cells)
	addLayer(st, "top", top.Thickness-dz, cells-1, top.K, 1e6)
	l := addLayer(st, "surface", dz, 1, top.K, 1e6)
	l.Powers =
		[]stack.Power{
			uniformPower(p.source.Watts/4, stack.Rect{Width: p.source.Width / 2, Height: p.source.Height / 2})}
	return st
}

func (s solver) solveQuarter(ctx context.Context, p spreading, refine int) (rises, error) {
	f, err := s.steady(ctx, p.quarter(refine))
	if err != nil {
		return rises{}, err
	}
	k := f.NZ() - 1
	dz := f.Z[k+1] - f.Z[k]
	flux := p.source.Watts / (p.source.Width * p.source.Height)
	surface := flux * dz / (2 * p.plate.Sheets[0].K[2]) // from the top cells' centers up to the surface
	n := refine * p.inside
	mean := 0.0
	for j := range n {
		for i := range n {
			mean += f.at(i, j, k) / float64(n*n) // equal cells
		}
	}
	// The center is a corner of the quarter. The field is even in x and y, so a + b x^2 through the cells at dx/2 and
	// 3dx/2 gives a = (9 T1 - T2)/8, to fourth order.
	even := func(t1, t2 float64) float64 { return (9*t1 - t2) / 8 }
	center := even(even(f.at(0, 0, k), f.at(1, 0, k)), even(f.at(0, 1, k), f.at(1, 1, k)))
	return rises{mean + surface, center + surface}, nil
}
