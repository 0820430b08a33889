package opstest

import (
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

// maxima checks planes in bins that overlap, leave cells out and hold one cell or many.
func (f *Fixture) maxima(x ops.Vector, a []float64, offset float64) {
	f.Helper()
	on, ok := f.Sys.(reduction.Binning)
	if !ok {
		f.Error("no maxima in bins")
		return
	}
	nx, ny, nz := f.ref.nx, f.ref.ny, f.ref.nz
	bins := func(n int) (b reduction.Bins) {
		for range 1 + f.rng.IntN(2*n) {
			first := f.rng.IntN(n)
			b.First, b.Last = append(b.First, int32(first)), append(b.Last, int32(first+f.rng.IntN(n-first)))
		}
		return b
	}
	from := f.rng.IntN(nz)
	m := &reduction.Maxima{Planes: [2]int{from, from + 1 + f.rng.IntN(nz-from)}, X: bins(nx), Y: bins(ny)}
	got := make([]float64, m.Count())
	if !on.Maxima(x, offset, m, got) {
		f.Fatal("no room for bins")
	}
	for n := range got {
		p, q := n%len(m.X.First), n/len(m.X.First)
		best := math.NaN()
		for i := m.X.First[p]; i <= m.X.Last[p]; i++ {
			column := math.NaN()
			for j := m.Y.First[q]; j <= m.Y.Last[q]; j++ {
				cell := math.NaN()
				for k := m.Planes[0]; k < m.Planes[1]; k++ {
					cell = hotter(cell, a[(k*ny+int(j))*nx+int(i)]+offset, k == m.Planes[0])
				}
				column = hotter(column, cell, j == m.Y.First[q])
			}
			best = hotter(best, column, i == m.X.First[p])
		}
		if math.Float64bits(got[n]) != math.Float64bits(best) && (got[n] == got[n] || best == best) {
			f.Fatalf("bin (%d, %d) of planes %v is %g, want %g", p, q, m.Planes, got[n], best)
		}
	}
}

func hotter(a, b float64, first bool) float64 {
	if first || b > a {
		return b
	}
	return a
}
