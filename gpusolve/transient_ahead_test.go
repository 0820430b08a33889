package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// flashing is a stack whose power changes in most steps of 1 ms.
func flashing(t *testing.T) *mesh.Mesh {
	t.Helper()
	s := cases.Stack10(cases.Options{NX: testtier.Pick(5, 9), NY: testtier.Pick(4, 7)})
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			s.Layers[l].Powers[p].Schedule = []stack.ScalePoint{{Time: 0, Factor: 1}, {Time: 2.5e-3, Factor: 0.1},
				{Time: 4e-3, Factor: 3}, {Time: 7.3e-3, Factor: 0}}
		}
	}
	return solves.Build(t, s)
}

// regionsOf a mesh are a rectangle of each of two planes, a point, and the peaks of all planes.
func regionsOf(t *testing.T, m *mesh.Mesh) *reduction.Regions {
	t.Helper()
	r, err := reduction.New(reduction.Regions{
		NX: m.NX(), NY: m.NY(), NZ: m.NZ(), PlanePeaks: true,
		Groups: [][]reduction.Rect{{{Plane: 1, I: 2, J: 1, X: []float64{1, 0.5, 2}, Y: []float64{3, 1}, Z: 1}},
			{{Plane: 5, X: []float64{1}, Y: []float64{1}, Z: 1}}},
		Points: []mesh.Sample{{Terms: []mesh.Term{{Plane: 9, Cell: 4, Weight: 1}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told is what a run tells of its steps.
type told struct {
	Steps  []solution.Step
	Values []*reduction.Values
	Fields map[int][]float64 // of some steps
	Energy solution.Energy
	PeakK  float64
}

// tellSteps runs 12 steps and reads the field of every fifth. The statistics are known ahead where the run is told what
// is read.
func tellSteps(t *testing.T, m *mesh.Mesh, dev ops.Device, announced bool) told {
	t.Helper()
	r := regionsOf(t, m)
	reads := func(n int) bool { return n%5 == 0 }
	seen := told{Fields: map[int][]float64{}}
	plan := gpusolve.TransientOptions{Steps: 12, Dt: 1e-3, OnStep: func(_ solution.Step, f solution.Field) error {
		v, err := solution.Reduce(f, r)
		if err != nil {
			return err
		}
		seen.Values = append(seen.Values, v)
		n := len(seen.Values)
		if !reads(n) {
			return nil
		}
		seen.Fields[n] = solves.Field(t, m.Stack, f)
		return nil
	}}
	if announced {
		plan.Regions, plan.Reads = r, reads
	}
	s, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{Executor: dev}, plan)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	seen.Steps, seen.Energy, seen.PeakK = s.Steps, s.Energy, s.PeakK
	return seen
}

// Steps that a device takes before anybody looks come to the same bits as steps that are looked at one by one.
func TestStepsAheadAreTheSame(t *testing.T) {
	solves.StepsAhead(t)
	m := flashing(t)
	for name, open := range map[string]func(testing.TB) ops.Device{"processor": devices.Processor,
		"interpreter": devices.OnInterpreter(interpreter.Options{NoRaces: true})} {
		alone, ahead := tellSteps(t, m, open(t), false), tellSteps(t, m, open(t), true)
		for n := range alone.Steps {
			if a, b := alone.Steps[n].MaxK, ahead.Steps[n].MaxK; a != b || b != ahead.Values[n].Hottest() {
				t.Errorf("%s, step %d: %g K, alone %g", name, n+1, b, a)
			}
		}
		if !reflect.DeepEqual(alone, ahead) {
			t.Errorf("%s: steps ahead differ from steps alone", name)
		}
	}
}

// A field that nobody announced to read has its statistics alone, on a device that has gone on.
func TestFieldsThatAreNotKept(t *testing.T) {
	m := flashing(t)
	r := regionsOf(t, m)
	plan := gpusolve.TransientOptions{Steps: 2, Dt: 1e-3, Regions: r, Reads: func(int) bool { return false }}
	plan.OnStep = func(_ solution.Step, f solution.Field) error { return f.Plane(0, make([]float64, m.NX()*m.NY())) }
	s, err := gpusolve.Transient(t.Context(), m,
		gpusolve.Options{Executor: devices.OnInterpreter(interpreter.Options{NoRaces: true})(t)}, plan)
	if !errors.Is(err, gpusolve.ErrNotKept) {
		t.Errorf("error %v, want ErrNotKept", err)
	}
	s.Close()
}

// A device that goes on takes the steps that were asked for and none more, in parts that do not divide their number
// either.
func TestAheadTakesTheStepsOfThePlan(t *testing.T) {
	solves.StepsAhead(t) // 1, 2, 4 and 8 together
	m := flashing(t)
	for _, steps := range []int{1, 5, 12} {
		told := 0
		plan := gpusolve.TransientOptions{Steps: steps, Dt: 1e-3, Regions: regionsOf(t, m), Reads: func(int) bool {
			return false
		}}
		plan.OnStep = func(step solution.Step, _ solution.Field) error {
			if told++; math.Abs(step.Time-1e-3*float64(told)) > 1e-12 {
				t.Errorf("step %d ends at %g s", told, step.Time)
			}
			return nil
		}
		s, err := gpusolve.Transient(t.Context(), m,
			gpusolve.Options{Executor: devices.OnInterpreter(interpreter.Options{NoRaces: true})(t)}, plan)
		if err != nil {
			t.Fatal(err)
		}
		if told != steps || len(s.Steps) != steps {
			t.Errorf("%d steps, %d told, want %d", len(s.Steps), told, steps)
		}
		s.Close()
	}
}

// Whatever call of the driver fails while steps are taken ahead, the run says so, and nobody is told of a step that was
// not taken, or of other numbers than its own.
func TestAheadOfADeviceThatFails(t *testing.T) {
	solves.StepsAhead(t)
	m := solves.Build(t, cases.Slab(cases.Options{NX: 3, NY: 2}, 2))
	regions, err := reduction.New(reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), PlanePeaks: true,
		Points: []mesh.Sample{{Terms: []mesh.Term{{Plane: 1, Cell: 4, Weight: 1}}}}})
	if err != nil {
		t.Fatal(err)
	}
	run := func(fail func(string, int) error) (seen []float64, calls []string, err error) {
		machine := devices.Machine(interpreter.Options{NoRaces: true})
		drv := cudriver.Faulty(machine, fail)
		plan := gpusolve.TransientOptions{Steps: 5, Dt: 1e-3, Regions: regions, Reads: func(int) bool { return false }}
		plan.OnStep = func(step solution.Step, f solution.Field) error {
			v, err := solution.Reduce(f, plan.Regions)
			if err == nil {
				seen = append(seen, step.Time, step.MaxK, v.Hottest(), v.Points[0])
			}
			return err
		}
		s, err := gpusolve.Transient(t.Context(), m,
			gpusolve.Options{Device: "gpu", Driver: drv, Preconditioner: "fourier"}, plan)
		if s != nil {
			s.Close()
		}
		return seen, drv.Calls(), err
	}
	want, calls, err := run(nil)
	if err != nil || len(want) != 4*5 {
		t.Fatalf("%d numbers, %v", len(want), err)
	}
	unnoticed := map[string]int{}
	for _, n := range solves.SampleCalls(calls, testtier.Pick(2, 6), 0) {
		got, _, err := run(cudriver.FailAt(n, solves.ResultFor(calls[n])))
		if err == nil {
			unnoticed[calls[n]]++
		} else if !errors.Is(err, gpusolve.ErrDevice) || !strings.Contains(err.Error(), calls[n]) {
			t.Errorf("call %d of %d (%s): %v", n, len(calls), calls[n], err)
		}
		if len(got) > len(want) || err == nil && len(got) < len(want) || !slices.Equal(got, want[:len(got)]) {
			t.Errorf("call %d of %d (%s), which ends with %v: told %v, want the first of %v", n, len(calls), calls[n],
				err, got, want)
		}
	}
	for call, n := range unnoticed {
		if limit, known := solves.WithoutHarm[call]; !known || n > limit {
			t.Errorf("%d failures of %s went unnoticed", n, call)
		}
	}
}

// A run that is interrupted tells of all steps that it finished, and its heat is balanced.
func TestInterruptAhead(t *testing.T) {
	m := flashing(t)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	plan := gpusolve.TransientOptions{Steps: 1000, Dt: 1e-3, Regions: regionsOf(t, m), Reads: func(int) bool {
		return false
	}}
	plan.OnStep = func(solution.Step, solution.Field) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	}
	s, err := gpusolve.Transient(ctx, m,
		gpusolve.Options{Executor: devices.OnInterpreter(interpreter.Options{NoRaces: true})(t)}, plan)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Steps) != n || n < 3 || n > 100 || s.Energy.ImbalanceRel > 1e-8 ||
		math.Abs(s.PeakK-s.Steps[n-1].MaxK) > 1e-9 {
		t.Errorf("%d steps, %d told; %+v, peak %g K", len(s.Steps), n, s.Energy, s.PeakK)
	}
}
