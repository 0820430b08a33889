package opstest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

// Cholesky tests the parac operations of an executor on grids and graphs: the solves against dense arithmetic on the factor, and the factor against
// that of twin, another executor or the same one again, to the last bit.
func Cholesky(t *testing.T, open, twin func(testing.TB) ops.Device) {
	for _, shape := range [][3]int{{1, 1, 1}, {1, 1, 9}, {4, 6, 1}, {7, 5, 4}} {
		a := RandomDiagonals(rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1]))), shape, true).CSR()
		t.Run(fmt.Sprintf("%dx%dx%d", shape[0], shape[1], shape[2]), func(t *testing.T) { choleskyOf(t, open(t), twin(t), a) })
	}
	// The largest has a vertex with more edges than fit in fast memory, and rows of G that are sorted as long ones.
	for _, n := range []int{2, 40, 600} {
		a := RandomGraph(rand.New(rand.NewPCG(uint64(n), 1)), n)
		t.Run(fmt.Sprintf("graph of %d", n), func(t *testing.T) { choleskyOf(t, open(t), twin(t), a) })
	}
	t.Run("ring without ground", func(t *testing.T) { choleskyOf(t, open(t), twin(t), ring(13)) })
	t.Run("double cover", func(t *testing.T) { choleskyOfCover(t, open(t), twin(t)) })
	t.Run("refusals", func(t *testing.T) { choleskyRefusals(t, open(t)) })
}

// ring is the singular Laplacian of a ring: the last pivot is 0.
func ring(n int) *sparse.CSR {
	a := &sparse.CSR{RowPtr: []int64{0}}
	for r := range n {
		row := make([]float64, n)
		row[r], row[(r+1)%n], row[(r+n-1)%n] = 2, -1, -1
		for c, v := range row {
			if v != 0 {
				a.Col, a.Val = append(a.Col, int32(c)), append(a.Val, v)
			}
		}
		a.RowPtr = append(a.RowPtr, int64(len(a.Col)))
	}
	return a
}

// eliminate factorises the matrix.
func (f *Algebra) eliminate(how ops.Elimination) ops.CholeskyFactor {
	f.Helper()
	rows, err := f.Sys.(ops.Forms).Rows()
	if err != nil {
		f.Fatal(err)
	}
	factor, err := f.Sys.(ops.Cholesky).EliminateRandomly(rows, how)
	if err != nil {
		f.Fatal(err)
	}
	return factor
}

func choleskyOf(t *testing.T, d, twin ops.Device, a *sparse.CSR) {
	f, g := NewAlgebra(t, d, nil, a), NewAlgebra(t, twin, nil, a)
	for _, how := range []ops.Elimination{{Order: ops.ByEntries, Seed: 3}, {Order: ops.RandomOrder, Seed: 4}, {Order: ops.MinimumDegree, Seed: 5}} {
		factor, other := f.eliminate(how), g.eliminate(how)
		got := factor.Download()
		if err := SameFactor(other.Download(), got); err != nil {
			t.Fatalf("order %v: %v", how.Order, err)
		}
		r, o := factor.Report(), other.Report()
		if r.Depth != o.Depth || r.Tree != o.Tree || r.Entries != o.Entries || r.Order != how.Order {
			t.Fatalf("order %v: report %+v, want %+v", how.Order, r, o)
		}
		z, v := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
		for range 2 { // scratch of the first solve must not show in the second
			want := SolveEntries(got, f.Random(v))
			f.Sys.(ops.Cholesky).SolveCholesky(factor, z, v)
			f.Near("solution", f.Read(z), want, largest(want), 2e-5)
		}
		factor.Release()
	}
}

// choleskyOfCover: a matrix with positive off-diagonals, in the half that is its own of a solve with the cover.
func choleskyOfCover(t *testing.T, d, twin ops.Device) {
	a := RandomGraph(rand.New(rand.NewPCG(4, 1)), 50)
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, c := range cols {
			if int(c) != r && (int(c)+r)%3 == 0 {
				vals[i] = -vals[i]
			}
		}
	}
	f, g := NewAlgebra(t, d, nil, a), NewAlgebra(t, twin, nil, a)
	how := ops.Elimination{Order: ops.ByEntries, Seed: 3, Cover: true}
	factor, other := f.eliminate(how), g.eliminate(how)
	got := factor.Download()
	if err := SameFactor(other.Download(), got); err != nil {
		t.Fatal(err)
	}
	z, v := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
	r := f.Random(v)
	both := append([]float64(nil), r...)
	for _, x := range r {
		both = append(both, -x)
	}
	both = SolveEntries(got, both)
	want := make([]float64, len(r))
	for i := range want {
		want[i] = (both[i] - both[len(r)+i]) / 2
	}
	f.Sys.(ops.Cholesky).SolveCholesky(factor, z, v)
	f.Near("solution", f.Read(z), want, largest(want), 2e-5)
	factor.Release()
}

// SameFactor compares factors bit by bit.
func SameFactor(a, b *ops.CholeskyEntries) error {
	switch {
	case !slices.Equal(a.Row, b.Row):
		return fmt.Errorf("the unknowns are sorted as %v, not %v", b.Row, a.Row)
	case !slices.Equal(a.Level, b.Level):
		return errors.New("the levels differ")
	case !slices.Equal(a.First, b.First) || !slices.Equal(a.At, b.At):
		return errors.New("the columns have entries in other places")
	case !slices.Equal(a.Share, b.Share):
		return errors.New("the columns have other values")
	case !slices.Equal(a.Begin, b.Begin) || !slices.Equal(a.Col, b.Col) || !slices.Equal(a.Weight, b.Weight):
		return errors.New("the rows differ from the columns")
	case !slices.Equal(a.Pivot, b.Pivot):
		return errors.New("the pivots differ")
	}
	return nil
}

// SolveEntries is (G D G^T)^-1 r in FP64, from the columns alone.
func SolveEntries(f *ops.CholeskyEntries, r []float64) []float64 {
	n := len(f.Row)
	y := make([]float64, n)
	for p, row := range f.Row {
		y[p] = r[row]
	}
	for c := range n {
		for i := f.First[c]; i < f.First[c+1]; i++ {
			y[f.At[i]] += float64(f.Share[i]) * y[c]
		}
	}
	for c := n - 1; c >= 0; c-- {
		if f.Pivot[c] > 0 {
			y[c] /= f.Pivot[c]
		} else {
			y[c] = 0
		}
		for i := f.First[c]; i < f.First[c+1]; i++ {
			y[c] += float64(f.Share[i]) * y[f.At[i]]
		}
	}
	z := make([]float64, n)
	for p, row := range f.Row {
		z[row] = y[p]
	}
	return z
}

// choleskyRefusals: matrices that are not what the method takes.
func choleskyRefusals(t *testing.T, d ops.Device) {
	for what, val := range map[string][]float64{
		"positive off-diagonal": {2, 1, 1, 2},
		"not symmetric":         {2, -1, -1.5, 2},
		"not dominant":          {2, -3, -3, 2},
		"negative diagonal":     {-2, -1, -1, 2},
		"no number":             {2, math.NaN(), math.NaN(), 2},
	} {
		a := &sparse.CSR{RowPtr: []int64{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Val: val}
		sys, err := d.(ops.Matrices).LoadCSR(a)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := sys.(ops.Forms).Rows()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sys.(ops.Cholesky).EliminateRandomly(rows, ops.Elimination{Order: ops.RandomOrder}); !errors.Is(err, ops.ErrUnsuitable) {
			t.Errorf("%s: error %v", what, err)
		}
		sys.Free()
	}
	d.Close()
}
