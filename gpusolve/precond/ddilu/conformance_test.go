package ddilu

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/internal/testtier"
)

// conformBricks tests block incomplete factorisation on a device: factors of grids with odd, prime, flat and thin
// shapes, cut in several ways, of random, layered and nonsymmetric matrices, against the textbook's algorithm by rows.
func conformBricks(t *testing.T, open func(testing.TB) ops.Device) {
	for n, c := range []struct{ shape, cut [3]int }{
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
		kinds = testtier.Pick(kinds[n%4:n%4+1], kinds)
		for _, kind := range kinds {
			t.Run(fmt.Sprintf("%v cut to %v, %s", c.shape, c.cut, kind), func(t *testing.T) {
				d := gridMatrix(kind, c.shape)
				f := opstest.NewAlgebra(t, open(t), d, d.CSR())
				checkBricks(f, d, c.cut)
				if err := f.Sys.Err(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	t.Run("refused pivot", func(t *testing.T) {
		d := gridMatrix("random", [3]int{6, 5, 4})
		d.Main[37] = -1
		f := opstest.NewAlgebra(t, open(t), d, d.CSR())
		form, err := f.Sys.(ops.Forms).Diagonals()
		if err != nil {
			t.Fatal(err)
		}
		defer form.Release()
		var bad *BadPivot
		if _, err = executorOf(f).factorBricks(form, Cut{Cells: [3]int{6, 5, 4}}); !errors.As(err, &bad) ||
			bad.Row != 37 {
			t.Errorf("a negative diagonal in row 37 gives %v", err)
		}
	})
}

// gridMatrix is a matrix of a kind, its entries random but fixed.
func gridMatrix(kind string, shape [3]int) *sparse.Diagonals {
	rng := rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1]+1000*shape[2])))
	switch kind {
	case "layered":
		return opstest.Layered(shape, func(k int) float64 { return []float64{1, 1e3, 0.02}[k%3] })
	case "upwind":
		return opstest.Upwind(shape, [3]float64{8, -3, 0.5})
	}
	return opstest.RandomDiagonals(rng, shape, kind == "random")
}

// checkBricks factors and solves in every way.
func checkBricks(f *opstest.Algebra, d *sparse.Diagonals, cut [3]int) {
	nx, ny := d.NX, d.NY
	reference := opstest.ILU0(opstest.Within(d.CSR(), func(r int) int {
		return r%nx/cut[0] + 1000*(r/nx%ny/cut[1]) + 1000000*(r/(nx*ny)/cut[2])
	}))
	b := executorOf(f)
	form, err := f.Sys.(ops.Forms).Diagonals()
	if err != nil {
		f.Fatal(err)
	}
	defer form.Release()
	z, r := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
	rv := f.Random(r)
	want := opstest.SolveILU(reference, rv)
	ways := []Traversal{ByVertices, ByEdges, BySpinning, ByMemory}
	if cut == [3]int{d.NX, d.NY, d.NZ} {
		ways = append(ways, ByLaunches)
	}
	for _, way := range ways {
		factor, err := b.factorBricks(form, Cut{Cells: cut, Way: way})
		if err != nil {
			f.Fatal(err)
		}
		f.Random(z) // nothing of it may be left
		factor.Solve(z, r)
		f.Near(fmt.Sprintf("M^-1 r by %v", way), f.Read(z), want, largest(want), 1e-5)
		factor.Release()
	}
	factor, err := b.factorBricks(form, Cut{Cells: cut, Double: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Random(z)
	factor.Solve(z, r)
	sameRounded(f, "M^-1 r in FP64", f.Read(z), want)
	factor.Release()
}

func executorOf(f *opstest.Algebra) operations {
	f.Helper()
	e, err := on(f.Sys)
	if err != nil {
		f.Fatal(err)
	}
	return e
}

func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = math.Max(m, math.Abs(x))
	}
	return m
}
