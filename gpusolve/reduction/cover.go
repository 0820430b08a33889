package reduction

import (
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Cover is a layer's part under rectangles and other shapes, weighed by volume, plane by plane.
func Cover(m *mesh.Mesh, layer int, rects []stack.Rect, shapes []geometry.Shape) []Rect {
	return CoverPlanes(m, m.LayerPlanes[layer], rects, shapes)
}

// Cell is a share of the cells over (I, J) of the ground plan.
type Cell struct {
	I, J  int32
	Share float64
}

// CoverCells is a layer's part in shares of cells, which are in order of rows, then of columns, weighed by volume,
// plane by plane.
func CoverCells(m *mesh.Mesh, layer int, cells []Cell) []Rect {
	var sheet []Rect
	for n := 0; n < len(cells); {
		r := Rect{I: int(cells[n].I), J: int(cells[n].J), Y: []float64{m.DY(int(cells[n].J))}}
		for ; n < len(cells) && int(cells[n].J) == r.J && int(cells[n].I) == r.I+len(r.X); n++ {
			r.X = append(r.X, m.DX(int(cells[n].I))*cells[n].Share)
		}
		sheet = append(sheet, r)
	}
	return planesOf(m, m.LayerPlanes[layer], sheet)
}

// CoverPlanes is the part of a half-open range of planes under rectangles and other shapes, weighed by volume, plane by
// plane.
func CoverPlanes(m *mesh.Mesh, planes [2]int, rects []stack.Rect, shapes []geometry.Shape) []Rect {
	var sheet []Rect
	for _, r := range rects {
		i, x := Lengths(m.X, r.X, r.X+r.Width, nil)
		j, y := Lengths(m.Y, r.Y, r.Y+r.Height, nil)
		if len(x) > 0 && len(y) > 0 {
			sheet = append(sheet, Rect{I: i, J: j, X: x, Y: y})
		}
	}
	for _, s := range shapes {
		sheet = append(sheet, rows(m, s)...)
	}
	return planesOf(m, planes, sheet)
}

// planesOf repeats rectangles of the ground plan in every plane.
func planesOf(m *mesh.Mesh, planes [2]int, sheet []Rect) []Rect {
	all := make([]Rect, 0, len(sheet)*(planes[1]-planes[0]))
	for k := planes[0]; k < planes[1]; k++ {
		for _, r := range sheet {
			r.Plane, r.Z = k, m.Z[k+1]-m.Z[k]
			all = append(all, r)
		}
	}
	return all
}

// Lengths are those of [a, b] in the cells from first on, in m, in a buffer that may be nil. The interval is cut by the
// cell faces the way the power map does it: what ends on a face does not touch the next cell.
func Lengths(faces []float64, a, b float64, buf []float64) (first int, w []float64) {
	a, b = max(a, faces[0]), min(b, faces[len(faces)-1])
	first, w = powermap.Overlap(faces, a, b, buf)
	for i := range w {
		w[i] *= b - a
	}
	return first, w
}

// rows are a shape on the grid: a rectangle for every run of cells of a row that it touches.
func rows(m *mesh.Mesh, s geometry.Shape) []Rect {
	var all []Rect
	for _, r := range powermap.Rows(powermap.Grid{X: m.X, Y: m.Y}, s) {
		dy := m.DY(r.J)
		for i := 0; i < len(r.Areas); i++ {
			first := i
			for i < len(r.Areas) && r.Areas[i] > 0 {
				r.Areas[i] /= dy
				i++
			}
			if i > first {
				all = append(all, Rect{I: r.I + first, J: r.J, X: r.Areas[first:i], Y: []float64{dy}})
			}
		}
	}
	return all
}
