package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

// grid is a system to measure on.
type grid struct {
	name       string
	nx, ny, nz int
	rows       bool // given by rows, without geometry
	open       func(d ops.Device) (ops.Operator, error)
}

func grids() (all []grid) {
	add := func(name string, nx, ny, nz int, matrix func() *sparse.Diagonals) {
		all = append(all, grid{name, nx, ny, nz, false, func(d ops.Device) (ops.Operator, error) {
			return d.LoadDiagonals(matrix())
		}})
	}
	for _, n := range []int{96, 160, 208, 304} {
		add(fmt.Sprintf("poisson %d", n), n, n, n, func() *sparse.Diagonals { return poisson(n, n, n) })
	}
	for _, n := range []int{96, 304} {
		for _, peclet := range []float64{0.01, 0.1, 1, 10, 100} {
			add(fmt.Sprintf("upwind %d, Peclet %g", n, peclet), n, n, n, func() *sparse.Diagonals {
				return upwind(peclet, n, n, n)
			})
		}
	}
	add("upwind 160, Peclet 1", 160, 160, 160, func() *sparse.Diagonals { return upwind(1, 160, 160, 160) })
	for _, n := range []int{714, 1871} {
		add(fmt.Sprintf("upwind %dx%dx10", n, n), n, n, 10, func() *sparse.Diagonals { return upwind(1, n, n, 10) })
	}
	// The same cells, marched along their short direction.
	add("poisson 10x714x714", 10, 714, 714, func() *sparse.Diagonals { return poisson(10, 714, 714) })
	add("poisson 714x714x10", 714, 714, 10, func() *sparse.Diagonals { return poisson(714, 714, 10) })
	for _, n := range []int{714, 1183, 1871} {
		all = append(all,
			grid{fmt.Sprintf("stack %d", n), n, n, 10, false, func(d ops.Device) (ops.Operator, error) {
				m, err := mesh.Build(cases.Stack10(cases.Options{NX: n, H: 1000}))
				if err != nil {
					return nil, err
				}
				return d.Assemble(m, 0)
			}})
	}
	byRows := func(name string, n int, matrix func() *sparse.CSR) {
		all = append(all, grid{name, n, n, n, true, func(d ops.Device) (ops.Operator, error) {
			return d.LoadCSR(matrix())
		}})
	}
	byRows("rows of poisson 160", 160, func() *sparse.CSR { return poisson(160, 160, 160).CSR() })
	byRows("rows of poisson 160, shuffled", 160, func() *sparse.CSR { return shuffled(poisson(160, 160, 160).CSR()) })
	byRows("rows of upwind 160, Peclet 1", 160, func() *sparse.CSR { return upwind(1, 160, 160, 160).CSR() })
	return all
}

// upwind adds convection to poisson, with first-order upwind differences: along x, half as fast along y and a tenth
// along z. The Peclet number is that of a cell along x.
func upwind(peclet float64, nx, ny, nz int) *sparse.Diagonals {
	a := poisson(nx, ny, nz)
	a.LowerX, a.LowerY, a.LowerZ = slices.Clone(a.X), slices.Clone(a.Y), slices.Clone(a.Z)
	for n, lower := range [][]float64{a.LowerX, a.LowerY, a.LowerZ} {
		v := peclet * []float64{1, 0.5, 0.1}[n]
		for c := range lower {
			lower[c] *= 1 + v
			a.Main[c] += v
		}
	}
	return a
}

// poisson is the 7-point Laplacian times h^2 on the unit cube's inner points, zero on its faces.
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

// shuffled renumbers the rows and columns of a matrix at random.
func shuffled(a *sparse.CSR) *sparse.CSR {
	n := a.N()
	from, to := rand.New(rand.NewPCG(3, 4)).Perm(n), make([]int32, n)
	for row, old := range from {
		to[old] = int32(row)
	}
	b := &sparse.CSR{RowPtr: make([]int64, 1, n+1)}
	type entry struct {
		col int32
		val float64
	}
	var row []entry
	for _, old := range from {
		cols, vals := a.Row(old)
		row = row[:0]
		for i, c := range cols {
			row = append(row, entry{to[c], vals[i]})
		}
		slices.SortFunc(row, func(a, b entry) int { return int(a.col - b.col) })
		for _, e := range row {
			b.Col, b.Val = append(b.Col, e.col), append(b.Val, e.val)
		}
		b.RowPtr = append(b.RowPtr, int64(len(b.Col)))
	}
	return b
}

// sides are the names of right-hand sides.
var sides = []string{"normal random", "ones", "smooth"}

// rightSide is one of them.
func (p grid) rightSide(name string) []float64 {
	b := make([]float64, p.nx*p.ny*p.nz)
	rng := rand.New(rand.NewPCG(1, 2))
	for c := range b {
		switch name {
		case "ones":
			b[c] = 1
		case "normal random":
			b[c] = rng.NormFloat64()
		default:
			x, y, z := float64(c%p.nx+1)/float64(p.nx+1), float64(c/p.nx%p.ny+1)/float64(p.ny+1),
				float64(c/(p.nx*p.ny)+1)/float64(p.nz+1)
			b[c] = x * math.Exp(y) * (1 - x*x) * z * (1 - z) * (1 - y)
		}
	}
	return b
}
