package estimates_test

import (
	"flag"
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// stacks is the number of random stacks; every second one is extreme.
var stacks = flag.Uint64("stacks", testtier.Pick[uint64](6, 60), "number of random stacks")

// far above its estimate is an error that makes the estimate useless.
const far = 3

// The largest error is below its estimate, and the estimate below the tolerance, wherever a method reports convergence.
// go test ./gpusolve/testing/estimates -v -run Bound -stacks 2000 prints what numerics.md says of 2000 stacks.
func TestEstimatesBoundErrors(t *testing.T) {
	five := []string{"multigrid", "ic", "cmg", "ddilu", "parac"}
	all := methods.Names()
	above, ratios := map[string]int{}, map[string][]float64{} // at the default tolerance
	for seed := range *stacks {
		use := five
		if seed < max(*stacks/6, 1) {
			use = all // jacobi, none and chebyshev take hundreds of iterations
		}
		for _, tol := range []float64{1e-2, gpusolve.DefaultTol, 1e-6} {
			trials, err := try(cases.Any(seed), use, tol, 20000)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range trials {
				reached := c.reason == solution.ReasonTolerance
				if reached && (c.exceeds(1) || c.estimate > tol) || c.converged && !c.balanced {
					t.Errorf("stack %d by %s to %g K: error %.2g K, estimate %.2g K, balance %t", seed, c.method, tol,
						c.error, c.estimate, c.balanced)
				}
				if c.method == "multigrid" && tol > 1e-6 && !reached {
					t.Errorf("stack %d to %g K: multigrid does not solve it", seed, tol)
				}
				if tol == gpusolve.DefaultTol && c.converged && c.error > 0 {
					ratios[c.method] = append(ratios[c.method], c.estimate/c.error)
					if c.exceeds(1) {
						above[c.method]++
					}
				}
			}
		}
	}
	for _, method := range all {
		if r := slices.Sorted(slices.Values(ratios[method])); len(r) > 0 {
			t.Logf("%s: error above the estimate in %d of %d solves, median of estimate over error %.1f", method,
				above[method], len(r), r[len(r)/2])
		}
	}
}

// TestStepsAgainstElimination takes four steps, of any length from 1 ns to 10 s, of every method: the sum of the
// estimates bounds the error.
func TestStepsAgainstElimination(t *testing.T) {
	for seed := range *stacks {
		m, err := mesh.Build(cases.Any(seed))
		if err != nil {
			t.Fatal(err)
		}
		const steps = 4
		dt := 1e-9 * math.Pow(10, float64(seed%21)/2)
		truth, err := exactSteps(m, dt, steps)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{"multigrid", "ic", "cmg", "ddilu"} {
			sol, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{Preconditioner: method, Device: "cpu"},
				gpusolve.TransientOptions{Steps: steps, Dt: dt})
			if err != nil {
				t.Fatal(err)
			}
			wrong, err := departure(sol.Field, m, truth)
			if err != nil {
				t.Fatal(err)
			}
			if st := sol.Status; st.Reason == solution.ReasonTolerance && !(wrong <= st.EstimatedErrorK) {
				t.Errorf("stack %d, steps of %.2g s by %s: error %.2g K, estimate %.2g K", seed, dt, method, wrong,
					st.EstimatedErrorK)
			}
			sol.Close()
		}
	}
}

// Stacks whose slowest mode hides from weak methods, and stacks so stiff that FP32 makes a preconditioner indefinite:
// no method calls a result converged whose error is beyond the estimate, or gives an estimate that the error exceeds by
// far.
func TestHiddenModes(t *testing.T) {
	for name, solved := range map[string][]string{
		"barely_cooled":  {"multigrid", "ic", "cmg", "ddilu", "jacobi"}, // 2.9 K by jacobi, after three iterations
		"patches":        {"multigrid", "ic", "cmg", "ddilu", "jacobi"},
		"floating":       nil, // 7 nW/K to ground and couplings of MW/K: a rise of 2.7e8 K
		"stiff_88_cells": {"multigrid", "ic", "cmg", "ddilu", "jacobi"},
		"stiff_40_cells": {"multigrid", "ic", "cmg", "ddilu", "jacobi"},
	} {
		s, err := stackfile.Load("testdata/" + name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		for _, tol := range []float64{1e-4, 1e-2}[:testtier.Pick(1, 2)] {
			trials, err := try(s,
				[]string{"multigrid", "ic", "cmg", "ddilu", "jacobi", "chebyshev:precision=fixed-fp16"}, tol, 5000)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range trials {
				if c.exceeds(1) || c.misleads(far) || c.converged && !c.balanced {
					t.Errorf("%s by %s to %g K: %s, error %.2g K, estimate %.2g K, balance %t", name, c.method, tol,
						c.reason, c.error, c.estimate, c.balanced)
				}
				if slices.Contains(solved, c.method) && !(c.converged && c.within) {
					t.Errorf("%s by %s to %g K: %s, error %.2g K", name, c.method, tol, c.reason, c.error)
				}
			}
		}
	}
}

// The exact field is that of Gaussian elimination on the dense matrix, where that is well conditioned.
func TestEliminationAgainstDense(t *testing.T) {
	checked := 0
	for seed := uint64(0); checked < 12; seed += 2 {
		m, err := mesh.Build(cases.Any(seed))
		if err != nil {
			t.Fatal(err)
		}
		if m.Cells() > 250 || m.Cells() < 12 {
			continue
		}
		checked++
		_, got, err := exactField(m.Stack)
		if err != nil {
			t.Fatal(err)
		}
		want := dense(t, m)
		for c := range want {
			if math.Abs(want[c]-got[c]) > 1e-8*largest(want) {
				t.Fatalf("stack %d, cell %d: %.15g K, by a dense solve %.15g K", seed, c, got[c], want[c])
			}
		}
	}
}

// dense solves by Gaussian elimination with partial pivoting.
func dense(t *testing.T, m *mesh.Mesh) []float64 {
	t.Helper()
	d, b, err := gpusolve.Export(m)
	if err != nil {
		t.Fatal(err)
	}
	n := d.N()
	a := make([][]float64, n)
	unit, column := make([]float64, n), make([]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	for j := range n {
		unit[j] = 1
		d.Multiply(column, unit)
		unit[j] = 0
		for i, v := range column {
			a[i][j] = v
		}
	}
	for k := range n {
		pivot := k
		for i := k; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[pivot][k]) {
				pivot = i
			}
		}
		a[k], a[pivot], b[k], b[pivot] = a[pivot], a[k], b[pivot], b[k]
		for i := k + 1; i < n; i++ {
			f := a[i][k] / a[k][k]
			for j := k; j < n; j++ {
				a[i][j] -= f * a[k][j]
			}
			b[i] -= f * b[k]
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			b[k] -= a[k][j] * b[j]
		}
		b[k] /= a[k][k]
	}
	return b
}

// Small conductances to ground beside large couplings cost the elimination no accuracy: one column of cells, by hand.
func TestEliminationOfAChain(t *testing.T) {
	d := host.Open()
	defer d.Close()
	s := cases.Slab(cases.Options{NX: 1, H: 1e-9}, 3)
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := d.Assemble(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer sys.Free()
	x, err := exact(sys)
	if err != nil {
		t.Fatal(err)
	}
	want := 30 / float64(float32(m.FaceConductance(stack.Top, 0, 0, 2)))
	if math.Abs(x[2]/want-1) > 1e-12 {
		t.Errorf("%.15g K in the top cell, want %.15g", x[2], want)
	}
}
