package ddilu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/sparse"
)

// solveParts returns M^-1 r in FP64, row by row in the order of the levels.
func solveParts(p *PartFactors, r []float64) []float64 {
	z := make([]float64, len(r))
	for n := range len(p.First) - 1 {
		first, end := p.First[n], p.First[n+1]
		v := make([]float64, end-first)
		less := func(t *Triangle, c int32) (sum float64) {
			for at := t.RowPtr[first+c]; at < t.RowPtr[first+c+1]; at++ {
				sum += float64(t.Val[at]) * v[t.Col[at]]
			}
			return sum
		}
		for c := range end - first {
			v[c] = r[p.Row[first+c]] - less(&p.Lower, c)
		}
		for c := range end - first {
			v[c] *= float64(p.Inverse[first+c])
		}
		for _, c := range p.UpperOrder[first:end] {
			v[c] -= less(&p.Upper, c)
		}
		for c := range end - first {
			z[p.Row[first+c]] = v[c]
		}
	}
	return z
}

// conformParts tests solves with factors of parts on an executor: random triangles with random levels, parts of every size.
func conformParts(t *testing.T, open func(testing.TB) ops.Device) {
	for _, sizes := range [][]int{{1}, {5, 1, 3}, {300, 299, 7}} {
		t.Run(fmt.Sprint(sizes), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(len(sizes)), uint64(sizes[0])))
			p := randomParts(rng, sizes)
			n := len(p.Row)
			a := &sparse.CSR{RowPtr: make([]int64, n+1), Col: make([]int32, n), Val: make([]float64, n)}
			for r := range n {
				a.RowPtr[r+1], a.Col[r], a.Val[r] = int64(r+1), int32(r), 1
			}
			f := opstest.NewAlgebra(t, open(t), nil, a)
			factor, err := executorOf(f).loadParts(p)
			if err != nil {
				t.Fatal(err)
			}
			defer factor.Release()
			z, r := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
			rv := f.Random(r)
			f.Random(z)
			factor.Solve(z, r)
			want := solveParts(p, rv)
			f.Near("M^-1 r", f.Read(z), want, largest(want), 1e-5)
			if err := f.Sys.Err(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// randomParts has rows in random order, levels of random length and rows of up to four entries.
func randomParts(rng *rand.Rand, sizes []int) *PartFactors {
	p := &PartFactors{First: []int32{0}}
	p.Lower.First, p.Upper.First = []int32{0}, []int32{0}
	p.Lower.RowPtr, p.Upper.RowPtr = []int64{0}, []int64{0}
	total := 0
	for _, n := range sizes {
		total += n
	}
	for _, r := range rng.Perm(total) {
		p.Row = append(p.Row, int32(r))
		p.Inverse = append(p.Inverse, 0.5+rng.Float32())
	}
	for _, n := range sizes {
		identity, order := make([]int32, n), make([]int32, n)
		for i, o := range rng.Perm(n) {
			identity[i], order[i] = int32(i), int32(o)
		}
		randomTriangle(rng, &p.Lower, identity)
		randomTriangle(rng, &p.Upper, order)
		p.UpperOrder = append(p.UpperOrder, order...)
		p.First = append(p.First, p.First[len(p.First)-1]+int32(n))
	}
	return p
}

// randomTriangle appends a part whose rows, in an order, fall into levels.
func randomTriangle(rng *rand.Rand, t *Triangle, order []int32) {
	type entry struct {
		col int32
		val float32
	}
	entries := make([][]entry, len(order))
	for begin := 0; begin < len(order); {
		t.Level = append(t.Level, int32(begin))
		end := min(len(order), begin+1+rng.IntN(len(order)))
		for _, r := range order[begin:end] {
			for range min(begin, rng.IntN(5)) {
				entries[r] = append(entries[r], entry{order[rng.IntN(begin)], rng.Float32() - 0.5})
			}
		}
		begin = end
	}
	t.Level = append(t.Level, int32(len(order)))
	t.First = append(t.First, int32(len(t.Level)))
	for _, row := range entries {
		for _, e := range row {
			t.Col, t.Val = append(t.Col, e.col), append(t.Val, e.val)
		}
		t.RowPtr = append(t.RowPtr, int64(len(t.Col)))
	}
}
