package gpusolve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/stack"
)

// Temperatures under each of several power vectors are those of a solve of its own whose stack has these watts, directly and by multigrid.
func TestSolveManyIsOneSolveAfterTheOther(t *testing.T) {
	for method, tolerance := range map[string]float64{"fourier": 1e-10, "multigrid": 1e-6} {
		s := cases.Stack10(cases.Options{NX: 29, NY: 31})
		m := build(t, s)
		blocks := ports.InputsOf(s)
		rng := rand.New(rand.NewPCG(3, 5))
		watts := make([][]float64, 4)
		for v := range watts {
			for range blocks {
				watts[v] = append(watts[v], rng.Float64())
			}
		}
		o := gpusolve.Options{Preconditioner: method, RTol: 1e-12, Device: "cpu"}
		many, err := gpusolve.SolveMany(t.Context(), m, o, gpusolve.Many{Watts: watts})
		if err != nil {
			t.Fatal(err)
		}
		if !many.Status.Converged || len(many.Mean) != len(watts) {
			t.Errorf("%s: %+v for %d vectors", method, many.Status, len(many.Mean))
		}
		for v := range watts {
			setWatts(s, watts[v])
			alone := build(t, s)
			f := field(t, s, solve(t, alone, o).Field)
			for n, in := range blocks {
				mean, top := average(alone, areaOf(s, &in), f[in.Layer*29*31:][:29*31])
				if math.Abs(mean-many.Mean[v][n]) > tolerance || math.Abs(top-many.Max[v][n]) > tolerance {
					t.Errorf("%s, vector %d, input %s: %g and %g K, alone %g and %g", method, v, in.Name, many.Mean[v][n], many.Max[v][n], mean, top)
				}
			}
		}
	}
}

// Where properties follow the temperature the responses do not add up: every vector is iterated by itself.
func TestSolveManyFollowsTheTemperature(t *testing.T) {
	s := hot10(23)
	m := build(t, s)
	watts := make([][]float64, 2)
	for n := range ports.InputsOf(s) {
		for v := range watts {
			watts[v] = append(watts[v], []float64{0.4, 0.02}[v]*float64(1+n%3))
		}
	}
	o := gpusolve.Options{Tol: 1e-6, Device: "cpu"}
	many, err := gpusolve.SolveMany(t.Context(), m, o, gpusolve.Many{Watts: watts})
	if err != nil {
		t.Fatal(err)
	}
	if !many.Status.Converged || many.Status.Nonlinear == nil {
		t.Errorf("%+v", many.Status)
	}
	for v := range watts {
		setWatts(s, watts[v])
		alone := build(t, s)
		f := field(t, s, solve(t, alone, o).Field)
		for n, in := range many.Inputs {
			mean, top := average(alone, areaOf(s, &in), f[in.Layer*m.NX()*m.NY():][:m.NX()*m.NY()])
			if math.Abs(mean-many.Mean[v][n]) > 2e-5 || math.Abs(top-many.Max[v][n]) > 2e-5 {
				t.Errorf("vector %d, input %s: %g and %g K, alone %g and %g", v, in.Name, many.Mean[v][n], many.Max[v][n], mean, top)
			}
		}
	}
}

// setWatts gives the inputs of a stack whose powers are blocks and uniform ones their watts.
func setWatts(s *stack.Stack, watts []float64) {
	for n, in := range ports.InputsOf(s) {
		p := &s.Layers[in.Layer].Powers[in.Power]
		if in.Block < 0 {
			p.Uniform = watts[n]
		} else {
			p.Blocks[in.Block].Watts = watts[n]
		}
	}
}

// areaOf is the rectangle of an input.
func areaOf(s *stack.Stack, in *ports.Input) stack.Rect {
	p := &s.Layers[in.Layer].Powers[in.Power]
	if in.Block < 0 {
		return p.Area
	}
	return p.Blocks[in.Block].Rects[0]
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
	n := len(ports.InputsOf(m.Stack))
	for _, watts := range [][][]float64{{make([]float64, n-1)}, {append(make([]float64, n-1), math.NaN())}} {
		if _, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu"}, gpusolve.Many{Watts: watts}); err == nil {
			t.Errorf("%v is taken", watts)
		}
	}
}
