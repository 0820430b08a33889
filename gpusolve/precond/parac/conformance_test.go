package parac

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
)

// conformance tests the operations of an executor on grids and graphs: the solves against dense arithmetic on the
// factor, and the factor against that of twin, another executor or the same one again, to the last bit.
func conformance(t *testing.T, open, twin func(testing.TB) ops.Device) {
	for _, shape := range [][3]int{{1, 1, 1}, {1, 1, 9}, {4, 6, 1}, {7, 5, 4}} {
		a := opstest.RandomDiagonals(rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1]))), shape, true).CSR()
		t.Run(fmt.Sprintf("%dx%dx%d", shape[0], shape[1], shape[2]), func(t *testing.T) {
			choleskyOf(t, open(t), twin(t), a)
		})
	}
	// The largest has a vertex with more edges than fit in fast memory, and rows of G that are sorted as long ones.
	for _, n := range []int{2, 40, 600} {
		a := opstest.RandomGraph(rand.New(rand.NewPCG(uint64(n), 1)), n)
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

// eliminate factorises the matrix of an operator.
func eliminate(t testing.TB, a ops.Operator, how choices) (factor, error) {
	t.Helper()
	rows, err := a.(ops.Forms).Rows()
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	device, err := on(a)
	if err != nil {
		t.Fatal(err)
	}
	return device.eliminate(rows, how)
}

func mustEliminate(f *opstest.Algebra, how choices) tested {
	f.Helper()
	made, err := eliminate(f.T, f.Sys, how)
	if err != nil {
		f.Fatal(err)
	}
	return made.(tested)
}

func choleskyOf(t *testing.T, d, twin ops.Device, a *sparse.CSR) {
	f, g := opstest.NewAlgebra(t, d, nil, a), opstest.NewAlgebra(t, twin, nil, a)
	z, v := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
	for _, how := range []choices{{order: ByEntries, seed: 3}, {order: RandomOrder, seed: 4},
		{order: MinimumDegree, seed: 5}} {
		before := d.Allocated()
		factor, other := mustEliminate(f, how), mustEliminate(g, how)
		got := factor.download()
		if err := sameEntries(other.download(), got); err != nil {
			t.Fatalf("order %v: %v", how.order, err)
		}
		r, o := factor.report(), other.report()
		if r.Depth != o.Depth || r.Tree != o.Tree || r.Entries != o.Entries || r.Order != how.order {
			t.Fatalf("order %v: report %+v, want %+v", how.order, r, o)
		}
		for range 2 { // scratch of the first solve must not show in the second
			want := solveEntries(got, f.Random(v))
			factor.solve(z, v)
			f.Near("solution", f.Read(z), want, largest(want), 2e-5)
		}
		factor.release()
		if n := d.Allocated() - before; n != 0 {
			t.Errorf("order %v: %d bytes are left after the release", how.order, n)
		}
	}
}

// choleskyOfCover: a matrix with positive off-diagonals, in the half that is its own of a solve with the cover.
func choleskyOfCover(t *testing.T, d, twin ops.Device) {
	a := opstest.RandomGraph(rand.New(rand.NewPCG(4, 1)), 50)
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, c := range cols {
			if int(c) != r && (int(c)+r)%3 == 0 {
				vals[i] = -vals[i]
			}
		}
	}
	f, g := opstest.NewAlgebra(t, d, nil, a), opstest.NewAlgebra(t, twin, nil, a)
	z, v := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
	before := d.Allocated()
	how := choices{order: ByEntries, seed: 3, cover: true}
	factor, other := mustEliminate(f, how), mustEliminate(g, how)
	got := factor.download()
	if err := sameEntries(other.download(), got); err != nil {
		t.Fatal(err)
	}
	r := f.Random(v)
	both := append([]float64(nil), r...)
	for _, x := range r {
		both = append(both, -x)
	}
	both = solveEntries(got, both)
	want := make([]float64, len(r))
	for i := range want {
		want[i] = (both[i] - both[len(r)+i]) / 2
	}
	factor.solve(z, v)
	f.Near("solution", f.Read(z), want, largest(want), 2e-5)
	factor.release()
	if n := d.Allocated() - before; n != 0 {
		t.Errorf("%d bytes are left after the release", n)
	}
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
		sys, err := d.LoadCSR(a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := eliminate(t, sys, choices{order: RandomOrder}); !errors.Is(err, errUnsuitable) {
			t.Errorf("%s: error %v", what, err)
		}
		sys.Free()
	}
	d.Close()
}

func TestConformance(t *testing.T) {
	open := func(testing.TB) ops.Device { return host.Open() }
	conformance(t, open, open)
}
