package ic_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/precond/ic"
	"thermsim/gpusolve/sparse"
)

// conform tests an executor's factorisations on odd, prime, flat and thin grids, cut into tiles of many shapes: factors against the
// textbook's elimination by rows of a sparse matrix with levels of fill, solves against substitution in FP64, and the refusals.
func conform(t *testing.T, open func(testing.TB) ops.Device) {
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
			how := ic.Options{Order: order, TileY: c.tile[0], TileZ: c.tile[1]}
			if n%3 == 2 {
				how.Shift = 0.05
			}
			t.Run(name, func(t *testing.T) {
				d := opstest.RandomDiagonals(rand.New(rand.NewPCG(uint64(n), 5)), c.shape, true)
				f := &factored{opstest.NewAlgebra(t, open(t), d, d.CSR()), d}
				f.check(how)
				if err := f.Sys.Err(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	t.Run("refusals", func(t *testing.T) { refuse(t, open) })
}

// factored is a grid's matrix on a device.
type factored struct {
	*opstest.Algebra
	grid *sparse.Diagonals
}

// check factorises and solves.
func (f *factored) check(how ic.Options) {
	form, err := f.Sys.(ops.Forms).Diagonals()
	if err != nil {
		f.Fatal(err)
	}
	factor, err := ic.Factorise(f.Sys, form, how)
	if err != nil {
		f.Fatal(err)
	}
	want := eliminate(f.grid.CSR(), how.Order, how.Shift)
	got := factor.Download()
	f.sameFactor(got, want, how)
	triangles, err := factor.Triangles()
	if err != nil {
		f.Fatal(err)
	}
	factor.Release()
	form.Release()
	z, r := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
	for range 2 { // the states of a solve must be ready for the next
		rv := f.Random(r)
		triangles.Solve(z, r)
		exact := want.solve(rv)
		top := 0.0
		for _, v := range exact {
			top = math.Max(top, math.Abs(v))
		}
		f.Near("solution of both triangles", f.Read(z), exact, top, 4e-5)
	}
	triangles.Release()
}

// sameFactor compares entry by entry: 1e-14 of what the entry was computed from.
func (f *factored) sameFactor(got *ic.Entries, want *rowFactor, how ic.Options) {
	f.Helper()
	steps := ic.Neighbours(how.Order)
	if len(got.Off) != len(steps) || got.NX != f.grid.NX || got.NY != f.grid.NY || got.NZ != f.grid.NZ {
		f.Fatalf("factor of %d diagonals for %dx%dx%d cells", len(got.Off), got.NX, got.NY, got.NZ)
	}
	for c := range f.grid.N() {
		i, j, k := c%f.grid.NX, c/f.grid.NX%f.grid.NY, c/(f.grid.NX*f.grid.NY)
		found := 0
		for n, s := range steps {
			value, at := 0.0, [3]int{i + s[0], j + s[1], k + s[2]}
			if at[0] >= 0 && at[0] < f.grid.NX && at[1] >= 0 && at[1] < f.grid.NY && at[2] >= 0 && at[2] < f.grid.NZ {
				v, ok := want.lower[c][c+s[0]+f.grid.NX*(s[1]+f.grid.NY*s[2])]
				if ok {
					found++
				}
				value = v
			}
			if d := math.Abs(got.Off[n][c] - value); !(d <= 1e-14*math.Max(1, math.Abs(value))) {
				f.Fatalf("cell (%d,%d,%d): entry %d of L is %.17g, want %.17g", i, j, k, n, got.Off[n][c], value)
			}
		}
		if found != len(want.lower[c]) {
			f.Fatalf("cell (%d,%d,%d): %d entries, the textbook has %d", i, j, k, found, len(want.lower[c]))
		}
		if d := math.Abs(1/got.Inverse[c] - want.pivot[c]); !(d <= 1e-14*(1+how.Shift)*f.grid.Main[c]) {
			f.Fatalf("cell (%d,%d,%d): pivot %.17g, want %.17g", i, j, k, 1/got.Inverse[c], want.pivot[c])
		}
	}
}

// refuse tries matrices that have no factor.
func refuse(t *testing.T, open func(testing.TB) ops.Device) {
	shape := [3]int{5, 4, 3}
	random := func(symmetric bool) *sparse.Diagonals {
		return opstest.RandomDiagonals(rand.New(rand.NewPCG(3, 5)), shape, symmetric)
	}
	pivots, rows, planes := random(true), random(true), random(true)
	pivots.Main[37] *= -1 // (2,3,1), and what follows from it
	pivots.Main[44] *= -1
	rows.X[4] = -1e-9
	rows.X[24] = -1
	planes.Y[17] = 1
	for name, c := range map[string]struct {
		a    *sparse.Diagonals
		want ic.Misfit
	}{
		"pivot":          {pivots, ic.Misfit{I: 2, J: 3, K: 1, Reason: ic.NotPositive}},
		"end of a row":   {rows, ic.Misfit{I: 4, J: 0, K: 0, Reason: ic.WrapsAround}},
		"end of a sheet": {planes, ic.Misfit{I: 2, J: 3, K: 0, Reason: ic.WrapsAround}},
		"not symmetric":  {random(false), ic.Misfit{Reason: ic.NotSymmetric}},
	} {
		for order := range 2 {
			d := open(t)
			s, err := d.LoadDiagonals(c.a)
			if err != nil {
				t.Fatal(err)
			}
			form, err := s.(ops.Forms).Diagonals()
			if err != nil {
				t.Fatal(err)
			}
			before := d.Allocated()
			_, err = ic.Factorise(s, form, ic.Options{Order: order})
			var got *ic.Misfit
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
