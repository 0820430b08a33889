package geometry

import (
	"math"
	"slices"
)

// Point of the plane.
type Point struct{ X, Y float64 }

// Polygon is a simple polygon: its corners in order, either way round, the last joined to the first.
type Polygon []Point

// Bounds is the rectangle around the corners.
func (p Polygon) Bounds() Box {
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, c := range p {
		b = Box{min(b.X0, c.X), min(b.Y0, c.Y), max(b.X1, c.X), max(b.Y1, c.Y)}
	}
	return b
}

// Area in m2, by Gauss's trapezoids about the first corner.
func (p Polygon) Area() float64 { return math.Abs(p.signed()) }

// signed is the area, negative where the corners run clockwise.
func (p Polygon) signed() float64 {
	twice := 0.0
	for i := range p {
		a, b := p[i], p[(i+1)%len(p)]
		twice += (a.X-p[0].X)*(b.Y-p[0].Y) - (b.X-p[0].X)*(a.Y-p[0].Y)
	}
	return twice / 2
}

// Heights are those of the corners.
func (p Polygon) Heights() []float64 {
	ys := make([]float64, len(p))
	for i, c := range p {
		ys[i] = c.Y
	}
	slices.Sort(ys)
	return slices.Compact(ys)
}

// Spans are the crossings of the edges at height y.
func (p Polygon) Spans(y float64) []float64 {
	var xs []float64
	for i, a := range p {
		b := p[(i+1)%len(p)]
		if (a.Y <= y) != (b.Y <= y) {
			xs = append(xs, a.X+(y-a.Y)/(b.Y-a.Y)*(b.X-a.X))
		}
	}
	slices.Sort(xs)
	return xs
}

// Moved is the polygon elsewhere.
func (p Polygon) Moved(dx, dy float64) Shape {
	m := make(Polygon, len(p))
	for i, c := range p {
		m[i] = Point{c.X + dx, c.Y + dy}
	}
	return m
}

// Between is the part of the polygon with x0 <= x <= x1.
func (p Polygon) Between(x0, x1 float64) Slab {
	var s edges
	sign := -1.0 // by Green's theorem the area of a polygon that runs anticlockwise is the integral of -y dx around it
	if p.signed() < 0 {
		sign = 1
	}
	for i, a := range p {
		e := edge{a: a, b: p[(i+1)%len(p)], sign: sign}
		if e.a.X > e.b.X {
			e = edge{a: e.b, b: e.a, sign: -sign}
		}
		if u, v := max(e.a.X, x0), min(e.b.X, x1); v > u {
			slope := (e.b.Y - e.a.Y) / (e.b.X - e.a.X)
			if u > e.a.X {
				e.a = Point{u, e.a.Y + slope*(u-e.a.X)}
			}
			if v < e.b.X {
				e.b = Point{v, e.b.Y - slope*(e.b.X-v)}
			}
			s = append(s, e)
		}
	}
	return s
}

// edges are the edges of a polygon inside a slab, eastwards; upright ones enclose nothing.
type edges []edge

type edge struct {
	a, b Point
	sign float64 // of the area below
}

// Area is Green's sum over the edges, with y clamped to the strip: parts beyond it then have no height.
func (s edges) Area(y0, y1 float64) float64 {
	area := 0.0
	for _, e := range s {
		area += e.sign * (e.b.X - e.a.X) * clampedMean(e.a.Y-y0, e.b.Y-y0, y1-y0)
	}
	return max(0, area)
}

// clampedMean is the mean of a function that runs straight from a to b, clamped to [0, h].
func clampedMean(a, b, h float64) float64 {
	if a > b {
		a, b = b, a
	}
	switch {
	case b <= 0:
		return 0
	case a >= h:
		return h
	}
	rise := b - a
	enter, leave := max(0, -a/rise), min(1, (h-a)/rise)
	return (leave-enter)*(max(a, 0)+min(b, h))/2 + (1-leave)*h
}
