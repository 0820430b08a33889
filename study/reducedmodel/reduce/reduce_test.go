package reduce_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/reducedmodel"
	"thermsim/study/reducedmodel/reduce"
)

func reduced(t *testing.T, s *stack.Stack, tol float64, peaks bool) *reducedmodel.Model {
	t.Helper()
	m, err := reduce.Run(t.Context(), s, mesh.Build,
		reduce.Options{Tol: tol, Peaks: peaks, Solve: gpusolve.Options{Device: "cpu"}})
	if err != nil {
		t.Fatalf("%s: %v", s.Title, err)
	}
	return m
}

// fullTrace are the means of the inputs and the probes after each step of the full model, in K.
func fullTrace(t *testing.T, s *stack.Stack, dt float64, steps int, initial float64) [][]float64 {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	r := reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Points: ports.Points(m)}
	inputs := ports.InputsOf(s)
	for n := range inputs {
		r.Groups = append(r.Groups, inputs[n].Heated(m))
	}
	for _, in := range inputs {
		if y := &s.Layers[in.Layer]; y.Sliced() && in.Block >= 0 {
			r.Groups = append(r.Groups, reduction.Cover(m, in.Layer, y.Powers[in.Power].Blocks[in.Block].Rects, nil))
		}
	}
	regions, err := reduction.New(r)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]float64
	o := gpusolve.TransientOptions{Steps: steps, Dt: dt, OnStep: func(_ solution.Step, f solution.Field) error {
		v, err := solution.Reduce(f, regions)
		if err != nil {
			return err
		}
		var row []float64
		for _, e := range v.Extents {
			row = append(row, e.Sum/e.Weight)
		}
		all = append(all, append(row, v.Points...))
		return nil
	}}
	m.Stack.Transient.Initial = initial
	run, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-4}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if !run.Status.Converged {
		t.Fatalf("%s: %s", s.Title, run.Status.Reason)
	}
	return all
}

// deviation is the largest difference in K of the model from the full one, stepped by backward Euler. A step multiplies
// a state by 1/(1 + dt/tau): an exact step does the same with the time constant dt/ln(1 + dt/tau).
func deviation(t *testing.T, s *stack.Stack, m *reducedmodel.Model, dt float64, steps int) float64 {
	t.Helper()
	initial := s.Transient.Initial
	if initial == 0 {
		initial = s.Ambient
	}
	want := fullTrace(t, s, dt, steps, s.Transient.Initial)
	built, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	implicit := *m
	implicit.Tau = nil
	for _, tau := range m.Tau {
		implicit.Tau = append(implicit.Tau, dt/math.Log1p(dt/tau))
	}
	run, err := reducedmodel.NewStepper(&implicit)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Begin(initial); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	got := make([]float64, len(m.Outputs))
	for n := range want {
		watts, err := built.Power.InputWatts(float64(n)*dt, float64(n+1)*dt)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Step(dt, watts); err != nil {
			t.Fatal(err)
		}
		run.Temperatures(got)
		for o := range want[n] {
			worst = math.Max(worst, math.Abs(got[o]-want[n][o]))
		}
	}
	return worst
}

// Of random stacks with faces, regions and powers of all kinds, poles are real and negative, steady states are those of
// the full model, and steps of all powers at once stay within the wanted error. One model in 100 may report that it
// expects a larger error than wanted.
func TestRandomStacks(t *testing.T) {
	const tol = 0.1
	worst, estimated := 0.0, 0.0
	trials, short := testtier.Pick[uint64](12, 200), uint64(0)
	for n := range trials {
		s := cases.AnyStack(61, n)
		m := reduced(t, s, tol, false)
		for k, tau := range m.Tau {
			if !(tau > 0) {
				t.Errorf("%s: time constant %d is %g s", s.Title, k, tau)
			}
		}
		if m.Error.EstimateK > tol {
			t.Logf("%s: %g K estimated, %g K wanted", s.Title, m.Error.EstimateK, tol)
			short++
		}
		steadyStates(t, s, m)
		rng := rand.New(rand.NewPCG(5, n))
		dt := m.Tau[0] * math.Pow(10, -4*rng.Float64())
		off := deviation(t, s, m, dt, 12)
		if off > tol {
			t.Errorf("%s: %g K off in steps of %g s", s.Title, off, dt)
		}
		worst, estimated = math.Max(worst, off), math.Max(estimated, m.Error.EstimateK)
	}
	if short > trials/100 {
		t.Errorf("%d of %d models expect more than %g K", short, trials, tol)
	}
	t.Logf("largest error %.3g K, largest estimate %.3g K, wanted %g K", worst, estimated, tol)
}

