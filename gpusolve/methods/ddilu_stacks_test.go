package methods_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

// executors are the processor and the kernels that ship.
func executors(t *testing.T) map[string]func() ops.Device {
	return map[string]func() ops.Device{
		"cpu": func() ops.Device { return nil },
		"interpreter": func() ops.Device {
			return solves.OnInterpreter(t, devices.Machine(interpreter.Options{NoRaces: true}))
		},
	}
}

// Block factors and BiCGSTAB find the temperatures that multigrid with conjugate gradients finds.
func TestBlockFactorsSolveStacks(t *testing.T) {
	t.Parallel()
	s := cases.Interposer(cases.Stack10(cases.Options{NX: 12, NY: 9}))
	reference := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Tol: 1e-7})
	want := solves.Field(t, s, reference.Field)
	for spec, solver := range map[string]string{
		"ddilu:rows=300":                 "pcg",
		"ddilu:rows=300,parallel=edges":  "pcg",
		"ddilu:rows=300,solver=bicgstab": "bicgstab",
		"multigrid:solver=bicgstab":      "bicgstab",
		"jacobi:solver=bicgstab":         "bicgstab",
	} {
		for name, executor := range executors(t) {
			o := gpusolve.Options{Device: "cpu", Preconditioner: spec, RTol: 1e-9, Executor: executor()}
			if name == "interpreter" && spec != "ddilu:rows=300" && spec != "multigrid:solver=bicgstab" {
				continue // slow there; the operations have their own tests
			}
			got, err := gpusolve.Steady(context.Background(), solves.Build(t, s), o)
			if err != nil {
				t.Errorf("%s on %s: %v", spec, name, err)
				continue
			}
			if d := solves.LargestDifference(want, solves.Field(t, s, got.Field)); d > 1e-4 || !got.Status.Converged ||
				got.Status.Method != solver {
				t.Errorf("%s on %s: fields differ by %g K: %+v", spec, name, d, got.Status)
			}
			if limit := map[bool]int{true: 25,
				false: 5000}[strings.HasPrefix(spec, "multigrid")]; got.Status.Iterations > limit {
				t.Errorf("%s on %s: %d iterations", spec, name, got.Status.Iterations)
			}
			got.Close()
		}
	}
}

func TestBlockFactorsStep(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 14, NY: 11})
	plan := gpusolve.TransientOptions{Steps: 3, Dt: 1e-3}
	var want []float64
	for _, spec := range []string{"multigrid", "ddilu:rows=400", "ddilu:rows=400,solver=bicgstab"} {
		sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s),
			gpusolve.Options{Device: "cpu", Preconditioner: spec, RTol: 1e-10}, plan)
		if err != nil {
			t.Fatal(err)
		}
		got := solves.Field(t, s, sol.Field)
		sol.Close()
		if want == nil {
			want = got
		} else if d := solves.LargestDifference(want, got); d > 1e-5 {
			t.Errorf("%s: fields differ by %g K", spec, d)
		}
	}
}

// A matrix that is not symmetric is solved by BiCGSTAB without being asked for, by default with block factors.
func TestConvectionAgainstElimination(t *testing.T) {
	d := opstest.Upwind([3]int{7, 6, 5}, [3]float64{40, -3, 0.2})
	for form, a := range map[string]*matrix.Matrix{
		"diagonals": {Diagonals: d, Entries: d.CSR().Entries()},
		"rows":      {Rows: d.CSR(), Entries: d.CSR().Entries()},
	} {
		b := make([]float64, a.N())
		for i := range b {
			b[i] = math.Sin(float64(i * i))
		}
		want := opstest.Eliminate(d.CSR(), b)
		for _, spec := range []string{"", "ddilu:rows=40", "ilu:order=0", "ilu", "ilu:order=0,precision=fp64",
			"ilu:precision=fp64", "jacobi", "none"} {
			ilu := strings.HasPrefix(spec, "ilu")
			if ilu && form == "rows" {
				continue // a grid is all that it takes
			}
			for name, executor := range executors(t) {
				if name == "interpreter" && spec != "" && !ilu {
					continue
				}
				s, err := matrix.Solve(context.Background(), a, b,
					gpusolve.Options{Device: "cpu", Preconditioner: spec, RTol: 1e-11, Executor: executor()})
				if err != nil {
					t.Errorf("%q by %s on %s: %v", spec, form, name, err)
					continue
				}
				worst := 0.0
				for i := range want {
					worst = math.Max(worst, math.Abs(want[i]-s.X[i]))
				}
				if !s.Status.Converged || s.Status.Method != "bicgstab" || worst > 1e-9 || spec == "" &&
					s.Status.Preconditioner != "ddilu" {
					t.Errorf("%q by %s on %s: error %g, %+v", spec, form, name, worst, s.Status)
				}
			}
		}
	}
}

// BiCGSTAB has no estimate of the error in K, and does not put another rule in its place.
func TestBiCGSTABRefusesKelvin(t *testing.T) {
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 6}))
	for _, o := range []gpusolve.Options{{}, {Tol: 1e-3}} {
		o.Device, o.Preconditioner = "cpu", "jacobi:solver=bicgstab"
		if _, err := gpusolve.Steady(context.Background(), m, o); !errors.Is(err, gpusolve.ErrOption) ||
			!strings.Contains(err.Error(), "give --rtol or --atol") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Refusals say what to do.
func TestMethodsRefuse(t *testing.T) {
	d := opstest.Upwind([3]int{5, 4, 3}, [3]float64{4, 0, 0})
	general := &matrix.Matrix{Diagonals: d, Entries: d.CSR().Entries()}
	weak := sparse.NewDiagonals(2, 1, 1)
	weak.Main, weak.X[0] = []float64{1, 1}, -3
	symmetric := &matrix.Matrix{Diagonals: weak, Entries: 4, Symmetric: true}
	for _, c := range []struct {
		a          *matrix.Matrix
		spec, want string
	}{
		{general, "jacobi:solver=pcg", "need a symmetric matrix"},
		{general, "ddilu:solver=pcg", "need a symmetric matrix"},
		{general, "ilu:solver=pcg", "need a symmetric matrix"},
		{general, "ic", "methods for such matrices are ddilu, ilu, jacobi, none"},
		{&matrix.Matrix{Rows: d.CSR(), Entries: d.CSR().Entries()}, "ilu", "the matrix is given by rows"},
		{symmetric, "ddilu", "cell (1, 0, 0); raise the diagonal with ddilu:shift="},
	} {
		_, err := matrix.Solve(context.Background(), c.a, make([]float64, c.a.N()),
			gpusolve.Options{Device: "cpu", Preconditioner: c.spec})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.spec, err, c.want)
		}
	}
}
