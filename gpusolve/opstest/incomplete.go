package opstest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

// Incomplete tests an executor's incomplete factorisations on odd, prime, flat and thin grids, cut into tiles of many shapes: factors against the
// textbook's elimination by rows of a sparse matrix with levels of fill, solves against substitution in FP64, and the refusals.
func Incomplete(t *testing.T, open func(testing.TB) ops.Device) {
	for n, c := range []struct {
		shape [3]int
		tile  [2]int // along y and z
	}{
		{[3]int{1, 1, 1}, [2]int{}}, {[3]int{9, 1, 1}, [2]int{}}, {[3]int{1, 23, 1}, [2]int{}}, {[3]int{1, 1, 7}, [2]int{}},
		{[3]int{1, 11, 6}, [2]int{4, 3}}, {[3]int{13, 1, 5}, [2]int{2, 1}}, {[3]int{7, 17, 1}, [2]int{5, 1}}, {[3]int{2, 2, 2}, [2]int{1, 1}},
		{[3]int{2, 9, 11}, [2]int{3, 4}}, {[3]int{37, 13, 3}, [2]int{}}, {[3]int{5, 31, 10}, [2]int{}}, {[3]int{11, 7, 13}, [2]int{4, 4}},
		{[3]int{3, 4, 19}, [2]int{2, 5}}, {[3]int{17, 18, 19}, [2]int{}}, {[3]int{11, 20, 4}, [2]int{6, 2}},
	} {
		for order := range 2 {
			name := fmt.Sprintf("%dx%dx%d,order=%d", c.shape[0], c.shape[1], c.shape[2], order)
			how := ops.Incompleteness{Order: order, TileY: c.tile[0], TileZ: c.tile[1]}
			if n%3 == 2 {
				how.Shift = 0.05
			}
			t.Run(name, func(t *testing.T) {
				d := RandomDiagonals(rand.New(rand.NewPCG(uint64(n), 5)), c.shape, true)
				f := NewAlgebra(t, open(t), d, d.CSR())
				f.incomplete(how)
				if err := f.Sys.Err(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	t.Run("refusals", func(t *testing.T) { refuseIncomplete(t, open) })
}

// incomplete factorises and solves.
func (f *Algebra) incomplete(how ops.Incompleteness) {
	s := f.Sys.(ops.Incomplete)
	form, err := f.Sys.(ops.Forms).Diagonals()
	if err != nil {
		f.Fatal(err)
	}
	factor, err := s.Factorise(form, how)
	if err != nil {
		f.Fatal(err)
	}
	want := EliminateIncompletely(f.a, how.Order, how.Shift)
	got := factor.Download()
	f.sameFactor(got, want, how)
	triangles, err := s.Triangles(factor)
	if err != nil {
		f.Fatal(err)
	}
	factor.Release()
	form.Release()
	z, r := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
	for range 2 { // the states of a solve must be ready for the next
		rv := f.Random(r)
		s.SolveTriangles(triangles, z, r)
		exact := want.Solve(rv)
		f.Near("solution of both triangles", f.Read(z), exact, largest(exact), 4e-5)
	}
	triangles.Release()
}

// sameFactor compares entry by entry: 1e-14 of what the entry was computed from.
func (f *Algebra) sameFactor(got *ops.FactorEntries, want *RowFactor, how ops.Incompleteness) {
	f.Helper()
	steps := ops.IncompleteNeighbours(how.Order)
	if len(got.Off) != len(steps) || got.NX != f.by.NX || got.NY != f.by.NY || got.NZ != f.by.NZ {
		f.Fatalf("factor of %d diagonals for %dx%dx%d cells", len(got.Off), got.NX, got.NY, got.NZ)
	}
	for c := range f.by.N() {
		i, j, k := c%f.by.NX, c/f.by.NX%f.by.NY, c/(f.by.NX*f.by.NY)
		found := 0
		for n, s := range steps {
			value, at := 0.0, [3]int{i + s[0], j + s[1], k + s[2]}
			if at[0] >= 0 && at[0] < f.by.NX && at[1] >= 0 && at[1] < f.by.NY && at[2] >= 0 && at[2] < f.by.NZ {
				v, ok := want.Lower[c][c+s[0]+f.by.NX*(s[1]+f.by.NY*s[2])]
				if ok {
					found++
				}
				value = v
			}
			if d := math.Abs(got.Off[n][c] - value); !(d <= 1e-14*math.Max(1, math.Abs(value))) {
				f.Fatalf("cell (%d,%d,%d): entry %d of L is %.17g, want %.17g", i, j, k, n, got.Off[n][c], value)
			}
		}
		if found != len(want.Lower[c]) {
			f.Fatalf("cell (%d,%d,%d): %d entries, the textbook has %d", i, j, k, found, len(want.Lower[c]))
		}
		if d := math.Abs(1/got.Inverse[c] - want.Pivot[c]); !(d <= 1e-14*(1+how.Shift)*f.by.Main[c]) {
			f.Fatalf("cell (%d,%d,%d): pivot %.17g, want %.17g", i, j, k, 1/got.Inverse[c], want.Pivot[c])
		}
	}
}

// RowFactor is L and D by rows.
type RowFactor struct {
	Lower []map[int]float64 // columns below the diagonal
	Pivot []float64
}

// EliminateIncompletely is incomplete elimination with levels of fill, row by row, as in Y. Saad, Iterative Methods for Sparse Linear Systems (2nd
// edition, 2003), algorithm 10.6. It knows nothing of grids. The matrix is symmetric, so that U = D L^T.
func EliminateIncompletely(a *sparse.CSR, order int, shift float64) *RowFactor {
	n := a.N()
	type entry struct {
		value float64
		level int
	}
	upper := make([]map[int]entry, n)
	out := &RowFactor{Lower: make([]map[int]float64, n), Pivot: make([]float64, n)}
	for i := range n {
		row := map[int]entry{}
		cols, vals := a.Row(i)
		for at, c := range cols {
			row[int(c)] = entry{value: vals[at]}
		}
		row[i] = entry{value: (1 + shift) * row[i].value}
		for {
			k, level := -1, 0
			for c, e := range row { // the next column to eliminate
				if _, done := out.Lower[i][c]; !done && c < i && e.level <= order && (k < 0 || c < k) {
					k, level = c, e.level
				}
			}
			if k < 0 {
				break
			}
			if out.Lower[i] == nil {
				out.Lower[i] = map[int]float64{}
			}
			l := row[k].value / out.Pivot[k]
			out.Lower[i][k] = l
			for c, e := range upper[k] {
				fill := level + e.level + 1
				old, present := row[c]
				if present {
					fill = min(fill, old.level)
				}
				row[c] = entry{old.value - l*e.value, fill} // entries of too high a level go when the row is done
			}
		}
		out.Pivot[i] = row[i].value
		upper[i] = map[int]entry{}
		for c, e := range row {
			if c > i && e.level <= order {
				upper[i][c] = e
			}
		}
	}
	return out
}

// Solve returns (L D L^T)^-1 r.
func (f *RowFactor) Solve(r []float64) []float64 {
	x := append([]float64(nil), r...)
	for i, row := range f.Lower {
		for c, l := range row {
			x[i] -= l * x[c]
		}
	}
	for i, p := range f.Pivot {
		x[i] /= p
	}
	for i := len(f.Lower) - 1; i >= 0; i-- {
		for c, l := range f.Lower[i] {
			x[c] -= l * x[i]
		}
	}
	return x
}

// refuseIncomplete tries matrices that have no factor.
func refuseIncomplete(t *testing.T, open func(testing.TB) ops.Device) {
	shape := [3]int{5, 4, 3}
	random := func(symmetric bool) *sparse.Diagonals {
		return RandomDiagonals(rand.New(rand.NewPCG(3, 5)), shape, symmetric)
	}
	pivots, rows, planes := random(true), random(true), random(true)
	pivots.Main[37] *= -1 // (2,3,1), and what follows from it
	pivots.Main[44] *= -1
	rows.X[4] = -1e-9
	rows.X[24] = -1
	planes.Y[17] = 1
	for name, c := range map[string]struct {
		a    *sparse.Diagonals
		want ops.Misfit
	}{
		"pivot":          {pivots, ops.Misfit{I: 2, J: 3, K: 1, Reason: ops.NotPositive}},
		"end of a row":   {rows, ops.Misfit{I: 4, J: 0, K: 0, Reason: ops.WrapsAround}},
		"end of a sheet": {planes, ops.Misfit{I: 2, J: 3, K: 0, Reason: ops.WrapsAround}},
		"not symmetric":  {random(false), ops.Misfit{Reason: ops.NotSymmetric}},
	} {
		for order := range 2 {
			d := open(t)
			s, err := d.(ops.Matrices).LoadDiagonals(c.a)
			if err != nil {
				t.Fatal(err)
			}
			form, err := s.(ops.Forms).Diagonals()
			if err != nil {
				t.Fatal(err)
			}
			before := d.Allocated()
			_, err = s.(ops.Incomplete).Factorise(form, ops.Incompleteness{Order: order})
			var got *ops.Misfit
			if !errors.As(err, &got) || *got != c.want {
				t.Errorf("%s, order %d: error %v, want %v", name, order, err, &c.want)
			}
			if d.Allocated() != before {
				t.Errorf("%s, order %d: %d bytes stay behind", name, order, d.Allocated()-before)
			}
			s.Free()
			d.Close()
		}
	}
}
