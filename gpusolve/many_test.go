package gpusolve_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// Temperatures under each of several power vectors are those of a solve of its own whose stack has these watts,
// directly and by multigrid.
func TestSolveManyIsOneSolveAfterTheOther(t *testing.T) {
	for method, tolerance := range map[string]float64{"fourier": 1e-10, "multigrid": 1e-6} {
		s := cases.Stack10(cases.Options{NX: 29, NY: 31})
		m := solves.Build(t, s)
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
			alone := solves.Build(t, s)
			f := solves.Field(t, s, solves.Solve(t, alone, o).Field)
			for n, in := range blocks {
				mean, top := average(alone, areaOf(s, &in), f[in.Layer*29*31:][:29*31])
				if math.Abs(mean-many.Mean[v][n]) > tolerance || math.Abs(top-many.Max[v][n]) > tolerance {
					t.Errorf("%s, vector %d, input %s: %g and %g K, alone %g and %g", method, v, in.Name,
						many.Mean[v][n], many.Max[v][n], mean, top)
				}
			}
		}
	}
}

// Where properties follow the temperature the responses do not add up: every vector is iterated by itself.
func TestSolveManyFollowsTheTemperature(t *testing.T) {
	s := solves.Hot10(23)
	m := solves.Build(t, s)
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
		alone := solves.Build(t, s)
		f := solves.Field(t, s, solves.Solve(t, alone, o).Field)
		for n, in := range many.Inputs {
			mean, top := average(alone, areaOf(s, &in), f[in.Layer*m.NX()*m.NY():][:m.NX()*m.NY()])
			if math.Abs(mean-many.Mean[v][n]) > 2e-5 || math.Abs(top-many.Max[v][n]) > 2e-5 {
				t.Errorf("vector %d, input %s: %g and %g K, alone %g and %g", v, in.Name, many.Mean[v][n],
					many.Max[v][n], mean, top)
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
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 8}))
	n := len(ports.InputsOf(m.Stack))
	for _, watts := range [][][]float64{{make([]float64, n-1)}, {append(make([]float64, n-1), math.NaN())}} {
		if _, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu"},
			gpusolve.Many{Watts: watts}); err == nil {
			t.Errorf("%v is taken", watts)
		}
	}
}

// On a GPU unit powers of blocks, a uniform power and a map are answered as on the processor, in the steady state and
// at a shift.
func TestSolveManyOnAGPU(t *testing.T) {
	t.Parallel()
	s := cases.Stack10(cases.Options{NX: testtier.Pick(5, 7), NY: testtier.Pick(4, 6)})
	s.Layers[1].Powers = append(s.Layers[1].Powers,
		stack.Power{Area: stack.Rect{X: 1e-3, Y: 1e-3, Width: 5e-3, Height: 4e-3},
			Map: &stack.PowerMap{NX: 2, NY: 1, Values: []float64{1, 3}}})
	s = ports.Responding(s)
	m := solves.Build(t, s)
	units := make([][]float64, len(ports.InputsOf(s)))
	for n := range units {
		units[n] = make([]float64, len(units))
		units[n][n] = 1
	}
	for turn, method := range []string{"fourier", "multigrid"} {
		shifts := []float64{0, 1e4}
		for _, shift := range testtier.Pick(shifts[turn:turn+1], shifts) {
			q := gpusolve.Many{Watts: units, Shift: shift,
				Points: []mesh.Sample{{Terms: []mesh.Term{{Plane: 2, Cell: 7, Weight: 1}}}}}
			many := func(o gpusolve.Options) *gpusolve.ManyResult {
				o.Preconditioner, o.RTol = method, 1e-11
				r, err := gpusolve.SolveMany(t.Context(), m, o, q)
				if err != nil || !r.Status.Converged {
					t.Fatal(method, shift, err)
				}
				return r
			}
			host, gpu := many(gpusolve.Options{Device: "cpu"}),
				many(gpusolve.Options{Executor: solves.OnInterpreter(t, devices.Machine(interpreter.Options{}))})
			for v := range units {
				for n := range units {
					if d := math.Abs(gpu.Mean[v][n] - host.Mean[v][n]); d > 1e-9*host.Mean[v][v] ||
						math.Abs(gpu.Max[v][n]-host.Max[v][n]) > 1e-9*host.Max[v][v] {
						t.Errorf("%s, shift %g: %g K in %d for 1 W in %d, the processor has %g", method, shift,
							gpu.Mean[v][n], n, v, host.Mean[v][n])
					}
				}
				if d := math.Abs(gpu.Points[v][0] - host.Points[v][0]); d > 1e-9*host.Mean[v][v] {
					t.Errorf("%s, shift %g: a cell at %g K, the processor has %g", method, shift, gpu.Points[v][0],
						host.Points[v][0])
				}
			}
		}
	}
}

// Where nothing leaves, what is stored at a shift is the power: over the whole stack s C x adds up to it, and as s
// falls x becomes even, power / (s C).
func TestShiftStoresHeat(t *testing.T) {
	s := ports.Responding(cases.Stack10(cases.Options{NX: 8}))
	s.Boundary[stack.Top] = stack.Boundary{}
	m := solves.Build(t, s)
	units := make([]float64, len(ports.InputsOf(s)))
	units[0] = 1
	const shift = 1e-3
	r, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu"},
		gpusolve.Many{Watts: [][]float64{units}, Shift: shift})
	if err != nil {
		t.Fatal(err)
	}
	want := 1 / (shift * m.HeatCapacity())
	for n, got := range r.Mean[0] {
		if math.Abs(got/want-1) > 1e-3 {
			t.Errorf("input %d: %g K, want %g", n, got, want)
		}
	}
	if _, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu"},
		gpusolve.Many{Watts: [][]float64{units}, Shift: -1}); err == nil {
		t.Error("a negative shift is taken")
	}
}

// Statistics of many vectors are read from the GPU in several parts.
func TestSolveManyReadsInParts(t *testing.T) {
	t.Parallel()
	s := cases.Stack10(cases.Options{NX: 6, NY: 5})
	m := solves.Build(t, s)
	watts := make([][]float64, 70)
	for v := range watts {
		watts[v] = make([]float64, len(ports.InputsOf(s)))
		watts[v][v%len(watts[v])] = float64(v + 1)
	}
	var results []*gpusolve.ManyResult
	var hottest [2][]float64
	for _, o := range []gpusolve.Options{{Device: "cpu"},
		{Executor: solves.OnInterpreter(t, devices.Machine(interpreter.Options{}))}} {
		on := len(results)
		r, err := gpusolve.SolveMany(t.Context(), m, o,
			gpusolve.Many{Watts: watts, Read: func(v int, f gpusolve.Field) error {
				if v%20 == 0 {
					hottest[on] = append(hottest[on], slices.Max(solves.Field(t, s, f)))
				}
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	for n, want := range hottest[0] {
		if got := hottest[1][n]; math.Abs(got-want) > 1e-10*want {
			t.Errorf("fields that are read on the way: %g K, the processor has %g", got, want)
		}
	}
	failed := errors.New("enough")
	stop := gpusolve.Many{Watts: watts, Read: func(int, gpusolve.Field) error { return failed }}
	if _, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu"}, stop); !errors.Is(err, failed) {
		t.Errorf("%v does not end the solves", err)
	}
	for v := range watts {
		for n, want := range results[0].Mean[v] {
			if got := results[1].Mean[v][n]; math.Abs(got-want) > 1e-10*want {
				t.Errorf("vector %d, input %d: %g K, the processor has %g", v, n, got, want)
			}
		}
	}
}