// steadyStates compares them with those of the full model under the stack's powers.
func steadyStates(t *testing.T, s *stack.Stack, m *reducedmodel.Model) {
	t.Helper()
	built, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	var watts []float64
	for _, in := range ports.InputsOf(s) {
		watts = append(watts, in.Watts)
	}
	many, err := gpusolve.SolveMany(t.Context(), built, gpusolve.Options{Device: "cpu", Tol: 1e-6},
		gpusolve.Many{Watts: [][]float64{watts}, Points: ports.Points(built)})
	if err != nil {
		t.Fatal(err)
	}
	run, err := reducedmodel.NewStepper(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Settle(watts); err != nil {
		t.Fatal(err)
	}
	got := make([]float64, len(m.Outputs))
	run.Temperatures(got)
	want := append(many.Mean[0], many.Points[0]...)
	for o := range want {
		if d := math.Abs(got[o] - want[o]); d > 1e-3+1e-6*math.Abs(want[o]-s.Ambient) {
			t.Errorf("%s: steady state of %s is %g K, of the full model %g", s.Title, m.Outputs[o].Name, got[o],
				want[o])
		}
	}
}

// An unseen trace, in which the blocks go on and off at random, on memory over logic with 49 blocks; at most 200
// states.
func TestUnseenTrace(t *testing.T) {
	s, err := stackfile.Load("../../../examples/mol10-ev6/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	n, tol := testtier.Pick(24, 48), testtier.Pick(0.4, 0.1)
	s.Grid.X.Cells, s.Grid.Y.Cells = n, n
	m := reduced(t, s, tol, false)
	if m.States() > testtier.Pick(120, 200) || len(m.Inputs) != 49 || len(m.Outputs) != 49 {
		t.Errorf("%d states, %d inputs, %d outputs", m.States(), len(m.Inputs), len(m.Outputs))
	}
	randomTrace(s, m, 40, 1e-3)
	for _, dt := range []float64{1e-3, 1e-4} {
		if off := deviation(t, s, m, dt, 40); off > tol {
			t.Errorf("%g K off in steps of %g s", off, dt)
		} else {
			t.Logf("steps of %g s: %.3g K off, %d states, %.3g K estimated", dt, off, m.States(), m.Error.EstimateK)
		}
	}
}

// randomTrace gives every block of a stack a random power within its range, new ones in every interval.
func randomTrace(s *stack.Stack, m *reducedmodel.Model, rows int, interval float64) {
	rng := rand.New(rand.NewPCG(8, 9))
	at := 0
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			power := &s.Layers[l].Powers[p]
			trace := &stack.Trace{End: float64(rows) * interval}
			for r := range rows {
				trace.Times = append(trace.Times, float64(r)*interval)
				var row []float64
				for b := range power.Blocks {
					row = append(row, m.Inputs[at+b].Range*math.Round(rng.Float64()*4)/4)
				}
				trace.Watts = append(trace.Watts, row)
			}
			at += len(power.Blocks)
			power.Trace = trace
		}
	}
}

