package methods_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/graphs"
	"thermsim/gpusolve/testing/cases"
)

// On a tree the factor is exact, so that one iteration is enough: what is left is rounding of G and of the vectors to
// single precision.
func TestParacSolvesTreesAtOnce(t *testing.T) {
	const n = 500
	a := &sparse.CSR{RowPtr: []int64{0}}
	parent := func(v int) int { return (v - 1) / 3 * 2 / 3 }
	for v := range n {
		diagonal := 0.0
		var near []int
		for u := range n {
			if u != v && (u > 0 && parent(u) == v || v > 0 && parent(v) == u) {
				near = append(near, u)
				diagonal += 1 + float64(max(u, v)%7)
			}
		}
		if v%50 == 0 {
			diagonal += 0.5
		}
		at := 0
		for ; at < len(near) && near[at] < v; at++ {
			a.Col, a.Val = append(a.Col, int32(near[at])), append(a.Val, -1-float64(max(near[at], v)%7))
		}
		a.Col, a.Val = append(a.Col, int32(v)), append(a.Val, diagonal)
		for ; at < len(near); at++ {
			a.Col, a.Val = append(a.Col, int32(near[at])), append(a.Val, -1-float64(max(near[at], v)%7))
		}
		a.RowPtr = append(a.RowPtr, int64(len(a.Col)))
	}
	s, err := matrix.Solve(context.Background(), solves.NewMatrix(t, a), graphs.Source(n, 3),
		gpusolve.Options{Device: "cpu", Preconditioner: "parac:order=amd", RTol: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	if s.Status.Iterations != 1 || !s.Status.Converged {
		t.Errorf("%+v, want one iteration", s.Status)
	}
}

func TestParacSolvesGraphs(t *testing.T) {
	for _, f := range graphs.All() {
		a := solves.NewMatrix(t, f.Build(600, 2))
		s, err := matrix.Solve(context.Background(), a, graphs.Source(a.N(), 3),
			gpusolve.Options{Device: "cpu", Preconditioner: "parac", RTol: 1e-8})
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		} else if !s.Status.Converged || s.Status.Iterations > 60 ||
			strings.Contains(s.Status.Details, "double cover") != f.Signed {
			t.Errorf("%s: %+v", f.Name, s.Status)
		}
	}
}

// A stack, steady and in time, against multigrid.
func TestParacOnStacks(t *testing.T) {
	m := solves.Build(t, cases.Interposer(cases.Stack10(cases.Options{NX: 16})))
	want := solves.Steady(t, m.Stack, gpusolve.Options{Tol: 1e-6}).PeakK
	got := solves.Steady(t, m.Stack, gpusolve.Options{Preconditioner: "parac:order=nnz,seed=7", RTol: 1e-10})
	if math.Abs(got.PeakK-want) > 1e-4 || !strings.Contains(got.Status.Details, "order nnz") {
		t.Errorf("steady: %g K, want %g K; %s", got.PeakK, want, got.Status.Details)
	}
	var last [2]float64
	for i, o := range []gpusolve.Options{{Tol: 1e-7}, {Preconditioner: "parac", RTol: 1e-10}} {
		sol, err := gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: 4, Dt: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		last[i] = sol.Steps[3].MaxK
	}
	if math.Abs(last[0]-last[1]) > 1e-4 {
		t.Errorf("in time: %g K, want %g K", last[1], last[0])
	}
}
