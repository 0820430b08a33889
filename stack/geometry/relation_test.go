package geometry

import (
	"math"
	"testing"
)

func TestRelate(t *testing.T) {
	square := func(x0, y0, x1, y1 float64) Polygon { return Box{x0, y0, x1, y1}.Polygon() }
	for _, tt := range []struct {
		name string
		a, b Shape
		want Relation
	}{
		{"via in liner", Circle{1, 1, 1}, Circle{1, 1, 1.2}, Inside},
		{"liner around via", Circle{1, 1, 1.2}, Circle{1, 1, 1}, Around},
		{"neighbours", Circle{1, 1, 1}, Circle{2.5, 1, 1}, Apart},
		{"touching", Circle{1, 1, 1}, Circle{2, 1, 1}, Apart},
		{"boxes overlap, circles do not", Circle{0, 0, 1}, Circle{0.8, 0.8, 1}, Apart},
		{"lens", Circle{1, 1, 1}, Circle{1.5, 1, 1}, Crossing},
		{"circle in square", Circle{1, 1, 1}, square(0, 0, 2, 2), Inside},
		{"inscribed circle", Circle{1, 1, 2}, square(0, 0, 2, 2), Inside},
		{"square in circle", square(0.9, 0.9, 1.1, 1.1), Circle{1, 1, 1}, Inside},
		{"circle on an edge", Circle{0, 1, 1}, square(0, 0, 2, 2), Crossing},
		{"abutting", square(0, 0, 1, 1), square(1, 0, 2, 1), Apart},
		{"shifted along its edges", square(0, 0, 2, 1), square(1, 0, 3, 1), Crossing},
		{"cross", square(0, 1, 3, 2), square(1, 0, 2, 3), Crossing},
		{"in a corner", square(0, 0, 1, 1), square(0, 0, 2, 2), Inside},
		{"itself", square(0, 0, 1, 1), square(0, 0, 1, 1), Inside},
		{"in the notch", square(1.25, 1.25, 1.75, 2), Polygon{{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2},
			{0, 2}}, Apart},
		// A slit of 0.1 by 0.1 of the second is cut out of the first, between the corners and the middles of its edges.
		{"a slit reaches in", square(0, 0, 2, 2), Polygon{{-1, -1}, {3, -1}, {3, 3}, {0.4, 3}, {0.4, 1.9}, {0.3, 1.9},
			{0.3, 3}, {-1, 3}}, Crossing},
		{"a spike sticks out", Polygon{{0, 0}, {2, 0}, {2, 2}, {1.4, 2}, {1.3, 2.5}, {1.2, 2}, {0, 2}},
			square(0, 0, 2, 2), Around},
	} {
		if got := Relate(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
		if got := Relate(tt.b, tt.a); got != reverse(tt.want) && tt.name != "itself" {
			t.Errorf("%s, exchanged: %d, want %d", tt.name, got, reverse(tt.want))
		}
	}
}

// The way from a to b is as far from a point as its nearest end where the point lies beyond it, and as their line
// beside it.
func TestDistanceToAnEdge(t *testing.T) {
	a, b := Point{1, 1}, Point{4, 1}
	for p, want := range map[Point]float64{{1, 3}: 2, {2.5, 0}: 1, {4, 1}: 0, {5, 1}: 1, {7, 5}: 5, {-2, -3}: 5,
		{0, 1}: 1} {
		if got := distance(p, a, b); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v: %g, want %g", p, got, want)
		}
		if got := distance(p, b, a); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v, turned round: %g, want %g", p, got, want)
		}
	}
}
