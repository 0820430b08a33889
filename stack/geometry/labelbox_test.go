package geometry

import (
	"math"
	"testing"
)

// A star of 10,000 corners has room for its name near its middle, and finding it takes no minutes.
func TestRoomOfManyCorners(t *testing.T) {
	star := make(Polygon, 10_000)
	for i := range star {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(star)))
		r := 1 - 0.1*float64(i%2)
		star[i] = Point{X: r * cos, Y: r * sin}
	}
	b := LabelBox(star)
	if !(b.X1 > b.X0 && b.Y1 > b.Y0) {
		t.Fatalf("no room: %+v", b)
	}
	for _, x := range []float64{b.X0, b.X1} {
		for _, y := range []float64{b.Y0, b.Y1} {
			if math.Hypot(x, y) > 1 {
				t.Errorf("the corner %g, %g of %+v lies outside", x, y, b)
			}
		}
	}
}
