package geometry

import "sort"

// CellAreas calls visit for every cell (i, j) between the faces x and y, ascending, that the bounds of a shape touch,
// with the area that the shape covers there, in m2; it may be 0. Columns ascend, and rows within them.
func CellAreas(s Shape, x, y []float64, visit func(i, j int, area float64)) {
	b := s.Bounds()
	i0, i1 := touched(x, b.X0, b.X1)
	j0, j1 := touched(y, b.Y0, b.Y1)
	for i := i0; i < i1; i++ {
		slab := s.Between(x[i], x[i+1])
		for j := j0; j < j1; j++ {
			visit(i, j, slab.Area(y[j], y[j+1]))
		}
	}
}

// touched is the half-open range of cells that share more than a face with [lo, hi].
func touched(faces []float64, lo, hi float64) (from, to int) {
	n := len(faces) - 1
	from = sort.Search(n, func(i int) bool { return faces[i+1] > lo })
	to = from + sort.Search(n-from, func(i int) bool { return faces[from+i] >= hi })
	return from, to
}
