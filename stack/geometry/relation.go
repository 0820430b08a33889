package geometry

import "math"

// Relation is the relative location of two shapes.
type Relation int

// The relations. Shapes that only touch are apart; a shape is inside its like.
const (
	Apart    Relation = iota // they share no area
	Inside                   // the first lies in the second
	Around                   // the second lies in the first
	Crossing                 // neither
)

// touching is the part of a shape's size by which rounding may carry a coordinate.
const touching = 1e-9

// Relate is the relation of a to b.
func Relate(a, b Shape) Relation {
	p, q := a.Bounds(), b.Bounds()
	slack := touching * min(max(p.X1-p.X0, p.Y1-p.Y0), max(q.X1-q.X0, q.Y1-q.Y0))
	if p.X1 <= q.X0+slack || q.X1 <= p.X0+slack || p.Y1 <= q.Y0+slack || q.Y1 <= p.Y0+slack {
		return Apart
	}
	switch a := a.(type) {
	case Circle:
		if b, circle := b.(Circle); circle {
			return circles(a, b, slack)
		}
		return reverse(polygonCircle(b.(Polygon), a, slack))
	case Polygon:
		if b, circle := b.(Circle); circle {
			return polygonCircle(a, b, slack)
		}
		return polygons(a, b.(Polygon), slack)
	}
	return Crossing
}

func reverse(r Relation) Relation {
	switch r {
	case Inside:
		return Around
	case Around:
		return Inside
	}
	return r
}

func circles(a, b Circle, slack float64) Relation {
	d := math.Hypot(a.X-b.X, a.Y-b.Y)
	switch {
	case d >= (a.Diameter+b.Diameter)/2-slack:
		return Apart
	case d+a.Diameter/2 <= b.Diameter/2+slack:
		return Inside
	case d+b.Diameter/2 <= a.Diameter/2+slack:
		return Around
	}
	return Crossing
}

func polygonCircle(p Polygon, c Circle, slack float64) Relation {
	nearest, farthest := math.Inf(1), 0.0
	centre, r := Point{c.X, c.Y}, c.Diameter/2
	for i, a := range p {
		nearest = min(nearest, distance(centre, a, p[(i+1)%len(p)]))
		farthest = max(farthest, math.Hypot(a.X-c.X, a.Y-c.Y))
	}
	switch {
	case farthest <= r+slack:
		return Inside
	case nearest < r-slack:
		return Crossing
	case p.contains(centre, 0):
		return Around
	}
	return Apart
}

func polygons(a, b Polygon, slack float64) Relation {
	if a.crosses(b, slack*slack) {
		return Crossing
	}
	switch ab, ba := a.probes(), b.probes(); {
	case all(ab, func(p Point) bool { return b.contains(p, slack) }):
		return Inside
	case all(ba, func(p Point) bool { return a.contains(p, slack) }):
		return Around
	case all(ab, func(p Point) bool { return !b.contains(p, -slack) }) && all(ba, func(p Point) bool {
		return !a.contains(p, -slack)
	}):
		return Apart
	}
	return Crossing
}

// crosses says whether an edge passes from one side of an edge of q to the other, by more than area.
func (p Polygon) crosses(q Polygon, area float64) bool {
	apart := func(s, t float64) bool { return s > area && t < -area || s < -area && t > area }
	for i, a := range p {
		b := p[(i+1)%len(p)]
		for j, c := range q {
			d := q[(j+1)%len(q)]
			if apart(side(a, b, c), side(a, b, d)) && apart(side(c, d, a), side(c, d, b)) {
				return true
			}
		}
	}
	return false
}

// probes are corners, middles of edges and points within.
func (p Polygon) probes() []Point {
	points := append([]Point{}, p...)
	for i, a := range p {
		b := p[(i+1)%len(p)]
		points = append(points, Point{(a.X + b.X) / 2, (a.Y + b.Y) / 2})
	}
	heights := p.Heights()
	for i, top := range heights[1:] {
		y := (heights[i] + top) / 2
		xs := p.Spans(y)
		for n := 0; n+1 < len(xs); n += 2 {
			points = append(points, Point{(xs[n] + xs[n+1]) / 2, y})
		}
	}
	return points
}

// contains says whether a point lies in the polygon, widened by slack.
func (p Polygon) contains(at Point, slack float64) bool {
	inside := false
	for i, a := range p {
		b := p[(i+1)%len(p)]
		if slack != 0 && distance(at, a, b) <= math.Abs(slack) {
			return slack > 0
		}
		if (a.Y <= at.Y) != (b.Y <= at.Y) && at.X < a.X+(at.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X) {
			inside = !inside
		}
	}
	return inside
}

// distance from a point to the way from a to b.
func distance(p, a, b Point) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	t := ((p.X-a.X)*dx + (p.Y-a.Y)*dy) / (dx*dx + dy*dy)
	t = max(0, min(1, t))
	return math.Hypot(p.X-a.X-t*dx, p.Y-a.Y-t*dy)
}

func all(points []Point, is func(Point) bool) bool {
	for _, p := range points {
		if !is(p) {
			return false
		}
	}
	return true
}

// Polygon is the rectangle as one.
func (b Box) Polygon() Polygon {
	return Polygon{{b.X0, b.Y0}, {b.X1, b.Y0}, {b.X1, b.Y1}, {b.X0, b.Y1}}
}
