package geometry

import "math"

// Ring is the border of a shape as points to join by straight lines: a polygon's corners, 64 points of a circle.
func Ring(s Shape) []Point {
	c, circle := s.(Circle)
	if !circle {
		p, _ := s.(Polygon)
		return p
	}
	ring := make([]Point, 64)
	for i := range ring {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(ring)))
		ring[i] = Point{c.X + c.Diameter/2*cos, c.Y + c.Diameter/2*sin}
	}
	return ring
}
