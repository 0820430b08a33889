package gpusolve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// Temperatures under each of several power vectors are those of a solve of its own whose stack has these watts, directly and by multigrid.
func TestSolveManyIsOneSolveAfterTheOther(t *testing.T) {
	for method, tolerance := range map[string]float64{"fourier": 1e-10, "multigrid": 1e-6} {
		s := cases.Stack10(cases.Options{NX: 29, NY: 31})
		m := build(t, s)
		blocks := gpusolve.BlocksOf(m)
		rng := rand.New(rand.NewPCG(3, 5))
		watts := make([][]float64, 4)
		for v := range watts {
			for range blocks {
				watts[v] = append(watts[v], rng.Float64())
			}
		}
		o := gpusolve.Options{Preconditioner: method, RTol: 1e-12, Device: "cpu"}
		many, err := gpusolve.SolveMany(t.Context(), m, o, watts)
		if err != nil {
			t.Fatal(err)
		}
		if !many.Status.Converged || len(many.Mean) != len(watts) {
			t.Errorf("%s: %+v for %d vectors", method, many.Status, len(many.Mean))
		}
		for v := range watts {
			n := 0
			each(s, func(b *stack.Block, _ int) { b.Watts = watts[v][n]; n++ })
			alone := build(t, s)
			f := field(t, s, solve(t, alone, o).Field)
			n = 0
			each(s, func(b *stack.Block, layer int) {
				mean, top := average(alone, b.Rects[0], f[layer*29*31:][:29*31])
				if math.Abs(mean-many.Mean[v][n]) > tolerance || math.Abs(top-many.Max[v][n]) > tolerance {
					t.Errorf("%s, vector %d, block %s: %g and %g K, alone %g and %g", method, v, b.Name, many.Mean[v][n], many.Max[v][n], mean, top)
				}
				n++
			})
		}
	}
}

// Where properties follow the temperature the responses do not add up: every vector is iterated by itself.
func TestSolveManyFollowsTheTemperature(t *testing.T) {
	s := hot10(23)
	m := build(t, s)
	watts := make([][]float64, 2)
	for n := range gpusolve.BlocksOf(m) {
		for v := range watts {
			watts[v] = append(watts[v], []float64{0.4, 0.02}[v]*float64(1+n%3))
		}
	}
	o := gpusolve.Options{Tol: 1e-6, Device: "cpu"}
	many, err := gpusolve.SolveMany(t.Context(), m, o, watts)
	if err != nil {
		t.Fatal(err)
	}
	if !many.Status.Converged || many.Status.Nonlinear == nil {
		t.Errorf("%+v", many.Status)
	}
	for v := range watts {
		n := 0
		each(s, func(b *stack.Block, _ int) { b.Watts = watts[v][n]; n++ })
		alone := build(t, s)
		f := field(t, s, solve(t, alone, o).Field)
		n = 0
		each(s, func(b *stack.Block, layer int) {
			mean, top := average(alone, b.Rects[0], f[layer*m.NX()*m.NY():][:m.NX()*m.NY()])
			if math.Abs(mean-many.Mean[v][n]) > 2e-5 || math.Abs(top-many.Max[v][n]) > 2e-5 {
				t.Errorf("vector %d, block %s: %g and %g K, alone %g and %g", v, b.Name, many.Mean[v][n], many.Max[v][n], mean, top)
			}
			n++
		})
	}
}

// each calls f for the blocks of a stack whose layers are one plane each.
func each(s *stack.Stack, f func(b *stack.Block, layer int)) {
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			for b := range s.Layers[l].Powers[p].Blocks {
				f(&s.Layers[l].Powers[p].Blocks[b], l)
			}
		}
	}
}

// average goes through the cells that a rectangle covers.
func average(m *mesh.Mesh, r stack.Rect, plane []float64) (mean, top float64) {
	area := 0.0
	for j := range m.NY() {
		for i := range m.NX() {
			w := math.Min(m.X[i+1], r.X+r.Width) - math.Max(m.X[i], r.X)
			h := math.Min(m.Y[j+1], r.Y+r.Height) - math.Max(m.Y[j], r.Y)
			if w > 1e-12 && h > 1e-12 {
				mean += w * h * plane[j*m.NX()+i]
				area += w * h
				top = math.Max(top, plane[j*m.NX()+i])
			}
		}
	}
	return mean / area, top
}

func TestSolveManyRefusesWhatItCannotDraw(t *testing.T) {
	m := build(t, cases.Stack10(cases.Options{NX: 8}))
	n := len(gpusolve.BlocksOf(m))
	for _, watts := range [][][]float64{{make([]float64, n-1)}, {append(make([]float64, n-1), math.NaN())}} {
		if _, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu"}, watts); err == nil {
			t.Errorf("%v is taken", watts)
		}
	}
}
