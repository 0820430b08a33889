// Package geometry measures plane shapes against the cells of a grid. Areas are exact to rounding: closed forms for
// circles, Green's theorem for polygons. Lengths are in m.
package geometry

// Shape is a closed, simply connected area of the plane.
type Shape interface {
	// Bounds is the smallest rectangle around the shape.
	Bounds() Box
	// Area in m2.
	Area() float64
	// Between is the part of the shape with x0 <= x <= x1.
	Between(x0, x1 float64) Slab
	// Spans are the intervals inside the shape at height y: begin, end, begin, end, ascending.
	Spans(y float64) []float64
	// Heights are the y at which the shape's edges turn.
	Heights() []float64
	// Moved is the same shape elsewhere.
	Moved(dx, dy float64) Shape
}

// Slab is the part of a shape between two x.
type Slab interface {
	// Area of the part with y0 <= y <= y1, in m2, good to a few roundings of (x1-x0)(y1-y0).
	Area(y0, y1 float64) float64
}

// Box is the rectangle from (X0, Y0) to (X1, Y1).
type Box struct{ X0, Y0, X1, Y1 float64 }

// Within is the area of the part of a shape inside a rectangle, in m2.
func Within(s Shape, b Box) float64 { return s.Between(b.X0, b.X1).Area(b.Y0, b.Y1) }
