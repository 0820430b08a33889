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

// Bricks tests block incomplete factorisation on an executor: factors of grids with odd, prime, flat and thin shapes, cut in several ways, of random,
// layered and nonsymmetric matrices, against the textbook's algorithm by rows.
func Bricks(t *testing.T, open func(testing.TB) ops.Device) {
	for _, c := range []struct{ shape, cut [3]int }{
		{[3]int{1, 1, 1}, [3]int{1, 1, 1}},
		{[3]int{11, 7, 5}, [3]int{11, 7, 5}},
		{[3]int{13, 11, 7}, [3]int{5, 4, 3}},
		{[3]int{1, 17, 19}, [3]int{1, 6, 19}},
		{[3]int{19, 17, 1}, [3]int{8, 8, 1}},
		{[3]int{3, 18, 17}, [3]int{2, 17, 16}}, // more lines than a block has threads
		{[3]int{300, 2, 2}, [3]int{290, 2, 2}}, // lines longer than a block
		{[3]int{2, 1, 9}, [3]int{1, 1, 4}},
	} {
		kinds := []string{"random", "layered", "nonsymmetric", "upwind"}
		if c.shape[1]*c.shape[2] > 256 { // slow on an interpreter
			kinds = kinds[1:3]
		}
		for _, kind := range kinds {
			t.Run(fmt.Sprintf("%v cut to %v, %s", c.shape, c.cut, kind), func(t *testing.T) {
				d := gridMatrix(kind, c.shape)
				f := NewAlgebra(t, open(t), d, d.CSR())
				f.bricks(c.cut)
				if err := f.Sys.Err(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	t.Run("refused pivot", func(t *testing.T) {
		d := gridMatrix("random", [3]int{6, 5, 4})
		d.Main[37] = -1
		f := NewAlgebra(t, open(t), d, d.CSR())
		form, err := f.Sys.(ops.Forms).Diagonals()
		if err != nil {
			t.Fatal(err)
		}
		defer form.Release()
		var bad *ops.BadPivot
		if _, err = f.Sys.(ops.Bricks).FactorBricks(form, ops.Cut{Cells: [3]int{6, 5, 4}}); !errors.As(err, &bad) || bad.Row != 37 {
			t.Errorf("a negative diagonal in row 37 gives %v", err)
		}
	})
}

// gridMatrix is a matrix of a kind, its entries random but fixed.
func gridMatrix(kind string, shape [3]int) *sparse.Diagonals {
	rng := rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1]+1000*shape[2])))
	switch kind {
	case "layered":
		return Layered(shape, func(k int) float64 { return []float64{1, 1e3, 0.02}[k%3] })
	case "upwind":
		return Upwind(shape, [3]float64{8, -3, 0.5})
	}
	return RandomDiagonals(rng, shape, kind == "random")
}

// Layered is the seven-point matrix of conduction with a conductivity for each plane, the half cells of two planes in series, and a ground of 1 on the top
// plane.
func Layered(shape [3]int, conductivity func(k int) float64) *sparse.Diagonals {
	nx, ny, nz := shape[0], shape[1], shape[2]
	d := sparse.NewDiagonals(nx, ny, nz)
	for c := range d.Main {
		i, j, k := c%nx, c/nx%ny, c/(nx*ny)
		couple := func(band []float64, g float64, offset int) {
			band[c] = -g
			d.Main[c] += g
			d.Main[c+offset] += g
		}
		if own := conductivity(k); i < nx-1 {
			couple(d.X, own, 1)
		}
		if own := conductivity(k); j < ny-1 {
			couple(d.Y, own, nx)
		}
		if k < nz-1 {
			couple(d.Z, 2/(1/conductivity(k)+1/conductivity(k+1)), nx*ny)
		} else {
			d.Main[c]++
		}
	}
	return d
}

// Upwind is -laplace u + peclet . grad u with values given on all faces, by the seven-point star and first-order upwind differences; peclet is that of a cell,
// velocity times cell size over diffusivity, in each direction.
func Upwind(shape [3]int, peclet [3]float64) *sparse.Diagonals {
	d := sparse.NewDiagonals(shape[0], shape[1], shape[2])
	d.LowerX, d.LowerY, d.LowerZ = make([]float64, len(d.X)), make([]float64, len(d.Y)), make([]float64, len(d.Z))
	upper, lower := [3][]float64{d.X, d.Y, d.Z}, [3][]float64{d.LowerX, d.LowerY, d.LowerZ}
	strides := [3]int{1, shape[0], shape[0] * shape[1]}
	for c := range d.Main {
		at := [3]int{c % shape[0], c / shape[0] % shape[1], c / strides[2]}
		for a, p := range peclet {
			d.Main[c] += 2 + math.Abs(p)
			if at[a] < shape[a]-1 {
				upper[a][c] = -1 + math.Min(p, 0)
				lower[a][c] = -1 - math.Max(p, 0)
			}
		}
	}
	return d
}

// ILU0 is an incomplete factorisation without fill by the textbook (Saad, Iterative Methods, algorithm 10.4), row by row on a copy of the matrix: L below the
// diagonal, U on and above it.
func ILU0(a *sparse.CSR) *sparse.CSR {
	f := &sparse.CSR{RowPtr: a.RowPtr, Col: a.Col, Val: append([]float64(nil), a.Val...)}
	for i := range f.N() {
		cols, vals := f.Row(i)
		for n, k := range cols {
			if int(k) >= i {
				break
			}
			vals[n] /= f.At(int(k), int(k))
			for m := n + 1; m < len(cols); m++ {
				vals[m] -= vals[n] * f.At(int(k), int(cols[m]))
			}
		}
	}
	return f
}

// SolveILU returns U^-1 L^-1 r for a factor of ILU0.
func SolveILU(f *sparse.CSR, r []float64) []float64 {
	z := append([]float64(nil), r...)
	for i := range z {
		cols, vals := f.Row(i)
		for n, k := range cols {
			if int(k) < i {
				z[i] -= vals[n] * z[k]
			}
		}
	}
	for i := len(z) - 1; i >= 0; i-- {
		cols, vals := f.Row(i)
		for n, k := range cols {
			if int(k) > i {
				z[i] -= vals[n] * z[k]
			}
		}
		z[i] /= f.At(i, i)
	}
	return z
}

// Within keeps the entries whose row and column are of the same block.
func Within(a *sparse.CSR, block func(row int) int) *sparse.CSR {
	w := &sparse.CSR{RowPtr: make([]int64, 1, a.N()+1)}
	for r := range a.N() {
		cols, vals := a.Row(r)
		for n, c := range cols {
			if block(r) == block(int(c)) {
				w.Col, w.Val = append(w.Col, c), append(w.Val, vals[n])
			}
		}
		w.RowPtr = append(w.RowPtr, int64(len(w.Col)))
	}
	return w
}

// bricks factors and solves in every way.
func (f *Algebra) bricks(cut [3]int) {
	nx, ny := f.by.NX, f.by.NY
	reference := ILU0(Within(f.a, func(r int) int {
		return r%nx/cut[0] + 1000*(r/nx%ny/cut[1]) + 1000000*(r/(nx*ny)/cut[2])
	}))
	b := f.Sys.(ops.Bricks)
	form, err := f.Sys.(ops.Forms).Diagonals()
	if err != nil {
		f.Fatal(err)
	}
	defer form.Release()
	z, r := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
	rv := f.Random(r)
	want := SolveILU(reference, rv)
	ways := []ops.Traversal{ops.ByVertices, ops.ByEdges, ops.BySpinning, ops.ByMemory}
	if cut == [3]int{f.by.NX, f.by.NY, f.by.NZ} {
		ways = append(ways, ops.ByLaunches)
	}
	for _, way := range ways {
		factor, err := b.FactorBricks(form, ops.Cut{Cells: cut, Way: way})
		if err != nil {
			f.Fatal(err)
		}
		f.Random(z) // nothing of it may be left
		b.SolveFactor(factor, z, r)
		f.Near(fmt.Sprintf("M^-1 r by %v", way), f.Read(z), want, largest(want), 1e-5)
		factor.Release()
	}
}
