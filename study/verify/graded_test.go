package verify

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// drawGradedLayers draws a small stack of uniform layers whose grid is graded along x, y or both, with sides that the
// direct solver takes: behind films where the layers are of one material.
func drawGradedLayers(t *rapid.T) *stack.Stack {
	st := drawStack(t, false)
	graded := rapid.IntRange(1, 3).Draw(t, "graded axes")
	for n, a := range []*stack.Axis{&st.Grid.X, &st.Grid.Y} {
		if graded&(n+1) != 0 {
			first, ratio := rapid.IntRange(1, 5).Draw(t, "first cells"), logUniform(t, 0.02, 50, "ratio")
			*a = stack.Axis{Cells: first + 2, Segments: []stack.Segment{
				{To: st.Size[n] * rapid.Float64Range(0.2, 0.8).Draw(t, "joint"), Cells: first, Ratio: ratio},
				{To: st.Size[n], Cells: 2, Ratio: 3}}}
		}
	}
	alike := rapid.Bool().Draw(t, "one material")
	for l := range st.Layers {
		st.Layers[l].Regions = nil
		if alike {
			st.Layers[l].Material = 0
		}
	}
	if alike {
		return st
	}
	for f := stack.West; f < stack.NumFaces; f++ {
		if b := &st.Boundary[f]; b.Kind == stack.Convective || b.Kind == stack.LumpedResistance {
			b.Kind = stack.FixedTemperature
		}
	}
	return st
}

// Layers on graded grids, which the direct solver takes by eigenvectors: the steady state and a step of time agree with
// an elimination of the matrix, and with multigrid, which rounds each conductance to FP32.
func TestGradedLayersMatchElimination(t *testing.T) {
	draw := rapid.Custom(drawGradedLayers)
	const eliminationLimit = 1e-11
	directly := solver{options: gpusolve.Options{Device: "cpu", Preconditioner: "fourier"}}
	iterated := solver{options: gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 1e-12}}
	byElimination, byMultigrid := 0.0, 0.0 // the largest differences over the rise
	for seed := range testtier.Pick(12, 200) {
		st := draw.Example(seed)
		reference := newDirect(st)
		dt := math.Pow(10, -float64(seed%5))
		st.Transient.Initial = ambient + float64(seed%7)
		before := slices.Repeat([]float64{st.Transient.Initial - ambient}, len(reference.rhs))
		for _, c := range []struct {
			name  string
			solve func(s solver) (*field, error)
			want  []float64
		}{
			{"steady", func(s solver) (*field, error) { return s.steady(t.Context(), st) }, reference.steady()},
			{"step", func(s solver) (*field, error) { return s.transient(t.Context(), st, 1, dt) },
				reference.step(dt, before, 1)},
		} {
			got, err := c.solve(directly)
			if err != nil {
				t.Fatal(seed, c.name, err)
			}
			other, err := c.solve(iterated)
			if err != nil {
				t.Fatal(seed, c.name, err)
			}
			if method := got.solution.Status.Method; method != "direct" {
				t.Fatalf("stack %d: solved by %s", seed, method)
			}
			rise := math.Max(largest(c.want), math.Max(warmestFace(st), before[0]))
			within(t, c.name+" by elimination", got.rise, c.want, eliminationLimit*rise)
			within(t, c.name+" by multigrid", got.rise, other.rise, couplingRounding*rise)
			byElimination = math.Max(byElimination, farthest(got.rise, c.want)/rise)
			byMultigrid = math.Max(byMultigrid, farthest(got.rise, other.rise)/rise)
		}
	}
	t.Logf("largest differences over the rise: %.2g by elimination, %.2g by multigrid", byElimination, byMultigrid)
}

func farthest(a, b []float64) float64 {
	d := 0.0
	for c := range a {
		d = math.Max(d, math.Abs(a[c]-b[c]))
	}
	return d
}
