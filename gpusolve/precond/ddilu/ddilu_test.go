package ddilu_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/ddilu"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
)

// load puts a matrix on the processor, by diagonals or by rows, with its preconditioner.
func load(t *testing.T, a any, settings string) (ops.Operator, *ddilu.Preconditioner, error) {
	t.Helper()
	d := host.Open()
	t.Cleanup(func() { d.Close() })
	var s ops.Operator
	var err error
	switch a := a.(type) {
	case *sparse.Diagonals:
		s, err = d.LoadDiagonals(a)
	case *sparse.CSR:
		s, err = d.LoadCSR(a)
	}
	if err != nil {
		t.Fatal(err)
	}
	set, err := precond.Parse(settings, ddilu.Keys())
	if err != nil {
		t.Fatal(err)
	}
	p, err := ddilu.New(s, set)
	return s, p, err
}

// iterations to a relative residual with a random source.
func iterations(t *testing.T, s ops.Operator, p precond.Preconditioner, n int, rtol float64,
	symmetric bool) krylov.Outcome {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	b := make([]float64, n)
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	source, err := opstest.Dense(s, b)
	if err != nil {
		t.Fatal(err)
	}
	var solver krylov.Solver
	if symmetric {
		solver, err = krylov.NewPCG(s, p)
	} else {
		solver, err = krylov.NewBiCGSTAB(s, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.New64()
	if err != nil {
		t.Fatal(err)
	}
	solver.StartFromZero()
	return solver.Solve(context.Background(), krylov.Rule{RTol: rtol, MaxIter: 3000}, source, x)
}

// Without fill to leave out, the factor is the matrix: a line of cells, symmetric or not, is solved by the first
// iteration, as far as FP32 goes.
func TestTridiagonalMatricesAreSolved(t *testing.T) {
	for name, d := range map[string]*sparse.Diagonals{
		"along x":  opstest.Layered([3]int{40, 1, 1}, func(int) float64 { return 3 }),
		"along z":  opstest.Layered([3]int{1, 1, 50}, func(k int) float64 { return 1 + float64(k%5) }),
		"upwind y": opstest.Upwind([3]int{1, 60, 1}, [3]float64{0, 7, 0}),
	} {
		for form, a := range map[string]any{"diagonals": d, "rows": d.CSR()} {
			s, p, err := load(t, a, "")
			if err != nil {
				t.Fatal(err)
			}
			if out := iterations(t, s, p, d.N(), 1e-4, d.Symmetric()); !out.Converged || out.Iterations != 1 {
				t.Errorf("%s by %s: %+v", name, form, out)
			}
		}
	}
}

// The preconditioner of a symmetric matrix is symmetric and positive definite, as conjugate gradients need it.
func TestSymmetricMatricesKeepTheirSymmetry(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for form, a := range map[string]any{
		"bricks": opstest.RandomDiagonals(rng, [3]int{17, 13, 11}, true),
		"parts":  opstest.RandomGraph(rng, 900),
	} {
		s, p, err := load(t, a, "rows=200")
		if err != nil {
			t.Fatal(err)
		}
		z, r := new32(t, s), new32(t, s)
		apply := func(v []float64) []float64 {
			s.Write(r, v)
			p.Apply(z, r)
			y := make([]float64, len(v))
			s.Read(z, y)
			return y
		}
		u, v := make([]float64, z.Len()), make([]float64, z.Len())
		for i := range u {
			u[i], v[i] = float64(float32(rng.NormFloat64())), float64(float32(rng.NormFloat64()))
		}
		mu, mv := apply(u), apply(v)
		size := math.Sqrt(dot(u, mu) * dot(v, mv))
		if !(dot(u, mu) > 0) || math.Abs(dot(v, mu)-dot(u, mv)) > 1e-6*size {
			t.Errorf("%s: u.Mv = %g, v.Mu = %g, u.Mu = %g", form, dot(u, mv), dot(v, mu), dot(u, mu))
		}
	}
}

func new32(t *testing.T, s ops.Operator) ops.Vector {
	v, err := s.New32()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// Cutting a Laplacian costs iterations, within the paper's measure: 1.4 to 1.65 times those of the whole factor.
func TestCutsCostFewIterations(t *testing.T) {
	d := opstest.Upwind([3]int{48, 48, 48}, [3]float64{})
	d.LowerX, d.LowerY, d.LowerZ = nil, nil, nil // no velocity: symmetric
	count := func(settings string) int {
		s, p, err := load(t, d, settings)
		if err != nil {
			t.Fatal(err)
		}
		out := iterations(t, s, p, d.N(), 1e-8, true)
		if !out.Converged {
			t.Fatalf("%s: %+v", settings, out)
		}
		return out.Iterations
	}
	whole, cut := count("form=levels"), count("rows=4096")
	if ratio := float64(cut) / float64(whole); ratio < 1 || ratio > 1.65 {
		t.Errorf("%d iterations with bricks, %d with one factor: %.2f times as many", cut, whole, ratio)
	}
}

// Convection at every strength: BiCGSTAB with block factors.
func TestUpwindConvectionIsSolved(t *testing.T) {
	for _, peclet := range []float64{0.01, 1, 100, 1e4} {
		d := opstest.Upwind([3]int{25, 21, 17}, [3]float64{peclet, -peclet / 2, peclet / 10})
		for form, a := range map[string]any{"diagonals": d, "rows": d.CSR()} {
			s, p, err := load(t, a, "rows=1000")
			if err != nil {
				t.Fatal(err)
			}
			if out := iterations(t, s, p, d.N(), 1e-9, false); !out.Converged || out.Iterations > 60 {
				t.Errorf("peclet number %g by %s: %+v", peclet, form, out)
			}
		}
	}
}

func TestDetailsAndRefusals(t *testing.T) {
	d := opstest.RandomDiagonals(rand.New(rand.NewPCG(1, 2)), [3]int{20, 20, 20}, true)
	_, p, err := load(t, d, "rows=1000,parallel=edges")
	if err != nil {
		t.Fatal(err)
	}
	// Cut once along z and three times along y: 20 x 20 + 3 x 20 x 20 of 3 x 19 x 20 x 20 couplings.
	if got := p.Details(); !strings.Contains(got, "8 bricks of 20x5x10, 7.0 % of the couplings dropped") ||
		!strings.Contains(got, "not reproducible") {
		t.Errorf("details: %s", got)
	}
	for form, a := range map[string]any{"bricks": d, "parts": d.CSR()} {
		if _, p, err = load(t, a, "rows=8000"); err != nil || !strings.HasPrefix(p.Details(), "one ") {
			t.Errorf("%s: all rows in one: %v, error %v", form, p.Details(), err)
		}
	}
	if _, _, err = load(t, d.CSR(), "form=spin"); !errors.Is(err, precond.ErrRefused) {
		t.Errorf("a way for grids on rows: %v", err)
	}
	for _, settings := range []string{"precision=fp64,form=spin", "precision=fp64,parallel=edges"} {
		for form, a := range map[string]any{"bricks": d, "parts": d.CSR()} {
			if _, _, err = load(t, a, settings); !errors.Is(err, precond.ErrRefused) {
				t.Errorf("%s by %s: %v", settings, form, err)
			}
		}
	}
	d.Main[20*20*3+20*2+1] = -1
	if _, _, err = load(t, d, ""); !errors.Is(err, precond.ErrRefused) ||
		!strings.Contains(err.Error(), "cell (1, 2, 3)") || !strings.Contains(err.Error(), "shift") {
		t.Errorf("a negative diagonal: %v", err)
	}
	if _, _, err = load(t, d.CSR(), ""); !errors.Is(err, precond.ErrRefused) ||
		!strings.Contains(err.Error(), "row 1242") {
		t.Errorf("a negative diagonal by rows: %v", err)
	}
	// A shift that outweighs the couplings is a way out of a pivot that comes out negative, not of a negative diagonal.
	weak := opstest.Upwind([3]int{6, 6, 6}, [3]float64{})
	weak.LowerX, weak.LowerY, weak.LowerZ = nil, nil, nil
	for c := range weak.Main {
		weak.Main[c] = 1.5
	}
	if _, _, err = load(t, weak, ""); !errors.Is(err, precond.ErrRefused) {
		t.Errorf("a weak diagonal: %v", err)
	}
	if _, _, err = load(t, weak, "shift=3"); err != nil {
		t.Errorf("a weak diagonal with a shift: %v", err)
	}
}
