package reduction

import (
	"thermsim/geometry"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// Cover is a layer's part under rectangles and other shapes, weighed by volume, plane by plane.
func Cover(m *mesh.Mesh, layer int, rects []stack.Rect, shapes []geometry.Shape) []Rect {
	return CoverPlanes(m, m.LayerPlanes[layer], rects, shapes)
}

// CoverPlanes is the part of a half-open range of planes under rectangles and other shapes, weighed by volume, plane by plane.
func CoverPlanes(m *mesh.Mesh, planes [2]int, rects []stack.Rect, shapes []geometry.Shape) []Rect {
	var sheet []Rect
	for _, r := range rects {
		i, x := lengths(m.X, r.X, r.X+r.Width)
		j, y := lengths(m.Y, r.Y, r.Y+r.Height)
		if len(x) > 0 && len(y) > 0 {
			sheet = append(sheet, Rect{I: i, J: j, X: x, Y: y})
		}
	}
	for _, s := range shapes {
		sheet = append(sheet, rows(m, s)...)
	}
	all := make([]Rect, 0, len(sheet)*(planes[1]-planes[0]))
	for k := planes[0]; k < planes[1]; k++ {
		for _, r := range sheet {
			r.Plane, r.Z = k, m.Z[k+1]-m.Z[k]
			all = append(all, r)
		}
	}
	return all
}

// lengths are those of [a, b] in the cells from first on, in m. The interval is cut by the cell faces the way the power map does it: what ends on a face does not
// touch the next cell.
func lengths(faces []float64, a, b float64) (first int, w []float64) {
	a, b = max(a, faces[0]), min(b, faces[len(faces)-1])
	first, w = powermap.Overlap(faces, a, b, nil)
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
