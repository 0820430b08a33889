package stackfile

import (
	"slices"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// orientation is the placement of a die in a layer: mirrored, then turned counter-clockwise by quarters, then moved.
type orientation struct {
	width, height    float64 // of the die as it is described
	mirrorX, mirrorY bool    // exchanges west and east, or south and north
	quarters         int     // 0 to 3
	x, y             float64 // of its south-west corner as placed
}

// size is the extent of the die as placed.
func (o *orientation) size() (width, height float64) {
	if o.exchangesAxes() {
		return o.height, o.width
	}
	return o.width, o.height
}

// exchangesAxes says whether the axes of the die are exchanged.
func (o *orientation) exchangesAxes() bool { return o.quarters%2 == 1 }

// turned mirrors and turns a point in an area of the extent w by h whose south-west corner is the origin.
func turned[T int | float64](o *orientation, x, y, w, h T) (T, T) {
	if o.mirrorX {
		x = w - x
	}
	if o.mirrorY {
		y = h - y
	}
	switch o.quarters {
	case 1:
		return h - y, x
	case 2:
		return w - x, h - y
	case 3:
		return y, w - x
	}
	return x, y
}

// point moves a point of the die.
func (o *orientation) point(p geometry.Point) geometry.Point {
	x, y := turned(o, p.X, p.Y, o.width, o.height)
	return geometry.Point{X: x + o.x, Y: y + o.y}
}

func (o *orientation) rect(r stack.Rect) stack.Rect {
	a, b := o.point(geometry.Point{X: r.X, Y: r.Y}), o.point(geometry.Point{X: r.X + r.Width, Y: r.Y + r.Height})
	w, h := r.Width, r.Height // as they are: differences of coordinates would round
	if o.exchangesAxes() {
		w, h = h, w
	}
	return stack.Rect{X: min(a.X, b.X), Y: min(a.Y, b.Y), Width: w, Height: h}
}

// shape moves a circle or a polygon; nil stays nil.
func (o *orientation) shape(s geometry.Shape) geometry.Shape {
	switch s := s.(type) {
	case geometry.Circle:
		c := o.point(geometry.Point{X: s.X, Y: s.Y})
		return geometry.Circle{X: c.X, Y: c.Y, Diameter: s.Diameter}
	case geometry.Polygon:
		moved := make(geometry.Polygon, len(s))
		for i := range s {
			moved[i] = o.point(s[i])
		}
		return moved
	}
	return nil
}

// grid moves tiles that divide a rectangle evenly, values[0] the south-west one, x running fastest.
func (o *orientation) grid(nx, ny int, values []float64) (int, int, []float64) {
	if o.quarters == 0 && !o.mirrorX && !o.mirrorY {
		return nx, ny, values
	}
	mx, my := nx, ny
	if o.exchangesAxes() {
		mx, my = ny, nx
	}
	moved := make([]float64, len(values))
	for j := range ny {
		for i := range nx {
			u, v := turned(o, i, j, nx-1, ny-1)
			moved[v*mx+u] = values[j*nx+i]
		}
	}
	return mx, my, moved
}

// fill moves inclusions.
func (o *orientation) fill(f *stack.Fill) *stack.Fill {
	if f == nil {
		return nil
	}
	moved := *f
	moved.NX, moved.NY, moved.Values = o.grid(f.NX, f.NY, f.Values)
	if o.exchangesAxes() {
		switch f.Rule {
		case stack.LinesX:
			moved.Rule = stack.LinesY
		case stack.LinesY:
			moved.Rule = stack.LinesX
		}
	}
	return &moved
}

// block moves a block.
func (o *orientation) block(b stack.Block) stack.Block {
	b.Rects = slices.Clone(b.Rects)
	for i := range b.Rects {
		b.Rects[i] = o.rect(b.Rects[i])
	}
	b.Shapes = slices.Clone(b.Shapes)
	for i := range b.Shapes {
		b.Shapes[i] = o.shape(b.Shapes[i])
	}
	return b
}

// power moves a source of heat.
func (o *orientation) power(p stack.Power) stack.Power {
	p.Area, p.Shape = o.rect(p.Area), o.shape(p.Shape)
	p.Blocks = slices.Clone(p.Blocks)
	for i := range p.Blocks {
		p.Blocks[i] = o.block(p.Blocks[i])
	}
	if p.Map != nil {
		p.Map = p.Map.Converted(o.grid)
	}
	return p
}

// region moves a part of another material.
func (o *orientation) region(r stack.Region) stack.Region {
	r.Rect, r.Shape, r.Fill = o.rect(r.Rect), o.shape(r.Shape), o.fill(r.Fill)
	if r.Shape != nil {
		r.Rect = stack.Around(r.Shape)
	}
	return r
}
