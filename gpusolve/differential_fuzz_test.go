package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// Any stack has the same temperatures on the processor and by the kernels, in a steady state and in time, and keeps its
// heat on both; and the method of choice finds them too.
func FuzzDevices(f *testing.F) {
	addSeeds(f, testtier.Pick(6, 12))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := cases.Bytes(data)
		s := anyKind(t, r)
		if stack.Validate(s) != nil {
			t.Skip("no valid stack")
		}
		m := solves.Build(t, s)
		if m.Cells() > 1500 {
			t.Skip("too many cells for the interpreter")
		}
		steps, dt := 2*r.IntN(2), 3e-5*math.Pow(1000, r.Float64())
		machine := devices.Machine(interpreter.Options{Seed: int64(r.IntN(100)), NoRaces: r.IntN(4) > 0})
		gpu := solves.OnInterpreter(t, machine)
		const tol = 1e-5
		want, gain := balanced(t, "processor", m, gpusolve.Options{Device: "cpu", Preconditioner: "multigrid",
			Tol: tol}, steps, dt)
		got, _ := balanced(t, "interpreter", m, gpusolve.Options{Executor: gpu, Preconditioner: "multigrid", Tol: tol},
			steps, dt)
		gpu.Close()
		solves.Empty(t, machine)
		limit := 2*tol + rounding(want)*gain
		if d := solves.LargestDifference(want, got); d > limit {
			t.Errorf("processor and interpreter differ by %g K, limit %g: %+v", d, limit, s)
		}
		auto, _ := balanced(t, "auto", m, gpusolve.Options{Device: "cpu", Tol: tol}, steps, dt)
		if d := solves.LargestDifference(want, auto); d > limit {
			t.Errorf("multigrid and the method of choice differ by %g K, limit %g: %+v", d, limit, s)
		}
	})
}

func addSeeds(f *testing.F, n int) {
	for _, seed := range cases.Seeds(n) {
		f.Add(seed)
	}
}

// anyKind draws a small stack: plain, with patches, cooled, or following the temperature.
func anyKind(t *testing.T, r *rand.Rand) *stack.Stack {
	switch r.IntN(5) {
	case 0:
		return cases.Cooled(r, 3+2*r.IntN(3), 3+2*r.IntN(3))
	case 1:
		return randomNonlinear(r)
	case 2:
		return leakyNonlinear(t, r, r.IntN(2) == 0)
	}
	s := cases.Drawn(r)
	for _, axis := range []*stack.Axis{&s.Grid.X, &s.Grid.Y} {
		if axis.Cells > 9 {
			*axis = stack.Axis{Cells: 9}
		}
	}
	if r.IntN(2) == 0 {
		cases.Patch(r, s)
	}
	return s
}

// balanced solves, once or in steps of dt, and demands that heat is kept. It gives the field, and by how much leakage
// amplifies.
func balanced(t *testing.T, what string, m *mesh.Mesh, o gpusolve.Options, steps int, dt float64) (kelvin []float64,
	gain float64) {
	t.Helper()
	var sol *gpusolve.Solution
	var err error
	if steps == 0 {
		sol, err = gpusolve.Steady(context.Background(), m, o)
	} else {
		sol, err = gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: steps, Dt: dt})
	}
	if err != nil {
		t.Fatalf("%s: %v; %+v", what, err, m.Stack)
	}
	defer sol.Close()
	if limit := solution.ImbalanceLimit(m, sol); !sol.Status.Converged || !(sol.Energy.ImbalanceRel <= limit) {
		t.Fatalf("%s: %+v, %+v, limit %g; %+v", what, sol.Status, sol.Energy, limit, m.Stack)
	}
	gain = 1
	if n := sol.Status.Nonlinear; n != nil && n.Leakage != nil {
		gain = 1 / (1 - n.Leakage.Gain)
	}
	return solves.Field(t, m.Stack, sol.Field), gain
}

