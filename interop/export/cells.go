package export

import (
	"math"
	"sort"

	"thermsim/interop/threedice"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// cellMap relates the cells of a 3D-ICE project to those of the mesh, in um. In uniform mode they are the same.
type cellMap struct {
	outputs *threedice.Outputs
	mesh    *mesh.Mesh
	x, y    []float64         // faces of the mesh
	lists   map[string][]cell // cells of stack elements in non-uniform mode
}

// cell is a rectangle in um.
type cell = stack.Rect

const micrometres = 1e6 // um per m

func newCellMap(o *threedice.Outputs, m *mesh.Mesh) *cellMap {
	c := &cellMap{outputs: o, mesh: m, lists: map[string][]cell{}}
	c.x, c.y = facesInMicrometres(m.X, o, 0), facesInMicrometres(m.Y, o, 1)
	return c
}

// facesInMicrometres are the faces of the mesh. Those that are multiples of the project's cell have no error from the
// conversion of um to m and back, which would put a point on a face into the other cell.
func facesInMicrometres(metres []float64, o *threedice.Outputs, axis int) []float64 {
	um := make([]float64, len(metres))
	for i, v := range metres {
		um[i] = v * micrometres
		if exact := float64(i) * o.Cell[axis]; !o.NonUniform &&
			math.Abs(exact-um[i]) <= 1e-9*metres[len(metres)-1]*micrometres {
			um[i] = exact
		}
	}
	return um
}

// of lists the cells of a stack element in non-uniform mode: element by element of its floorplan, each row by row from
// its south-west corner.
func (c *cellMap) of(element string) []cell {
	if list, ok := c.lists[element]; ok {
		return list
	}
	var list []cell
	for _, e := range c.outputs.Floorplans[element] {
		list = append(list, divide(e.Rects[0], e.Cells)...)
	}
	if list == nil {
		whole := stack.Rect{Width: c.x[len(c.x)-1], Height: c.y[len(c.y)-1]}
		list = divide(whole, c.outputs.LayerCells[element])
	}
	c.lists[element] = list
	return list
}

// divide is the equal cells of a rectangle, row by row from its south-west corner.
func divide(r stack.Rect, cells [2]int) (list []cell) {
	nx, ny := cells[0], cells[1]
	for n := range nx * ny {
		i, j := n%nx, n/nx
		list = append(list, cell{X: r.X + r.Width/float64(nx)*float64(i), Y: r.Y + r.Height/float64(ny)*float64(j),
			Width: r.Width / float64(nx), Height: r.Height / float64(ny)})
	}
	return list
}

// block is the floorplan element that cell n of a stack element belongs to; 0 for a layer.
func (c *cellMap) block(element string, n int) int {
	for b, e := range c.outputs.Floorplans[element] {
		if n -= e.Cells[0] * e.Cells[1]; n < 0 {
			return b
		}
	}
	return 0
}

// mean is the average of a plane over a cell.
func (c *cellMap) mean(plane []float64, r cell) float64 { return c.weighted(plane, r, false) }

// sum is the part of a plane of watts that lies in a cell.
func (c *cellMap) sum(plane []float64, r cell) float64 { return c.weighted(plane, r, true) }

func (c *cellMap) weighted(plane []float64, r cell, extensive bool) float64 {
	i0, xs := powermap.Overlap(c.x, r.X, r.X+r.Width, nil)
	j0, ys := powermap.Overlap(c.y, r.Y, r.Y+r.Height, nil)
	total := 0.0
	for j, fy := range ys {
		for i, fx := range xs {
			v := plane[(j0+j)*c.mesh.NX()+i0+i]
			if extensive {
				dx, dy := c.x[i0+i+1]-c.x[i0+i], c.y[j0+j+1]-c.y[j0+j]
				v *= r.Width * r.Height / (dx * dy)
			}
			total += fx * fy * v
		}
	}
	return total
}

// location is the column (axis 0) or row (axis 1) in the heading of T, and its start. In non-uniform mode that is a
// cell of the dimensions section, which is unrelated to the temperature.
func (c *cellMap) location(axis int, v float64) (n int, from float64) {
	faces := [2][]float64{c.x, c.y}[axis]
	if c.outputs.NonUniform {
		cell := c.outputs.Cell[axis]
		cells := math.Max(1, math.Trunc(faces[len(faces)-1]/cell))
		if at := math.Trunc(v / cell); at >= 0 && at < cells {
			return int(at), at * cell
		}
		return int(cells) - 1, 0
	}
	n = containing(faces, v)
	if v < faces[n] || v >= faces[n+1] {
		return n, 0 // beyond the chip 3D-ICE uses the last cell and 0 for its start
	}
	return n, faces[n]
}

// containing is the cell between faces that contains v; beyond the chip the last one.
func containing(faces []float64, v float64) int {
	n := len(faces) - 1
	for i := range n {
		if v >= faces[i] && v < faces[i+1] {
			return i
		}
	}
	return n - 1
}

// at is the temperature of the cell that contains a point.
func (c *cellMap) at(ins *threedice.Output, plane []float64) float64 {
	if c.outputs.NonUniform {
		for _, r := range c.of(ins.Element) {
			if ins.X >= r.X && ins.X < r.X+r.Width && ins.Y >= r.Y && ins.Y < r.Y+r.Height {
				return c.mean(plane, r)
			}
		}
	}
	return plane[containing(c.y, ins.Y)*c.mesh.NX()+containing(c.x, ins.X)]
}

// element is the quantity that an instruction requests of floorplan element n: over every cell that a rectangle
// touches, with equal weights of the cells of a rectangle, and in an average of the rectangles.
func (c *cellMap) element(ins *threedice.Output, n int, plane []float64) float64 {
	e := &c.outputs.Floorplans[ins.Element][n]
	lo, hi, means := math.Inf(1), math.Inf(-1), 0.0
	rects := e.Rects
	if c.outputs.NonUniform {
		rects = rects[:1]
	}
	for _, r := range rects {
		sum, count := 0.0, 0
		for _, v := range c.touched(e, r, plane) {
			sum += v
			count++
			lo, hi = min(lo, v), max(hi, v)
		}
		means += sum / float64(count)
	}
	switch ins.Quantity {
	case "maximum":
		return hi
	case "minimum":
		return lo
	case "gradient":
		return hi - lo
	}
	return means / float64(len(rects))
}

// touched are the temperatures of the cells that a rectangle touches. A rectangle that ends on a face does not touch
// the next cell.
func (c *cellMap) touched(e *threedice.FloorplanElement, r stack.Rect, plane []float64) (values []float64) {
	if c.outputs.NonUniform {
		for _, part := range divide(r, e.Cells) {
			values = append(values, c.mean(plane, part))
		}
		return values
	}
	i0, i1 := span(c.x, r.X, r.X+r.Width)
	j0, j1 := span(c.y, r.Y, r.Y+r.Height)
	for j := j0; j <= j1; j++ {
		values = append(values, plane[j*c.mesh.NX()+i0:j*c.mesh.NX()+i1+1]...)
	}
	return values
}

// span is the first and the last cell that [a, b] touches.
func span(faces []float64, a, b float64) (first, last int) {
	n := len(faces) - 1
	slack := 1e-9 * faces[n] // from the conversion of um to m and back
	first = min(sort.Search(n, func(i int) bool { return faces[i+1] > a+slack }), n-1)
	last = min(sort.Search(n, func(i int) bool { return faces[i+1] >= b-slack }), n-1)
	return first, max(first, last)
}

// addSinks adds conductance times temperature of the sinks on a layer.
func (c *cellMap) addSinks(layer int, plane []float64) {
	m := c.mesh
	add := func(face stack.Face, k int) {
		if _, ok := m.FaceResistance(face); !ok {
			return
		}
		for n := range plane {
			i, j := n%m.NX(), n/m.NX()
			d := m.Drive(face, i, j, k)
			plane[n] += d.Temperature * m.FaceConductance(face, i, j, k)
		}
	}
	if layer == 0 {
		add(stack.Bottom, 0)
	}
	if layer == len(m.Stack.Layers)-1 {
		add(stack.Top, m.NZ()-1)
	}
}
