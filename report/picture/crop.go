package picture

import (
	"slices"

	"thermsim/stack"
)

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