// A transient that starts warmer than the ambient, with probes: the start is part of the model.
func TestWarmStart(t *testing.T) {
	s, err := stackfile.Load("../../../examples/trace/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.Grid.X.Cells, s.Grid.Y.Cells = 32, 32
	m := reduced(t, s, 0.05, true)
	for _, dt := range []float64{1e-3, 0.1} {
		if off := deviationOf(t, s, m, dt); off > 0.05 {
			t.Errorf("%g K off in steps of %g s", off, dt)
		}
	}
	s.Transient.Initial = 290
	if off := deviationOf(t, s, m, 0.02); off > 0.05 {
		t.Errorf("from 290 K: %g K off", off)
	}
}

// Blocks of a layer that is heated at a surface have two means: of the heated slice, and, as blocks.csv has it, of the
// whole thickness. Both agree with the full model within the stated error.
func TestMeansOfSlices(t *testing.T) {
	s, err := stackfile.Load("../../../examples/quickstart/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.Grid.X.Cells, s.Grid.Y.Cells = 20, 20
	m := reduced(t, s, 0.1, false)
	n := len(m.Inputs)
	if got := []string{m.Outputs[0].Column(), m.Outputs[n].Column()}; len(m.Outputs) != 2*n+1 ||
		got[0] != "die/core0:heated_mean_K" || got[1] != "die/core0_mean_K" {
		t.Fatalf("got %d outputs, of core0 %q", len(m.Outputs), got)
	}
	for _, dt := range []float64{0.01, 1} {
		if off := deviation(t, s, m, dt, 8); off > m.Error.EstimateK {
			t.Errorf("%g K off in steps of %g s; %g K stated", off, dt, m.Error.EstimateK)
		}
	}
}

// deviationOf leaves the peaks out, which fullTrace does not have.
func deviationOf(t *testing.T, s *stack.Stack, m *reducedmodel.Model, dt float64) float64 {
	t.Helper()
	n := len(m.Inputs)
	short := *m
	short.Outputs = append(append([]reducedmodel.Output(nil), m.Outputs[:n]...), m.Outputs[2*n:]...)
	short.L = reducedmodel.NewMatrix(len(short.Outputs), m.States())
	copy(short.L.Data, m.L.Data[:n*m.States()])
	copy(short.L.Data[n*m.States():], m.L.Data[2*n*m.States():])
	return deviation(t, s, &short, dt, 20)
}

// The cell of a peak is the hottest under its input alone, and its steady rise that of the full model.
func TestPeaks(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 24, NY: 20})
	m := reduced(t, s, 0.1, true)
	built, err := mesh.Build(ports.Responding(s))
	if err != nil {
		t.Fatal(err)
	}
	n := len(m.Inputs)
	h := m.Transfer(0)
	for i := range n {
		watts := make([]float64, n)
		watts[i] = 1
		many, err := gpusolve.SolveMany(t.Context(), built, gpusolve.Options{Device: "cpu"},
			gpusolve.Many{Watts: [][]float64{watts}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := h.At(n+i, i), many.Max[0][i]; math.Abs(got-want) > 1e-5*want {
			t.Errorf("peak of %s: %g K/W, of the full model %g", m.Inputs[i].Name, got, want)
		}
	}
}

// The error of means at a real frequency is a positive matrix: the model never answers more than the full one to its
// own input.
func TestModelStaysBelow(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 24, NY: 20})
	m := reduced(t, s, 1, false)
	built, err := mesh.Build(ports.Responding(s))
	if err != nil {
		t.Fatal(err)
	}
	n := len(m.Inputs)
	watts := make([][]float64, n)
	for i := range watts {
		watts[i] = make([]float64, n)
		watts[i][i] = 1
	}
	for _, shift := range []float64{3, 300, 3e4} {
		many, err := gpusolve.SolveMany(t.Context(), built, gpusolve.Options{Device: "cpu"},
			gpusolve.Many{Watts: watts, Shift: shift})
		if err != nil {
			t.Fatal(err)
		}
		h := m.Transfer(shift)
		for i := range n {
			if got, full := h.At(i, i), many.Mean[i][i]; got > full*(1+1e-6) {
				t.Errorf("at %g /s %s rises by %g K/W, by %g in the full model", shift, m.Inputs[i].Name, got, full)
			}
		}
	}
}

// A model has the same bits for any number of cores.
func TestModelDoesNotDependOnCores(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 40, NY: 40})
	var models []*reducedmodel.Model
	for _, cores := range []int{1, 3} {
		before := runtime.GOMAXPROCS(cores)
		models = append(models, reduced(t, s, 0.3, false))
		runtime.GOMAXPROCS(before)
	}
	a, b := models[0], models[1]
	if !slices.Equal(a.Tau, b.Tau) || !slices.Equal(a.B.Data, b.B.Data) || !slices.Equal(a.L.Data, b.L.Data) {
		t.Errorf("%d and %d states, slowest %v and %v s", a.States(), b.States(), a.Tau[0], b.Tau[0])
	}
}

func TestRefusals(t *testing.T) {
	hot := cases.Stack10(cases.Options{NX: 8})
	hot.Materials[0].KCurve[0] = &stack.Curve{}
	idle := cases.Stack10(cases.Options{NX: 8})
	for l := range idle.Layers {
		idle.Layers[l].Powers = nil
	}
	for what, s := range map[string]*stack.Stack{"a material that follows the temperature": hot, "no powers": idle} {
		if _, err := reduce.Run(t.Context(), s, mesh.Build, reduce.Options{Tol: 0.1}); !errors.Is(err,
			reduce.ErrRefused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	small := reduce.Options{Tol: 1e-6, Solve: gpusolve.Options{Device: "cpu"}}
	if _, err := reduce.Run(t.Context(), cases.Stack10(cases.Options{NX: 8}), mesh.Build, small); !errors.Is(err,
		gpusolve.ErrOption) {
		t.Errorf("1e-6 K: %v", err)
	}
	floating := cases.Stack10(cases.Options{NX: 8})
	floating.Boundary = [stack.NumFaces]stack.Boundary{}
	if _, err := reduce.Run(t.Context(), floating, mesh.Build, reduce.Options{Tol: 0.1}); !errors.Is(err,
		gpusolve.ErrSingular) {
		t.Errorf("no cooling: %v", err)
	}
	cooled, err := stackfile.Load("../../../examples/microchannels/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reduce.Run(t.Context(), cooled, mesh.Build, reduce.Options{Tol: 0.1}); !errors.Is(err,
		reduce.ErrRefused) {
		t.Errorf("coolant: %v", err)
	}
}
