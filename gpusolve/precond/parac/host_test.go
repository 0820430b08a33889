package parac

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/ordering"
	"thermsim/internal/testtier"
)

// laplacian makes the matrix of a graph with couplings w and grounds g.
func laplacian(n int, edges [][2]int, w []float64, ground []float64) *sparse.CSR {
	rows := make([]map[int]float64, n)
	for r := range rows {
		rows[r] = map[int]float64{r: ground[r]}
	}
	for i, e := range edges {
		rows[e[0]][e[1]] -= w[i]
		rows[e[1]][e[0]] -= w[i]
		rows[e[0]][e[0]] += w[i]
		rows[e[1]][e[1]] += w[i]
	}
	a := &sparse.CSR{RowPtr: make([]int64, n+1)}
	for r := range rows {
		for c := range n {
			if v, ok := rows[r][c]; ok {
				a.Col, a.Val = append(a.Col, int32(c)), append(a.Val, v)
			}
		}
		a.RowPtr[r+1] = int64(len(a.Col))
	}
	return a
}

func build(t testing.TB, a *sparse.CSR, order []int32, seed uint64, workers int) *levelFactor[float32] {
	t.Helper()
	e, err := newHostElimination(nil, a, order, seed, headroom, workers)
	if err != nil {
		t.Fatal(err)
	}
	e.run()
	if e.overflow.Load() {
		t.Fatal("ground overflow")
	}
	return e.factor().(*levelFactor[float32])
}

// product is G D G^T as a dense matrix in the rows' order.
func (f *levelFactor[T]) product() [][]float64 {
	n := len(f.order)
	m := make([][]float64, n)
	for r := range m {
		m[r] = make([]float64, n)
	}
	for c := range n {
		type entry struct {
			at int32
			g  float64
		}
		col := []entry{{f.order[c], 1}}
		for i := f.first[c]; i < f.first[c+1]; i++ {
			col = append(col, entry{f.order[f.row[i]], -float64(f.share[i])})
		}
		for _, p := range col {
			for _, q := range col {
				m[p.at][q.at] += p.g * f.pivot[c] * q.g
			}
		}
	}
	return m
}

func randomGraph(rng *rand.Rand, n, extra int) ([][2]int, []float64, []float64) {
	var edges [][2]int
	var w []float64
	seen := map[[2]int]bool{}
	add := func(a, b int) {
		if a > b {
			a, b = b, a
		}
		if a != b && !seen[[2]int{a, b}] {
			seen[[2]int{a, b}] = true
			edges, w = append(edges, [2]int{a, b}), append(w, math.Exp(2*rng.NormFloat64()))
		}
	}
	for v := 1; v < n; v++ {
		add(v, rng.IntN(v))
	}
	for range extra {
		add(rng.IntN(n), rng.IntN(n))
	}
	ground := make([]float64, n)
	for v := range ground {
		if rng.IntN(3) == 0 {
			ground[v] = math.Exp(3 * rng.NormFloat64())
		}
	}
	return edges, w, ground
}

// On a tree whose leaves go first nothing is drawn: G D G^T = A but for the rounding of G to single precision.
func TestExactOnTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		n := 2 + rng.IntN(40)
		edges, w, ground := randomGraph(rng, n, 0)
		ground[0] = 1
		a := laplacian(n, edges, w, ground)
		order := make([]int32, n) // vertex v hangs on an earlier one, so the last are leaves
		for i := range order {
			order[i] = int32(n - 1 - i)
		}
		m := build(t, a, order, 1, 3).product()
		for r := range n {
			for c := range n {
				want := a.At(r, c)
				if math.Abs(m[r][c]-want) > 4e-7*math.Sqrt(a.At(r, r)*a.At(c, c)) {
					t.Fatalf("entry %d,%d of G D G^T is %g, want %g", r, c, m[r][c], want)
				}
			}
		}
	}
}

// A factor in FP64 is the same factor without the rounding of its entries to FP32: exact on a tree.
func TestFactorInFP64(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for _, extra := range []int{0, 80} {
		n := 40
		edges, w, ground := randomGraph(rng, n, extra)
		ground[0] = 1
		a := laplacian(n, edges, w, ground)
		order := make([]int32, n)
		for i := range order {
			order[i] = int32(n - 1 - i)
		}
		single := build(t, a, order, 1, 2)
		e, err := newHostElimination(nil, a, order, 1, headroom, 2)
		if err != nil {
			t.Fatal(err)
		}
		e.double = true
		e.run()
		double := e.factor().(*levelFactor[float64])
		if !slices.Equal(double.row, single.row) || !slices.Equal(double.pivot, single.pivot) {
			t.Fatal("another factor in FP64")
		}
		for i, v := range double.share {
			if float32(v) != single.share[i] || float32(double.weight[i]) != single.weight[i] {
				t.Fatalf("entry %d is %g in FP64, %g in FP32", i, v, single.share[i])
			}
		}
		for r, row := range double.product() {
			for c, v := range row {
				if extra == 0 && math.Abs(v-a.At(r, c)) > 1e-14*math.Sqrt(a.At(r, r)*a.At(c, c)) {
					t.Fatalf("entry %d,%d of G D G^T is %.17g, want %.17g", r, c, v, a.At(r, c))
				}
			}
		}
	}
}

func TestHostDoesNotDependOnScheduling(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	n := 250
	edges, w, ground := randomGraph(rng, n, 700)
	a := laplacian(n, edges, w, ground)
	order := ordering.ByEntries(a.RowPtr, 4)
	want := build(t, a, order, 9, 1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for try := range testtier.Pick(8, 20) {
		runtime.GOMAXPROCS(1 + try%4)
		got := build(t, a, order, 9, 1+try)
		if err := sameLevelFactor(want, got); err != nil {
			t.Fatalf("%d workers on %d threads: %v", 1+try, 1+try%4, err)
		}
	}
	if sameLevelFactor(want, build(t, a, order, 10, 2)) == nil {
		t.Error("another seed gives the same factor")
	}
}

func sameLevelFactor(a, b *levelFactor[float32]) error {
	switch {
	case !slices.Equal(a.order, b.order):
		return fmt.Errorf("the order differs")
	case !slices.Equal(a.starts, b.starts):
		return fmt.Errorf("the levels differ")
	case !slices.Equal(a.first, b.first) || !slices.Equal(a.row, b.row) || !slices.Equal(a.share, b.share):
		return fmt.Errorf("the columns differ")
	case !slices.Equal(a.begin, b.begin) || !slices.Equal(a.col, b.col) || !slices.Equal(a.weight, b.weight):
		return fmt.Errorf("the rows differ")
	case !slices.Equal(a.pivot, b.pivot) || !slices.Equal(a.inverse, b.inverse) || a.height != b.height:
		return fmt.Errorf("the pivots differ")
	}
	return nil
}
