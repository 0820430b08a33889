package autogrid

import (
	"context"
	"math"

	"thermsim/converge"
	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// pilot is what three small solves tell of a family of grids: its first grid, and that with every cell cut in two along x and y, and along z.
type pilot struct {
	cells   [3]int
	rise    float64   // K, the largest, over the ambient
	lateral float64   // K, error of the first grid from the cells' widths
	height  float64   // K, that from their heights
	layers  []float64 // K, how the latter divides over the layers
}

// Richardson's error of the coarser of two grids is 4/3 of the change for a scheme of the second order; safety as in docs/converge.md.
const (
	richardson = 4.0 / 3
	safety     = 1.25
)

// pilots solves on the processor, so that every machine sees the same temperatures. s is on the first grid of the family.
func pilots(ctx context.Context, s *stack.Stack, tol float64) (*pilot, error) {
	p := &pilot{}
	finer := [3][2]bool{{false, false}, {true, false}, {false, true}}
	var maxima [3][]float64
	for n, cut := range finer {
		refined, err := converge.RefineAlong(s, cut[0], cut[1])
		if err != nil {
			return nil, err
		}
		m, err := mesh.Build(refined)
		if err != nil {
			return nil, err
		}
		p.cells[n] = m.Cells()
		sol, err := gpusolve.Steady(ctx, m, gpusolve.Options{Device: "cpu", Tol: tol})
		if err != nil {
			return nil, err
		}
		maxima[n], err = converge.Maxima(m, sol.Field)
		if err == nil && n == 0 {
			p.layers, err = curvature(m, sol.Field)
		}
		sol.Close()
		if err != nil {
			return nil, err
		}
	}
	p.rise = maxima[1][0] - coldest(s)
	p.lateral = safety * richardson * largestChange(maxima[0], maxima[1])
	p.height = safety * richardson * largestChange(maxima[0], maxima[2])
	p.share()
	return p, nil
}

// share makes the layers' parts add up to the error that was seen. Parts of two layers may cancel there and not on another grid: a tenth of their sum
// counts at least.
func (p *pilot) share() {
	sum := 0.0
	for _, e := range p.layers {
		sum += e
	}
	p.height = max(p.height, sum/10)
	for l := range p.layers {
		if sum > 0 {
			p.layers[l] *= p.height / sum
		}
	}
}

func largestChange(a, b []float64) float64 {
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(b[i]-a[i]))
	}
	return most
}

// coldest temperature that drives the stack, in K.
func coldest(s *stack.Stack) float64 {
	least := math.Inf(1)
	for f := range s.Boundary {
		if b := &s.Boundary[f]; b.Kind != stack.Adiabatic && b.Kind != stack.HeatFlux {
			least = min(least, b.Temperature)
		}
	}
	if math.IsInf(least, 1) {
		return s.Ambient
	}
	return least
}
