package ic_test

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
	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/ic"
	"thermsim/gpusolve/sparse"
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
	set, err := precond.Parse(text, ic.Keys())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// iterations that conjugate gradients need for a right side of ones, from zero.
func iterations(t *testing.T, a *sparse.Diagonals, text string, rtol float64) int {
	t.Helper()
	s := load(t, a)
	m, err := ic.New(s, settings(t, text))
	if err != nil {
		t.Fatal(err)
	}
	b := make([]float64, a.N())
	for c := range b {
		b[c] = 1
	}
	source, err := ops.Dense(s, b)
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

// A tridiagonal matrix has no fill, so its incomplete factor is the factor: one iteration, whichever direction the grid has.
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

// More of the factor, fewer iterations; and for Poisson's equation they grow with the number of cells along an edge, by theory in proportion.
func TestIterations(t *testing.T) {
	var before [2]int
	for _, n := range []int{16, 32} {
		a := poisson(n, n, n)
		zero, one := iterations(t, a, "order=0", 1e-6), iterations(t, a, "order=1", 1e-6)
		if one >= zero {
			t.Errorf("%d^3: %d iterations with level 1, %d with level 0", n, one, zero)
		}
		if b := before; b[0] > 0 && (float64(zero) < 1.5*float64(b[0]) || zero > 2*b[0]+2 || float64(one) < 1.5*float64(b[1]) || one > 2*b[1]+2) {
			t.Errorf("%d^3: %d and %d iterations, half as many cells along an edge took %d and %d", n, zero, one, b[0], b[1])
		}
		before = [2]int{zero, one}
	}
}

// On its own pattern, L D L^T is the matrix: that defines an incomplete factor.
func TestProductIsTheMatrixOnThePattern(t *testing.T) {
	shape := [3]int{7, 6, 5}
	a := opstest.RandomDiagonals(rand.New(rand.NewPCG(2, 3)), shape, true)
	for order := range 2 {
		s := load(t, a)
		form, err := s.(ops.Forms).Diagonals()
		if err != nil {
			t.Fatal(err)
		}
		f, err := ic.Factorise(s, form, ic.Options{Order: order})
		if err != nil {
			t.Fatal(err)
		}
		product := multiplied(f.Download(), order)
		csr := a.CSR()
		for c := range a.N() {
			for at := range product[c] {
				want := csr.At(c, at)
				if d := math.Abs(product[c][at] - want); d > 1e-13*a.Main[c] {
					t.Fatalf("order %d: entry (%d,%d) of the product is %g, want %g", order, c, at, product[c][at], want)
				}
			}
		}
		f.Release()
		form.Release()
	}
}

// multiplied returns the entries of L D L^T at and below the diagonal that lie on the pattern of L.
func multiplied(f *ic.Entries, order int) []map[int]float64 {
	n := f.NX * f.NY * f.NZ
	rows := make([]map[int]float64, n) // of L
	for c := range rows {
		rows[c] = map[int]float64{c: 1}
		for m, s := range ic.Neighbours(order) {
			i, j, k := c%f.NX+s[0], c/f.NX%f.NY+s[1], c/(f.NX*f.NY)+s[2]
			if i >= 0 && i < f.NX && j >= 0 && j < f.NY && k >= 0 {
				rows[c][(k*f.NY+j)*f.NX+i] = f.Off[m][c]
			}
		}
	}
	out := make([]map[int]float64, n)
	for c, row := range rows {
		out[c] = map[int]float64{}
		for at := range row {
			for k, l := range row {
				out[c][at] += l * rows[at][k] / f.Inverse[k]
			}
		}
	}
	return out
}

func TestRefusals(t *testing.T) {
	a := poisson(4, 4, 4)
	a.Main[21] = 0.1
	_, err := ic.New(load(t, a), settings(t, "order=0"))
	if !errors.Is(err, precond.ErrRefused) || !strings.Contains(err.Error(), "pivot of cell (1,1,1)") || !strings.Contains(err.Error(), "shift=") {
		t.Errorf("a pivot that is not positive: %v", err)
	}
	if _, err := ic.New(load(t, a), settings(t, "order=0,shift=6")); err != nil {
		t.Errorf("the remedy does not help: %v", err)
	}
	b := poisson(4, 4, 4)
	b.X[7] = -1
	if _, err = ic.New(load(t, b), settings(t, "")); !errors.Is(err, precond.ErrRefused) || !strings.Contains(err.Error(), "cell (3,1,0)") {
		t.Errorf("a coupling round the end of a row: %v", err)
	}
	d := host.Open()
	defer d.Close()
	graph, err := d.LoadCSR(poisson(3, 3, 3).CSR())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ic.New(graph, settings(t, "")); !errors.Is(err, precond.ErrRefused) || !strings.Contains(err.Error(), "seven diagonals") {
		t.Errorf("a matrix by rows: %v", err)
	}
}
