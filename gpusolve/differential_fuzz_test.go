package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/interpreter"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/mesh"
)

// Any stack has the same temperatures on the processor and by the kernels, keeps its heat on both, and where the direct solver takes it, by that too.
func FuzzDevices(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		m, err := mesh.Build(cases.AnyStack(seed, seed>>8))
		if err != nil {
			t.Fatal(err)
		}
		if m.Cells() > 4000 {
			t.Skip("too many cells for the interpreter")
		}
		const tol = 1e-5
		solve := func(what string, o gpusolve.Options) []float64 {
			o.Tol = tol
			sol, err := gpusolve.Steady(context.Background(), m, o)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			defer sol.Close()
			if limit := solution.ImbalanceLimit(m, sol); !sol.Status.Converged || !(sol.Energy.ImbalanceRel <= limit) {
				t.Fatalf("%s: %+v, %+v, limit %g", what, sol.Status, sol.Energy, limit)
			}
			return field(t, m.Stack, sol.Field)
		}
		want := solve("processor", gpusolve.Options{Device: "cpu", Preconditioner: "multigrid"})
		machine := interpreter.New(interpreter.Options{Seed: int64(seed)})
		got := solve("interpreter", gpusolve.Options{Executor: onInterpreter(t, machine), Preconditioner: "multigrid"})
		if d := largestDifference(want, got); d > 2*tol+rounding(want) {
			t.Errorf("processor and interpreter differ by %g K", d)
		}
		auto := solve("auto", gpusolve.Options{Device: "cpu"})
		if d := largestDifference(want, auto); d > 2*tol+rounding(want) {
			t.Errorf("multigrid and the method of choice differ by %g K", d)
		}
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

// Whatever the matrix and the method, a solve ends with a status that tells the truth about the residual, or with a refusal.
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
		m, err := gpusolve.NewMatrix(a.CSR, gpusolve.Shape{})
		if err != nil {
			return
		}
		methods := append(gpusolve.Preconditioners(), "auto")
		b := make([]float64, a.N())
		for i := range b {
			b[i] = 1 + float64(i%3)
		}
		s, err := gpusolve.SolveMatrix(context.Background(), m, b, gpusolve.Options{Device: "cpu", Preconditioner: methods[int(which)%len(methods)], MaxIter: 500})
		if err != nil {
			for _, known := range []error{gpusolve.ErrMatrix, gpusolve.ErrOption, gpusolve.ErrDevice} {
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
		sum, size := 0.0, 0.0
		for i := range b {
			r := b[i]
			for k := a.CSR.RowPtr[i]; k < a.CSR.RowPtr[i+1]; k++ {
				r -= a.CSR.Val[k] * x[a.CSR.Col[k]]
			}
			sum, size = sum+r*r, size+b[i]*b[i]
		}
		if !(math.Sqrt(sum) <= 1.01e-8*math.Sqrt(size)) {
			t.Errorf("converged, with a relative residual of %g", math.Sqrt(sum/size))
		}
	})
}
