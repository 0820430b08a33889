package picture

import (
	"sort"

	"thermsim/gpusolve/reduction"
)

// binsOf divides the axis with the cell faces f into n bins. A bin shows the cell at its middle, so that cells wider
// than a bin stay crisp, and every cell that lies at the middle of no bin, so that no cell is lost.
func binsOf(f []float64, n int) reduction.Bins {
	cells := len(f) - 1
	b := reduction.Bins{First: make([]int32, n), Last: make([]int32, n)}
	from, length := f[0], f[cells]-f[0]
	shown := make([]bool, cells)
	for p := range n {
		middle := from + length*(float64(p)+0.5)/float64(n)
		c := min(max(sort.SearchFloat64s(f, middle)-1, 0), cells-1)
		b.First[p], b.Last[p] = int32(c), int32(c)
		shown[c] = true
	}
	for c := range cells {
		if shown[c] {
			continue
		}
		p := min(max(int(((f[c]+f[c+1])/2-from)/length*float64(n)), 0), n-1)
		b.First[p], b.Last[p] = min(b.First[p], int32(c)), max(b.Last[p], int32(c))
	}
	return b
}

// reduce shows a plane (x fastest, south first, nx cells a row) in bins, taking the maximum of the cells in each: a hot
// spot survives.
func reduce(values []float64, nx int, bx, by reduction.Bins) []float64 {
	m := reduction.Maxima{Planes: [2]int{0, 1}, X: bx, Y: by}
	return m.Of(values, nx)
}
