package ilu_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/internal/testtier"
)

// conform tests an executor's factorisations on odd, prime, flat and thin grids, cut into tiles of many shapes: factors
// against the textbook's elimination by rows of a sparse matrix with levels of fill, solves against substitution in
// FP64, and the refusals.
func conform(t *testing.T, open func(testing.TB) ops.Device) {
	cases := []struct {
		shape [3]int
		tile  [2]int // along y and z
	}{
		{[3]int{1, 1, 1}, [2]int{}}, {[3]int{9, 1, 1}, [2]int{}}, {[3]int{1, 23, 1}, [2]int{}},
		{[3]int{1, 1, 7}, [2]int{}},
		{[3]int{1, 11, 6}, [2]int{4, 3}}, {[3]int{13, 1, 5}, [2]int{2, 1}}, {[3]int{7, 17, 1}, [2]int{5, 1}},
		{[3]int{2, 2, 2}, [2]int{1, 1}},
		{[3]int{2, 7, 6}, [2]int{3, 4}}, {[3]int{37, 3, 2}, [2]int{}}, {[3]int{3, 31, 3}, [2]int{}},
		{[3]int{3, 3, 7}, [2]int{2, 5}},
		{[3]int{2, 9, 11}, [2]int{3, 4}}, {[3]int{3, 4, 19}, [2]int{2, 5}}, {[3]int{37, 13, 3}, [2]int{}},
		{[3]int{5, 31, 10}, [2]int{}}, {[3]int{11, 7, 13}, [2]int{4, 4}}, {[3]int{17, 18, 19}, [2]int{}},
		{[3]int{11, 20, 4}, [2]int{6, 2}},
	}
	for n, c := range testtier.Pick(cases[:12], cases) {
		for kind, a := range map[string]*sparse.Diagonals{
			"symmetric": opstest.RandomDiagonals(rand.New(rand.NewPCG(uint64(n), 5)), c.shape, true),
			"general":   opstest.RandomDiagonals(rand.New(rand.NewPCG(uint64(n), 6)), c.shape, false),
			"upwind":    opstest.Upwind(c.shape, [][3]float64{{1, 0.5, 0.1}, {-40, 3, 0}, {0.01, -1e3, 200}}[n%3]),
		} {
			for order := range 2 {
				for _, double := range []bool{false, true} {
					if double != (kind == "upwind") && kind != "general" && n%5 != 0 {
						continue
					}
					if testtier.Pick(n > 3 && order != n%2, false) {
						continue
					}
					how := ilu.Options{Order: order, TileY: c.tile[0], TileZ: c.tile[1], Double: double}
					if n%3 == 2 {
						how.Shift = 0.05
					}
					t.Run(fmt.Sprintf("%dx%dx%d,%s,order=%d,double=%t", c.shape[0], c.shape[1], c.shape[2], kind, order,
						double), func(t *testing.T) {
						f := &factored{opstest.NewAlgebra(t, open(t), a, a.CSR()), a}
						f.check(how)
						if err := f.Sys.Err(); err != nil {
							t.Fatal(err)
						}
					})
				}
			}
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
func (f *factored) check(how ilu.Options) {
	form, err := f.Sys.(ops.Forms).Diagonals()
	if err != nil {
		f.Fatal(err)
	}
	factor, err := ilu.Factorise(f.Sys, form, how)
	if err != nil {
		f.Fatal(err)
	}
	want := eliminate(f.grid.CSR(), how.Order, how.Shift)
	f.sameFactor(factor.Download(), want, how)
	factor.Release()
	forms := []ilu.Form{ilu.ByTiles}
	if !how.Double && !f.grid.Symmetric() {
		forms = append(forms, ilu.ByFlags, ilu.ByGroups, ilu.InNaturalOrder, ilu.ByLaunches)
	}
	for _, how.Form = range forms {
		f.checkSolves(form, how, want)
	}
	form.Release()
}

// checkSolves solves with the factor in one form.
func (f *factored) checkSolves(form ops.Diagonals, how ilu.Options, want *rowFactor) {
	factor, err := ilu.Factorise(f.Sys, form, how)
	if err != nil {
		f.Fatal(err)
	}
	triangles, err := factor.Triangles()
	if err != nil {
		f.Fatal(err)
	}
	factor.Release()
	z, r := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
	for range 2 { // the states of a solve must be ready for the next
		rv := f.Random(r)
		triangles.Solve(z, r)
		exact := want.solve(rv)
		top := 0.0
		for _, v := range exact {
			top = math.Max(top, math.Abs(v))
		}
		if !how.Double {
			f.Near(fmt.Sprintf("solution of both triangles in form %d", how.Form), f.Read(z), exact, top, 4e-5)
			continue
		}
		for c, v := range f.Read(z) { // within 1e-13 of FP64 before it is rounded once
			step := math.Ldexp(1, math.Ilogb(exact[c])-24)
			if d := math.Abs(v - exact[c]); !(d <= step*(1+1e-9)+1e-13*top) {
				f.Fatalf("cell %d: solution %.9g, want %.17g of up to %g", c, v, exact[c], top)
			}
		}
	}
	triangles.Release()
}

// sameFactor compares entry by entry: 1e-13 of what the entry was computed from, 1e-14 where the matrix is symmetric.
func (f *factored) sameFactor(got *ilu.Entries, want *rowFactor, how ilu.Options) {
	f.Helper()
	steps := ilu.Neighbours(how.Order)
	if len(got.Lower) != len(steps) || len(got.Upper) != len(steps) || got.NX != f.grid.NX || got.NY != f.grid.NY ||
		got.NZ != f.grid.NZ {
		f.Fatalf("factor of %d and %d diagonals for %dx%dx%d cells", len(got.Lower), len(got.Upper), got.NX, got.NY,
			got.NZ)
	}
	tol := 1e-13
	if f.grid.Symmetric() {
		tol = 1e-14
	}
	near := func(c int, what string, got, want, of float64) {
		f.Helper()
		if d := math.Abs(got - want); !(d <= tol*math.Max(of, math.Abs(want))) {
			f.Fatalf("cell %d: %s is %.17g, want %.17g", c, what, got, want)
		}
	}
	found := 0
	for c := range f.grid.N() {
		i, j, k := c%f.grid.NX, c/f.grid.NX%f.grid.NY, c/(f.grid.NX*f.grid.NY)
		for n, s := range steps {
			lower, upper, at := 0.0, 0.0, [3]int{i + s[0], j + s[1], k + s[2]}
			if at[0] >= 0 && at[0] < f.grid.NX && at[1] >= 0 && at[1] < f.grid.NY && at[2] >= 0 && at[2] < f.grid.NZ {
				to := c + s[0] + f.grid.NX*(s[1]+f.grid.NY*s[2])
				var has [2]bool
				lower, has[0] = want.lower[c][to]
				upper, has[1] = want.upper[to][c]
				upper /= want.pivot[to]
				for _, one := range has {
					if one {
						found++
					}
				}
			}
			near(c, fmt.Sprintf("entry %d of L", n), got.Lower[n][c], lower, 1)
			near(c, fmt.Sprintf("entry %d of U", n), got.Upper[n][c], upper, 1)
		}
		near(c, "the pivot", 1/got.Inverse[c], want.pivot[c], (1+how.Shift)*f.grid.Main[c])
	}
	all := 0
	for c := range want.lower {
		all += len(want.lower[c]) + len(want.upper[c])
	}
	if found != all {
		f.Fatalf("%d entries, the textbook has %d", found, all)
	}
}

// refuse tries matrices that have no factor.
func refuse(t *testing.T, open func(testing.TB) ops.Device) {
	shape := [3]int{5, 4, 3}
	random := func(symmetric bool) *sparse.Diagonals {
		return opstest.RandomDiagonals(rand.New(rand.NewPCG(3, 5)), shape, symmetric)
	}
	pivots, rows, planes, general, below := random(true), random(true), random(true), random(false), random(false)
	pivots.Main[37] *= -1 // (2,3,1), and what follows from it
	pivots.Main[44] *= -1
	rows.X[4] = -1e-9
	rows.X[24] = -1
	planes.Y[17] = 1
	below.LowerX[24] = -1
	for _, band := range []*float64{&general.LowerX[36], &general.LowerY[37-5], &general.LowerZ[37-20]} {
		*band = 0 // its neighbours leave (2,3,1) its zero
	}
	general.Main[37] = 0
	for name, c := range map[string]struct {
		a    *sparse.Diagonals
		want ilu.Misfit
	}{
		"pivot":          {pivots, ilu.Misfit{I: 2, J: 3, K: 1, Reason: ilu.NotPositive}},
		"end of a row":   {rows, ilu.Misfit{I: 4, J: 0, K: 0, Reason: ilu.WrapsAround}},
		"end of a sheet": {planes, ilu.Misfit{I: 2, J: 3, K: 0, Reason: ilu.WrapsAround}},
		"zero":           {general, ilu.Misfit{I: 2, J: 3, K: 1, Reason: ilu.NoPivot}},
		"below":          {below, ilu.Misfit{I: 4, J: 0, K: 1, Reason: ilu.WrapsAround}},
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
			_, err = ilu.Factorise(s, form, ilu.Options{Order: order})
			var got *ilu.Misfit
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
