package stack

import (
	"slices"

	"thermsim/stack/geometry"
)

// Orientation is the placement of a die in a layer: mirrored, then turned counter-clockwise by quarters, then moved.
type Orientation struct {
	Width, Height    float64 // of the die as it is described
	MirrorX, MirrorY bool    // exchanges west and east, or south and north
	Quarters         int     // 0 to 3
	X, Y             float64 // of its south-west corner as placed
}

// Size is the extent of the die as placed.
func (o *Orientation) Size() (width, height float64) {
	if o.ExchangesAxes() {
		return o.Height, o.Width
	}
	return o.Width, o.Height
}

// ExchangesAxes reports whether the axes of the die are exchanged.
func (o *Orientation) ExchangesAxes() bool { return o.Quarters%2 == 1 }

// turned mirrors and turns a point in an area of the extent w by h whose south-west corner is the origin.
func turned[T int | float64](o *Orientation, x, y, w, h T) (T, T) {
	if o.MirrorX {
		x = w - x
	}
	if o.MirrorY {
		y = h - y
	}
	switch o.Quarters {
	case 1:
		return h - y, x
	case 2:
		return w - x, h - y
	case 3:
		return y, w - x
	}
	return x, y
}

// Point moves a point of the die.
func (o *Orientation) Point(p geometry.Point) geometry.Point {
	x, y := turned(o, p.X, p.Y, o.Width, o.Height)
	return geometry.Point{X: x + o.X, Y: y + o.Y}
}

// Rect moves a rectangle.
func (o *Orientation) Rect(r Rect) Rect {
	a, b := o.Point(geometry.Point{X: r.X, Y: r.Y}), o.Point(geometry.Point{X: r.X + r.Width, Y: r.Y + r.Height})
	w, h := r.Width, r.Height // as they are: differences of coordinates would round
	if o.ExchangesAxes() {
		w, h = h, w
	}
	return Rect{X: min(a.X, b.X), Y: min(a.Y, b.Y), Width: w, Height: h}
}

// Shape moves a circle or a polygon; nil stays nil.
func (o *Orientation) Shape(s geometry.Shape) geometry.Shape {
	switch s := s.(type) {
	case geometry.Circle:
		c := o.Point(geometry.Point{X: s.X, Y: s.Y})
		return geometry.Circle{X: c.X, Y: c.Y, Diameter: s.Diameter}
	case geometry.Polygon:
		moved := make(geometry.Polygon, len(s))
		for i := range s {
			moved[i] = o.Point(s[i])
		}
		return moved
	}
	return nil
}

// Grid moves tiles that divide a rectangle evenly, values[0] the south-west one, x running fastest.
func (o *Orientation) Grid(nx, ny int, values []float64) (int, int, []float64) {
	if o.Quarters == 0 && !o.MirrorX && !o.MirrorY {
		return nx, ny, values
	}
	mx, my := nx, ny
	if o.ExchangesAxes() {
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

// Fill moves inclusions.
func (o *Orientation) Fill(f *Fill) *Fill {
	if f == nil {
		return nil
	}
	moved := *f
	moved.NX, moved.NY, moved.Values = o.Grid(f.NX, f.NY, f.Values)
	if o.ExchangesAxes() {
		switch f.Rule {
		case LinesX:
			moved.Rule = LinesY
		case LinesY:
			moved.Rule = LinesX
		}
	}
	return &moved
}

// Block moves a block.
func (o *Orientation) Block(b Block) Block {
	b.Rects = slices.Clone(b.Rects)
	for i := range b.Rects {
		b.Rects[i] = o.Rect(b.Rects[i])
	}
	b.Shapes = slices.Clone(b.Shapes)
	for i := range b.Shapes {
		b.Shapes[i] = o.Shape(b.Shapes[i])
	}
	return b
}

// Power moves a source of heat.
func (o *Orientation) Power(p Power) Power {
	p.Area, p.Shape = o.Rect(p.Area), o.Shape(p.Shape)
	p.Blocks = slices.Clone(p.Blocks)
	for i := range p.Blocks {
		p.Blocks[i] = o.Block(p.Blocks[i])
	}
	if p.Map != nil {
		p.Map = p.Map.Converted(o.Grid)
	}
	return p
}

// Region moves a part of another material.
func (o *Orientation) Region(r Region) Region {
	r.Rect, r.Shape, r.Fill = o.Rect(r.Rect), o.Shape(r.Shape), o.Fill(r.Fill)
	if r.Shape != nil {
		r.Rect = Around(r.Shape)
	}
	return r
}

// Turned is the material as it conducts in a part turned by an odd number of quarters.
func (m Material) Turned() Material {
	m.K[0], m.K[1] = m.K[1], m.K[0]
	m.KCurve[0], m.KCurve[1] = m.KCurve[1], m.KCurve[0]
	return m
}
