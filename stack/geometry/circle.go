package geometry

import (
	"math"
	"slices"
)

// Circle has its centre at (X, Y).
type Circle struct {
	X        float64 `toml:"x,zero"`
	Y        float64 `toml:"y,zero"`
	Diameter float64 `toml:"diameter"`
}

// Bounds is the square around the circle.
func (c Circle) Bounds() Box {
	r := c.Diameter / 2
	return Box{c.X - r, c.Y - r, c.X + r, c.Y + r}
}

// Area in m2.
func (c Circle) Area() float64 { return math.Pi / 4 * c.Diameter * c.Diameter }

// Spans is the chord at height y.
func (c Circle) Spans(y float64) []float64 {
	r := c.Diameter / 2
	if !(math.Abs(y-c.Y) < r) {
		return nil
	}
	h := halfChord(r, y-c.Y)
	return []float64{c.X - h, c.X + h}
}

// Heights are the lowest and the highest point.
func (c Circle) Heights() []float64 { return []float64{c.Y - c.Diameter/2, c.Y + c.Diameter/2} }

// Moved is the circle elsewhere.
func (c Circle) Moved(dx, dy float64) Shape { return Circle{c.X + dx, c.Y + dy, c.Diameter} }

// Between is the part of the circle with x0 <= x <= x1.
func (c Circle) Between(x0, x1 float64) Slab {
	r := c.Diameter / 2
	return disc{c, max(x0-c.X, -r), min(x1-c.X, r)}
}

// disc is the part of a circle from a to b, measured from its centre.
type disc struct {
	Circle
	a, b float64
}

// Area integrates the height of the disc inside the strip, clamp(s) - clamp(-s) with s(x) = sqrt(r^2 - x^2). The lower
// arc is the upper one of the strip mirrored at the centre.
func (d disc) Area(y0, y1 float64) float64 {
	p, q := y0-d.Y, y1-d.Y
	if !(d.b > d.a) || !(q > p) {
		return 0
	}
	return max(0, d.under(p, q)+d.under(-q, -p)-(q-p)*(d.b-d.a))
}

// under is the integral of clamp(s(x), p, q) - p over the disc's x.
func (d disc) under(p, q float64) float64 {
	r := d.Diameter / 2
	points := []float64{d.a, d.b}
	for _, x := range []float64{0, halfChord(r, p), -halfChord(r, p), halfChord(r, q), -halfChord(r, q)} {
		if x > d.a && x < d.b {
			points = append(points, x)
		}
	}
	slices.Sort(points)
	area := 0.0
	for i, v := range points[1:] {
		u := points[i]
		switch s := halfChord(r, (u+v)/2); {
		case s >= q:
			area += (q - p) * (v - u)
		case s > p:
			su, sv := halfChord(r, u), halfChord(r, v)
			area += ((su+sv)/2-p)*(v-u) + segment(r, math.Hypot(v-u, sv-su))
		}
	}
	return area
}

// halfChord is sqrt(r^2 - x^2), 0 outside the circle.
func halfChord(r, x float64) float64 { return math.Sqrt(max(0, (r-x)*(r+x))) }

// segment is the area between an arc of up to a quarter of a circle and its chord. For short arcs the angle and its
// sine cancel, and their Taylor series is used instead.
func segment(r, chord float64) float64 {
	t := 2 * math.Asin(min(1, chord/(2*r)))
	if t > 0.5 {
		return r * r / 2 * (t - math.Sin(t))
	}
	t2, term, sum := t*t, t*t*t/6, 0.0
	for n := 4.0; term != 0 && sum+term != sum; n += 2 {
		sum += term
		term *= -t2 / (n * (n + 1))
	}
	return r * r / 2 * sum
}