// Any small stack whose materials, films or powers follow the temperature, beside coolant too, has the temperatures
// that Newton's method and elimination find.
func FuzzNewton(f *testing.F) {
	addSeeds(f, 12)
	f.Fuzz(func(t *testing.T, data []byte) {
		r := cases.Bytes(data)
		var s *stack.Stack
		switch start := r.IntN(3); start {
		case 0:
			s = randomNonlinear(r)
		case 1:
			s = leakyNonlinear(t, r, r.IntN(2) == 0)
		default:
			curves := r.IntN(3) > 0
			s = solves.FollowingCooled(r, curves, !curves || r.IntN(2) == 0)
		}
		m := solves.Build(t, s)
		sol, err := gpusolve.Steady(context.Background(), m, gpusolve.Options{Device: "cpu", Tol: 1e-8})
		if err != nil {
			t.Fatalf("%v: %+v", err, s)
		}
		defer sol.Close()
		if sol.Status.Reason == solution.ReasonRunaway {
			t.Skip("no steady state")
		}
		d, want := solves.ByNewton(m, sol.PeakK)
		gain := 1.0
		if l := sol.Status.Nonlinear.Leakage; l != nil {
			gain = 1 / (1 - l.Gain)
		}
		// Conductances turn with the last digits of the temperature to the next number of FP32, in a stack or two of a
		// thousand at one across which most of the rise is; and where they fall with the temperature, that makes more
		// of it: as much as the iteration contracts.
		if slices.ContainsFunc(want, math.IsNaN) {
			t.Skip("Newton's method without damping leaves the laws' range")
		}
		more := gain / (1 - math.Max(0, math.Min(0.9, sol.Status.Nonlinear.Contraction)))
		limit := solves.NewtonLimit(m, sol, want, gain) +
			0x1p-22*math.Max(slices.Max(want)-300, 300-slices.Min(want))*more
		got := solves.Field(t, s, sol.Field)
		// laws that fall with the temperature can have more than one state: this one is one if Newton's method stays
		// there
		if !(solves.LargestDifference(got, want) <= limit) {
			want = slices.Clone(got)
			d.Solve(want)
		}
		// 1e-8 K can be less than FP32 allows: a run that says so, or that its properties do not settle, is held to the
		// limit alone.
		within := 1e-7
		if sol.Status.Reason == solution.ReasonAttainable || !sol.Status.Converged {
			within = 1e-6
		}
		if e := solves.LargestDifference(got, want); !(e <= limit) || !(sol.Energy.ImbalanceRel <= within) {
			t.Errorf("off by %.3g K of a rise of %.3g K, limit %.3g; %+v, %+v, imbalance %g; %+v", e,
				slices.Max(want)-300, limit, sol.Status, sol.Status.Nonlinear, sol.Energy.ImbalanceRel, s)
		}
	})
}

// Any conditions on parts of faces give the temperatures and the heat that elimination of an independent matrix gives.
func FuzzPatches(f *testing.F) {
	addSeeds(f, 12)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := patchedStack(cases.Bytes(data))
		if stack.Validate(s) != nil || slices.ContainsFunc(s.Layers, func(y stack.Layer) bool {
			return y.Thickness < 5e-6
		}) {
			t.Skip("no valid stack, or one too flat for preconditioners in FP32 to reach 1e-9")
		}
		if sol, err := gpusolve.Steady(context.Background(), solves.Build(t, s),
			gpusolve.Options{Device: "cpu"}); errors.Is(
			err, gpusolve.ErrSingular) {
			t.Skip("no way out for the heat")
		} else if err == nil {
			sol.Close()
			if sol.PeakK > 1e4 {
				t.Skip("nothing but slivers between patches leads the heat away: some are below what is painted, and " +
					"the rest is rounded to FP32")
			}
		}
		patchesAgainstElimination(t, s, gpusolve.Options{Device: "cpu"})
	})
}

// rounding is what couplings in FP32 may do to temperatures of such a range.
func rounding(kelvin []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range kelvin {
		low, high = min(low, v), max(high, v)
	}
	return 1e-6 * (high - low)
}

// Whatever the matrix and the method, a solve ends with a status that tells the truth about the residual, or with a
// refusal.
func FuzzSolveMatrix(f *testing.F) {
	f.Add("%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n", uint8(0))
	f.Add("%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 4\n1 2 1\n2 1 2\n2 2 3\n", uint8(3))
	f.Add("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1e-300\n2 2 1e300\n", uint8(1))
	f.Add("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 -1\n2 2 1\n", uint8(2))
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		a, err := matrixmarket.ReadMatrix("a", strings.NewReader(text))
		if err != nil || a.N() == 0 || a.N() > 100 {
			return
		}
		m, err := matrix.New(a.CSR, matrix.Shape{})
		if err != nil {
			return
		}
		methods := append(methods.Names(), "auto")
		b := make([]float64, a.N())
		for i := range b {
			b[i] = 1 + float64(i%3)
		}
		s, err := matrix.Solve(context.Background(), m, b,
			gpusolve.Options{Device: "cpu", Preconditioner: methods[int(which)%len(methods)], MaxIter: 500})
		if err != nil {
			for _, known := range []error{matrix.ErrMatrix, gpusolve.ErrOption, gpusolve.ErrDevice} {
				if errors.Is(err, known) {
					return
				}
			}
			t.Fatalf("%v", err)
		}
		if !s.Status.Converged {
			return
		}
		x := s.X
		sum, size, terms := 0.0, 0.0, 0.0
		for i := range b {
			r, row := b[i], b[i]
			for k := a.CSR.RowPtr[i]; k < a.CSR.RowPtr[i+1]; k++ {
				r -= a.CSR.Val[k] * x[a.CSR.Col[k]]
				row += math.Abs(a.CSR.Val[k] * x[a.CSR.Col[k]])
			}
			sum, size, terms = sum+r*r, size+b[i]*b[i], terms+row*row
		}
		limit := 1.01e-8 * math.Sqrt(size)
		if s.Status.Reason == solution.ReasonAttainable {
			limit = math.Max(limit, 8*0x1p-53*math.Sqrt(terms)) // what sums of such terms may be off by
		}
		if !(math.Sqrt(sum) <= limit) {
			t.Errorf("%s, with a relative residual of %g, limit %g", s.Status.Reason, math.Sqrt(sum/size),
				limit/math.Sqrt(size))
		}
	})
}
