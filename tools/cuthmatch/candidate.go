package main

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

const stopW = 1e-6 // ||b - A x||2, the paper's rule

// table is what the paper gives: unknowns and nonzeros to two figures, and the iterations of its Tables III, VI and
// VII.
type table struct {
	unknowns, nonzeros float64
	counts             [4]int
}

var paper = map[int]table{
	1: {5.1e6, 3.4e7, [4]int{1192, 647, 199, 42}},
	2: {8.4e6, 5.6e7, [4]int{1523, 823, 250, 53}},
	3: {1.4e7, 9.4e7, [4]int{1939, 1034, 317, 66}},
	4: {1.8e7, 1.2e8, [4]int{2187, 1150, 351, 74}},
	5: {2.4e7, 1.6e8, [4]int{2493, 1427, 432, 85}},
	6: {2.8e7, 1.9e8, [4]int{2710, 1428, 433, 85}},
	7: {3.5e7, 2.3e8, [4]int{3024, 1593, 482, 98}},
}

// methods in the order of the counts: everything in FP64, factors of the natural order.
var methods = [4]string{"none:precision=fixed-fp64", "jacobi:precision=fixed-fp64", "ic:order=0,precision=fp64",
	"chebyshev:precision=fixed-fp64"}

// candidate is the ten-layer stack of the paper with its upper layers left out: their side of the top face is in h.
type candidate struct {
	Layers  int     `json:"layers"`
	BulkUM  float64 `json:"bulk_um"` // of both dies; 0: the paper's 10 and 200
	WidthMM float64 `json:"width_mm"`
	H       float64 `json:"h_W_per_m2K"`
	PowerW  float64 `json:"power_W"`
}

// row is a candidate at one size. Iterations are in the order CG, Jacobi, IC(0), Chebyshev.
type row struct {
	Commit string `json:"commit"`
	candidate
	Silicon    string  `json:"silicon"` // of the dies, in words
	System     int     `json:"system"`  // CUTh1 or CUTh7
	Cells      int     `json:"cells_along_x_and_y"`
	Unknowns   int     `json:"unknowns"`
	Nonzeros   int     `json:"nonzeros"`
	CG         int     `json:"cg"`
	Jacobi     int     `json:"jacobi"`
	IC         int     `json:"ic"`
	Chebyshev  int     `json:"chebyshev"`
	Distance   float64 `json:"distance"` // the largest relative difference from the paper's counts
	PeakK      float64 `json:"max_K"`
	Methods    string  `json:"methods"`
	SameDigits bool    `json:"same_digits"` // unknowns and nonzeros round to those of the paper
}

func (r row) String() string {
	return fmt.Sprintf("CUTh%d %dx%dx%d, bulk %g um, %g mm, h %g, %g W: %d %d %d %d, off by %.1f %%, %.0f K", r.System,
		r.Cells, r.Cells, r.Layers, r.BulkUM, r.WidthMM, r.H, r.PowerW,
		r.CG, r.Jacobi, r.IC, r.Chebyshev, 100*r.Distance, r.PeakK)
}

// wide covers layers, dies and cooling coarsely.
func wide() []candidate {
	var all []candidate
	for _, layers := range []int{8, 7} {
		for _, width := range []float64{10, 20, 40, 80} {
			for _, h := range []float64{1e3, 1e4, 1e5} {
				all = append(all, candidate{layers, 0, width, h, 100})
			}
		}
	}
	return all
}

// dies varies the silicon of the dies, both alike.
func dies() []candidate {
	var all []candidate
	for _, layers := range []int{8, 7} {
		for _, bulk := range []float64{50, 100, 200} {
			for _, width := range []float64{15, 25} {
				for _, h := range []float64{3e4, 1e5} {
					all = append(all, candidate{layers, bulk, width, h, 120})
				}
			}
		}
	}
	return all
}

// near covers what came near with finer steps.
func near() []candidate {
	var all []candidate
	for _, width := range []float64{25, 24, 26, 22} {
		for _, h := range []float64{1e5, 8e4, 1.2e5} {
			all = append(all, candidate{8, 100, width, h, 120})
		}
	}
	return append(all, candidate{8, 80, 25, 1e5, 120}, candidate{8, 120, 25, 1e5, 120}, candidate{8, 100, 25, 1e5, 60},
		candidate{8, 100, 25, 1e5, 240}, candidate{7, 100, 25, 1e5, 120})
}

// side is the number of cells along x and y of square grids that gives the paper's figures: of those that round to
// both, the one whose unknowns are nearest.
func side(t table, layers int) (n int, found bool) {
	n = int(math.Round(math.Sqrt(t.unknowns / float64(layers))))
	for d := range n / 20 {
		for _, v := range []int{n - d, n + d} {
			if rounds(float64(v*v*layers), t.unknowns) && rounds(float64(nonzeros(v, layers)), t.nonzeros) {
				return v, true
			}
		}
	}
	return n, false
}

// nonzeros of the seven-point matrix.
func nonzeros(n, layers int) int { return 7*n*n*layers - 4*n*layers - 2*n*n }

// rounds reports whether v has the two figures of t.
func rounds(v, t float64) bool {
	unit := math.Pow(10, math.Floor(math.Log10(t))-1)
	return math.Abs(math.Round(v/unit)*unit-t) < unit/2
}

// silicon of both dies, in words.
func (c candidate) silicon() string {
	if c.BulkUM == 0 {
		return "10 and 200 um"
	}
	return fmt.Sprintf("%g um each", c.BulkUM)
}

// solve counts the iterations at the size of a system of the paper, divided by scale.
func (c candidate) solve(ctx context.Context, dev *gpusolve.SharedDevice, system, scale int) (row, error) {
	t := paper[system]
	n, same := side(t, c.Layers)
	r := row{candidate: c, Silicon: c.silicon(), System: system, Cells: n / scale, SameDigits: same && scale == 1}
	r.Unknowns, r.Nonzeros = r.Cells*r.Cells*c.Layers, nonzeros(r.Cells, c.Layers)
	m, err :=
		mesh.Build(
			cases.Stack10(cases.Options{NX: r.Cells, Width: c.WidthMM / float64(scale) * 1e-3, H: c.H,
				Power: c.PowerW / float64(scale*scale), Bulk: c.BulkUM * 1e-6, Layers: c.Layers}))
	if err != nil {
		return r, err
	}
	for i, count := range []*int{&r.CG, &r.Jacobi, &r.IC, &r.Chebyshev} {
		s, err := gpusolve.Steady(ctx, m, gpusolve.Options{Preconditioner: methods[i], ATol: stopW, MaxIter: 50000,
			Executor: dev})
		if err != nil {
			s.Close()
			return r, err
		}
		*count, r.PeakK = s.Status.Iterations, s.PeakK
		r.Distance = max(r.Distance, math.Abs(float64(*count)/float64(t.counts[i])-1))
		r.Methods += methods[i] + " "
		if !s.Status.Converged {
			r.Distance = math.MaxFloat64
		}
		s.Close()
	}
	return r, nil
}
