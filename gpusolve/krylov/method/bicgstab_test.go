package method_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/jacobi"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
)

// stabilise solves a system given by rows on the processor.
func stabilise(t *testing.T, a *sparse.CSR, b []float64, rule krylov.Rule,
	method func(ops.Operator) (precond.Preconditioner, error)) ([]float64, krylov.Outcome) {
	t.Helper()
	d := host.Open()
	defer d.Close()
	s, err := d.LoadCSR(a)
	if err != nil {
		t.Fatal(err)
	}
	source, err := opstest.Dense(s, b)
	if err != nil {
		t.Fatal(err)
	}
	m, err := method(s)
	if err != nil {
		t.Fatal(err)
	}
	c, err := krylov.NewBiCGSTAB(s, m)
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.New64()
	if err != nil {
		t.Fatal(err)
	}
	c.StartFromZero()
	out := c.Solve(context.Background(), rule, source, x)
	got := make([]float64, a.N())
	s.Read(x, got)
	return got, out
}

func TestBiCGSTABAgainstElimination(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, a := range map[string]*sparse.CSR{
		"upwind":       opstest.Upwind([3]int{7, 6, 5}, [3]float64{20, -5, 1}).CSR(),
		"recirculated": opstest.Upwind([3]int{9, 8, 1}, [3]float64{0.1, 100, 0}).CSR(),
		"random":       opstest.RandomDiagonals(rng, [3]int{5, 7, 4}, false).CSR(),
		"symmetric":    opstest.RandomDiagonals(rng, [3]int{5, 7, 4}, true).CSR(),
		"graph":        opstest.RandomGraph(rng, 90),
		"one":          {RowPtr: []int64{0, 1}, Col: []int32{0}, Val: []float64{-3}},
	} {
		b := make([]float64, a.N())
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		want := opstest.Eliminate(a, b)
		for method, m := range map[string]func(ops.Operator) (precond.Preconditioner, error){
			"jacobi": jacobi.New, "none": jacobi.None} {
			got, out := stabilise(t, a, b, krylov.Rule{RTol: 1e-10, MaxIter: 2000}, m)
			if !out.Converged || out.Norms.Residual > 1e-10*out.Norms.Source {
				t.Errorf("%s with %s: %+v", name, method, out)
			}
			scale := 0.0
			for _, v := range want {
				scale = math.Max(scale, math.Abs(v))
			}
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-6*scale {
					t.Errorf("%s with %s: x[%d] is %g, want %g", name, method, i, got[i], want[i])
					break
				}
			}
		}
	}
}

// A rotation turns every residual into one that is orthogonal to it: both steps of an iteration are 0, and no restart
// helps.
func TestBiCGSTABBreaksDownOnARotation(t *testing.T) {
	a := &sparse.CSR{RowPtr: []int64{0, 1, 2}, Col: []int32{1, 0}, Val: []float64{1, -1}}
	_, out := stabilise(t, a, []float64{1, 2}, krylov.Rule{RTol: 1e-8, MaxIter: 100}, jacobi.None)
	if out.Converged || out.Reason != krylov.Breakdown || out.Iterations > 5 {
		t.Errorf("a rotation by a right angle: %+v", out)
	}
}

// Near a breakdown: A r is nearly orthogonal to the first residual, so the first step is hundreds of times too long and
// the second half nearly none. Steps, restarts from the true residual included, still end at the solution.
func TestBiCGSTABPassesANearBreakdown(t *testing.T) {
	a := &sparse.CSR{RowPtr: []int64{0, 2, 5, 8}, Col: []int32{1, 2, 0, 1, 2, 0, 1, 2},
		Val: []float64{1, 0.5, 1, 3, 0.2, 1, 0.1, 2}}
	b := []float64{1, 1e-3, 0}
	want := opstest.Eliminate(a, b)
	got, out := stabilise(t, a, b, krylov.Rule{RTol: 1e-10, MaxIter: 200}, jacobi.None)
	if !out.Converged {
		t.Fatalf("%+v", out)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-8 {
			t.Errorf("x is %v, want %v", got, want)
			break
		}
	}
}

func TestBiCGSTABStopsForItsReasons(t *testing.T) {
	a := opstest.Upwind([3]int{8, 8, 8}, [3]float64{3, 0, 0}).CSR()
	b := make([]float64, a.N())
	for i := range b {
		b[i] = 1
	}
	if _, out := stabilise(t, a, b, krylov.Rule{RTol: 1e-10, MaxIter: 2}, jacobi.New); out.Reason != krylov.Limit ||
		out.Iterations != 2 || out.Converged {
		t.Errorf("a limit of two iterations: %+v", out)
	}
	// A residual of 1e-30 of the source cannot be had: rounding says so.
	if _, out := stabilise(t, a, b, krylov.Rule{RTol: 1e-30, MaxIter: 500}, jacobi.New); out.Reason !=
		krylov.Attainable || !out.Converged {
		t.Errorf("beyond rounding: %+v", out)
	}
	if _, out := stabilise(t, a, make([]float64, len(b)), krylov.Rule{RTol: 1e-10, MaxIter: 500},
		jacobi.New); !out.Converged || out.Iterations != 0 {
		t.Errorf("no source: %+v", out)
	}
	inf := append([]float64(nil), b...)
	inf[5] = math.Inf(1)
	if _, out := stabilise(t, a, inf, krylov.Rule{RTol: 1e-10, MaxIter: 500}, jacobi.New); out.Converged ||
		out.Reason != krylov.Breakdown {
		t.Errorf("an infinite source: %+v", out)
	}
}

// Two solves of one problem are the same to the last bit.
func TestBiCGSTABRepeats(t *testing.T) {
	a := opstest.Upwind([3]int{11, 9, 5}, [3]float64{5, -2, 1}).CSR()
	b := make([]float64, a.N())
	for i := range b {
		b[i] = float64(i % 7)
	}
	rule := krylov.Rule{RTol: 1e-9, MaxIter: 500}
	one, first := stabilise(t, a, b, rule, jacobi.New)
	two, second := stabilise(t, a, b, rule, jacobi.New)
	// So is one with the same tolerance in the source's unit.
	norm := 0.0
	for _, v := range b {
		norm = math.Hypot(norm, v)
	}
	if _, out := stabilise(t, a, b, krylov.Rule{ATol: 1e-9 * norm, MaxIter: 500}, jacobi.New); !out.Converged ||
		out.Iterations != first.Iterations {
		t.Errorf("%d iterations to an absolute tolerance, %d to a relative one", out.Iterations, first.Iterations)
	}
	if fmt.Sprint(one) != fmt.Sprint(two) || first != second && !math.IsNaN(first.ErrorK) {
		t.Errorf("%+v and %+v", first, second)
	}
	// 2^20 times the source has 2^20 times the solution, bit for bit: a relative tolerance ends both at the same
	// iterate.
	for i := range b {
		b[i] *= 0x1p20
	}
	large, out := stabilise(t, a, b, rule, jacobi.New)
	for i := range large {
		if large[i] != 0x1p20*one[i] || out.Iterations != first.Iterations {
			t.Fatalf("%g after %d iterations, %g after %d of a source that is 2^20 times smaller", large[i],
				out.Iterations, one[i], first.Iterations)
		}
	}
}
