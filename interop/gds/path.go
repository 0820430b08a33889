package gds

import "math"

// outline appends the trapezoids of an element.
func (s *slicer) outline(e *element) error {
	if e.kind != recPath {
		return s.polygon(e.xy)
	}
	half := math.Abs(float64(e.width)) / 2
	p := e.xy[:0]
	for _, q := range e.xy {
		if len(p) == 0 || p[len(p)-1] != q {
			p = append(p, q)
		}
	}
	if half == 0 || len(p) == 0 {
		return nil
	}
	if len(p) == 1 {
		p = append(p, p[0])
	}
	begin, end := 0.0, 0.0
	switch e.pathType {
	case 2:
		begin, end = half, half
	case 4:
		begin, end = float64(e.begin), float64(e.end)
	}
	last := len(p) - 1
	for i, b := range p[1:] {
		a, before, after := p[i], 0.0, 0.0
		if i == 0 {
			before = begin
		}
		if i+1 == last {
			after = end
		} else if err := s.corner(a, b, p[i+2], half); err != nil {
			return err
		}
		if err := s.segment(a, b, half, before, after); err != nil {
			return err
		}
	}
	if e.pathType != 1 {
		return nil
	}
	back := towards(p[0], p[1], -half)
	if err := s.cap(p[0], back); err != nil {
		return err
	}
	return s.cap(p[last], towards(p[last-1], p[last], half))
}

// towards is the vector of the given length from a to b, or along x if these are one point.
func towards(a, b point, length float64) point {
	if a == b {
		return point{length, 0}
	}
	f := length / math.Hypot(b.x-a.x, b.y-a.y)
	return point{f * (b.x - a.x), f * (b.y - a.y)}
}

// segment appends the rectangle around the line from a to b, extended at its ends or shortened, to nothing at most.
func (s *slicer) segment(a, b point, half, before, after float64) error {
	before = max(before, -math.Hypot(b.x-a.x, b.y-a.y)-after)
	u, n := towards(a, b, 1), towards(a, b, half)
	a = point{a.x - before*u.x, a.y - before*u.y}
	b = point{b.x + after*u.x, b.y + after*u.y}
	return s.polygon([]point{{a.x - n.y, a.y + n.x}, {a.x + n.y, a.y - n.x}, {b.x + n.y, b.y - n.x},
		{b.x - n.y, b.y + n.x}})
}

// corner appends what lies between the outer sides of two segments that meet in b: a mitered corner, or a beveled one
// if the path turns by more than 90 degrees.
func (s *slicer) corner(a, b, c point, half float64) error {
	u, v := towards(a, b, half), towards(b, c, half)
	cross, dot := u.x*v.y-u.y*v.x, u.x*v.x+u.y*v.y
	side := math.Copysign(1, cross) // the outer side is to the right of a left turn
	p := point{b.x + side*u.y, b.y - side*u.x}
	q := point{b.x + side*v.y, b.y - side*v.x}
	if dot < -1e-9*half*half {
		return s.polygon([]point{b, p, q})
	}
	f := math.Tan(math.Atan2(math.Abs(cross), dot) / 2)
	return s.polygon([]point{b, p, {p.x + f*u.x, p.y + f*u.y}, q})
}

// cap appends a round end around p, in the direction of r: half a polygon of 64 sides with the area of the disk.
func (s *slicer) cap(p, r point) error {
	const sides = 32
	step := math.Pi / sides
	f := math.Sqrt(step / math.Sin(step))
	var corners [sides + 1]point
	for i := range corners {
		sin, cos := math.Sincos(-math.Pi/2 + float64(i)*step)
		corners[i] = point{p.x + f*(cos*r.x-sin*r.y), p.y + f*(sin*r.x+cos*r.y)}
	}
	return s.polygon(corners[:])
}
