package picture

import (
	"slices"
	"sort"

	"thermsim/gpusolve/reduction"
	"thermsim/stack"
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

// Thumbnail reduces a plane of cells (x fastest, south first, faces x and y in m) to w x h values, the maximum of the
// cells in each.
func Thumbnail(x, y, values []float64, w, h int) []float64 {
	return reduce(values, len(x)-1, binsOf(x, w), binsOf(y, h))
}

// reduce shows a plane (x fastest, south first, nx cells a row) in bins, taking the maximum of the cells in each: a hot
// spot survives.
func reduce(values []float64, nx int, bx, by reduction.Bins) []float64 {
	m := reduction.Maxima{Planes: [2]int{0, 1}, X: bx, Y: by}
	return m.Of(values, nx)
}

// Crop leaves the cells that lie at least in part within a rectangle (m), and all of them where none does.
func (m *HeatMap) Crop(to stack.Rect) {
	i0, i1 := CellsWithin(m.X, to.X, to.X+to.Width)
	j0, j1 := CellsWithin(m.Y, to.Y, to.Y+to.Height)
	m.Kelvin = cropped(m.Kelvin, len(m.X)-1, i0, i1, j0, j1)
	m.X, m.Y = m.X[i0:i1+1], m.Y[j0:j1+1]
}

// crop does the same to a density.
func (g *DensityGrid) crop(to stack.Rect) *DensityGrid {
	i0, i1 := CellsWithin(g.X, to.X, to.X+to.Width)
	j0, j1 := CellsWithin(g.Y, to.Y, to.Y+to.Height)
	return &DensityGrid{X: g.X[i0 : i1+1], Y: g.Y[j0 : j1+1], Values: cropped(g.Values, len(g.X)-1, i0, i1, j0, j1)}
}

func cropped(values []float64, nx, i0, i1, j0, j1 int) []float64 {
	out := make([]float64, 0, (i1-i0)*(j1-j0))
	for j := j0; j < j1; j++ {
		out = append(out, values[j*nx+i0:j*nx+i1]...)
	}
	return out
}

// CellsWithin are the cells, from i0 up to i1, that have a part between two places; all of them where none has.
func CellsWithin(faces []float64, from, to float64) (i0, i1 int) {
	n := len(faces) - 1
	slack := 1e-9 * (faces[n] - faces[0])
	i0 = max(0, slices.IndexFunc(faces, func(f float64) bool { return f > from+slack })-1)
	i1 = slices.IndexFunc(faces, func(f float64) bool { return f >= to-slack })
	if i1 < 0 {
		i1 = n
	}
	if i1 <= i0 {
		return 0, n
	}
	return i0, i1
}
