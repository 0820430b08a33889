package ilu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
)

func load(t *testing.T, a *sparse.Diagonals) ops.Operator {
	t.Helper()
	d := host.Open()
	s, err := d.LoadDiagonals(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Free()
		if n := d.Allocated(); n != 0 {
			t.Errorf("%d bytes stay behind", n)
		}
		d.Close()
	})
	return s
}

func settings(t *testing.T, text string) precond.Settings {
	t.Helper()
	set, err := precond.Parse(text, ilu.Keys())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// iterations that conjugate gradients need for a right side of ones, from zero.
func iterations(t *testing.T, a *sparse.Diagonals, text string, rtol float64) int {
	t.Helper()
	s := load(t, a)
	m, err := ilu.New(s, settings(t, text))
	if err != nil {
		t.Fatal(err)
	}
	b := make([]float64, a.N())
	for c := range b {
		b[c] = 1
	}
	source, err := opstest.Dense(s, b)
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.New64()
	if err != nil {
		t.Fatal(err)
	}
	pcg, err := krylov.NewPCG(s, m)
	if err != nil {
		t.Fatal(err)
	}
	o := pcg.Solve(context.Background(), krylov.Rule{RTol: rtol, MaxIter: 2000}, source, x)
	if !o.Converged {
		t.Fatalf("%s: %+v", text, o)
	}
	return o.Iterations
}

func poisson(nx, ny, nz int) *sparse.Diagonals {
	a := sparse.NewDiagonals(nx, ny, nz)
	for c := range a.Main {
		a.Main[c] = 6
		if c%nx != nx-1 {
			a.X[c] = -1
		}
		if c/nx%ny != ny-1 {
			a.Y[c] = -1
		}
		if c/(nx*ny) != nz-1 {
			a.Z[c] = -1
		}
	}
	return a
}

// A tridiagonal matrix has no fill, so its incomplete factor is the factor: one iteration, whichever direction the grid
// has.
func TestLinesAreSolvedAtOnce(t *testing.T) {
	for _, shape := range [][3]int{{200, 1, 1}, {1, 200, 1}, {1, 1, 200}} {
		for _, order := range []string{"order=0", "order=1"} {
			if n := iterations(t, poisson(shape[0], shape[1], shape[2]), order, 1e-6); n != 1 {
				t.Errorf("%v, %s: %d iterations", shape, order, n)
			}
		}
	}
}

// On a grid two cells wide, level 1 fills all that elimination of the plane can fill.
func TestLevelOneIsCompleteOnStrips(t *testing.T) {
	if n := iterations(t, poisson(2, 90, 1), "order=1", 1e-6); n != 1 {
		t.Errorf("%d iterations", n)
	}
	if n := iterations(t, poisson(2, 90, 1), "order=0", 1e-6); n < 3 {
		t.Errorf("%d iterations without the fill", n)
	}
}

// More of the factor, fewer iterations; and for Poisson's equation they grow with the number of cells along an edge, by
// theory in proportion.
func TestIterations(t *testing.T) {
	var before [2]int
	for _, n := range []int{16, 32} {
		a := poisson(n, n, n)
		zero, one := iterations(t, a, "order=0", 1e-6), iterations(t, a, "order=1", 1e-6)
		if one >= zero {
			t.Errorf("%d^3: %d iterations with level 1, %d with level 0", n, one, zero)
		}
		if b := before; b[0] > 0 &&
			(float64(zero) < 1.5*float64(b[0]) || zero > 2*b[0]+2 || float64(one) < 1.5*float64(b[1]) ||
				one > 2*b[1]+2) {
			t.Errorf("%d^3: %d and %d iterations, half as many cells along an edge took %d and %d", n, zero, one, b[0],
				b[1])
		}
		before = [2]int{zero, one}
	}
}

// On its own pattern, L D U is the matrix: that defines an incomplete factor.
func TestProductIsTheMatrixOnThePattern(t *testing.T) {
	shape := [3]int{7, 6, 5}
	for n := range 4 {
		order := n % 2
		a := opstest.RandomDiagonals(rand.New(rand.NewPCG(2, 3)), shape, n < 2)
		s := load(t, a)
		form, err := s.(ops.Forms).Diagonals()
		if err != nil {
			t.Fatal(err)
		}
		f, err := ilu.Factorise(s, form, ilu.Options{Order: order})
		if err != nil {
			t.Fatal(err)
		}
		csr := a.CSR()
		for row, entries := range multiplied(f.Download(), order) {
			for col, got := range entries {
				want := csr.At(row, col)
				if d := math.Abs(got - want); d > 1e-13*a.Main[row] {
					t.Fatalf("order %d: entry (%d,%d) of the product is %g, want %g", order, row, col, got, want)
				}
			}
		}
		f.Release()
		form.Release()
	}
}

// multiplied returns the entries of L D U that lie on its pattern.
func multiplied(f *ilu.Entries, order int) []map[int]float64 {
	n := f.NX * f.NY * f.NZ
	// rows of L, columns of U
	lower, upper, out := make([]map[int]float64, n), make([]map[int]float64, n), make([]map[int]float64, n)
	for c := range lower {
		lower[c], upper[c], out[c] = map[int]float64{c: 1}, map[int]float64{c: 1}, map[int]float64{}
		for m, s := range ilu.Neighbours(order) {
			i, j, k := c%f.NX+s[0], c/f.NX%f.NY+s[1], c/(f.NX*f.NY)+s[2]
			if i >= 0 && i < f.NX && j >= 0 && j < f.NY && k >= 0 {
				to := (k*f.NY+j)*f.NX + i
				lower[c][to], upper[c][to] = f.Lower[m][c], f.Upper[m][c]
			}
		}
	}
	product := func(row, col int) (sum float64) {
		for k, l := range lower[row] {
			sum += l * upper[col][k] / f.Inverse[k]
		}
		return sum
	}
	for c := range lower {
		for to := range lower[c] {
			out[c][to], out[to][c] = product(c, to), product(to, c)
		}
	}
	return out
}

// Where coolant flows with the numbering and carries all, the upwind matrix is lower triangular but for a little, and
// its factor nearly the matrix; the counts of BiCGSTAB fall with the cell Peclet number.
func TestUpwindConvection(t *testing.T) {
	const n = 20
	for _, order := range []int{0, 1} {
		before := 1000
		for _, peclet := range []float64{0, 0.1, 1, 10, 1e3, 1e6} {
			a := opstest.Upwind([3]int{n, n, n}, [3]float64{peclet, peclet / 2, peclet / 10})
			s := load(t, a)
			definition := ilu.Definition()
			set, err := precond.Parse(fmt.Sprintf("order=%d", order), definition.Keys)
			if err != nil {
				t.Fatal(err)
			}
			solver, m, err := definition.SetUp(s, set)
			if err != nil {
				t.Fatal(err)
			}
			want, b, got := make([]float64, a.N()), make([]float64, a.N()), make([]float64, a.N())
			rng := rand.New(rand.NewPCG(1, 2))
			for c := range want {
				want[c] = rng.NormFloat64()
			}
			a.Multiply(b, want)
			source, err := opstest.Dense(s, b)
			if err != nil {
				t.Fatal(err)
			}
			x, err := s.New64()
			if err != nil {
				t.Fatal(err)
			}
			out := solver.Solve(context.Background(), krylov.Rule{RTol: 1e-10, MaxIter: 200}, source, x)
			s.Read(x, got)
			worst := 0.0
			for c := range want {
				worst = math.Max(worst, math.Abs(got[c]-want[c]))
			}
			if !out.Converged || worst > 1e-7 || out.Iterations > before+1 || peclet >= 1e6 && out.Iterations > 3 {
				t.Errorf("order %d, Peclet %g: %+v, off by %g; %d iterations at the Peclet number before", order,
					peclet, out, worst, before)
			}
			t.Logf("order %d, Peclet %g: %d iterations", order, peclet, out.Iterations)
			before = out.Iterations
			m.Close()
		}
	}
}

func TestRefusals(t *testing.T) {
	a := poisson(4, 4, 4)
	a.Main[21] = 0.1
	_, err := ilu.New(load(t, a), settings(t, "order=0"))
	if !errors.Is(err, precond.ErrRefused) || !strings.Contains(err.Error(), "pivot of cell (1,1,1)") ||
		!strings.Contains(err.Error(), "shift=") {
		t.Errorf("a pivot that is not positive: %v", err)
	}
	if _, err := ilu.New(load(t, a), settings(t, "order=0,shift=6")); err != nil {
		t.Errorf("the remedy does not help: %v", err)
	}
	general := opstest.Upwind([3]int{4, 4, 4}, [3]float64{1, 1, 1})
	if _, err = ilu.NewCholesky(load(t, general), settings(t, "")); !errors.Is(err, precond.ErrRefused) ||
		!strings.Contains(err.Error(), "choose ilu") {
		t.Errorf("Cholesky factors of a matrix that is not symmetric: %v", err)
	}
	if _, err = ilu.New(load(t, general), settings(t, "form=flags,precision=fp64")); !errors.Is(err,
		precond.ErrRefused) || !strings.Contains(err.Error(), "leave form or precision away") {
		t.Errorf("a form in FP64: %v", err)
	}
	general.Main[0] = 0
	if _, err = ilu.New(load(t, general), settings(t, "order=0")); !errors.Is(err, precond.ErrRefused) ||
		!strings.Contains(err.Error(), "pivot of cell (0,0,0) is zero") {
		t.Errorf("a pivot that is zero: %v", err)
	}
	b := poisson(4, 4, 4)
	b.X[7] = -1
	if _, err = ilu.New(load(t, b), settings(t, "")); !errors.Is(err, precond.ErrRefused) ||
		!strings.Contains(err.Error(), "cell (3,1,0)") {
		t.Errorf("a coupling round the end of a row: %v", err)
	}
	d := host.Open()
	defer d.Close()
	graph, err := d.LoadCSR(poisson(3, 3, 3).CSR())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ilu.New(graph, settings(t, "")); !errors.Is(err, precond.ErrRefused) ||
		!strings.Contains(err.Error(), "seven diagonals") {
		t.Errorf("a matrix by rows: %v", err)
	}
}
