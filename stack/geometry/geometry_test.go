package geometry

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "thermsim/internal/testtier" // fixes the seed of drawn tests
)

// eps is a rounding of numbers near 1.
const eps = 0x1p-52

// Areas known by hand: quarters, halves, a segment of height r/2, a circle around a cell and a cell around a circle.
func TestCircleByHand(t *testing.T) {
	c := Circle{3, 4, 2}
	for _, tt := range []struct {
		name string
		box  Box
		want float64
	}{
		{"all", Box{0, 0, 10, 10}, math.Pi},
		{"north-east quarter", Box{3, 4, 10, 10}, math.Pi / 4},
		{"west half", Box{0, 0, 3, 10}, math.Pi / 2},
		{"segment above r/2", Box{0, 4.5, 10, 10}, math.Pi/3 - math.Sqrt(3)/4},
		{"segment below -r/2", Box{0, 0, 10, 3.5}, math.Pi/3 - math.Sqrt(3)/4},
		{"segment east of r/2", Box{3.5, 0, 10, 10}, math.Pi/3 - math.Sqrt(3)/4},
		{"inside", Box{2.8, 3.9, 3.3, 4.4}, 0.25},
		{"inscribed square", Box{3 - math.Sqrt2/2, 4 - math.Sqrt2/2, 3 + math.Sqrt2/2, 4 + math.Sqrt2/2}, 2},
		{"beside", Box{4, 0, 10, 10}, 0},
		{"in the corner of its box", Box{3.8, 4.8, 4, 5}, 0},
	} {
		if got := Within(c, tt.box); math.Abs(got-tt.want) > 8*eps*math.Pi {
			t.Errorf("%s: %.17g, want %.17g", tt.name, got, tt.want)
		}
	}
}

// A short arc through a cell a thousandth of the radius wide: the area below it from the series of the arc in big
// numbers.
func TestCircleInSmallCells(t *testing.T) {
	const r, a, b, floor = 1.0, 0.3, 0.301, 0.95
	want := arcBelow(a, b) - floor*(b-a)
	got := Within(Circle{0, 0, 2 * r}, Box{a, floor, b, 0.96})
	if cell := (b - a) * 0.01; math.Abs(got-want) > 200*eps*cell/0.01 {
		t.Errorf("%.17g, want %.17g, off by %g of the cell", got, want, (got-want)/cell)
	}
	// (t - sin t)/2 of an angle of 0.001, to the rounding of the chord
	const angle = 1e-3
	want = angle * angle * angle / 12 * (1 - angle*angle/20)
	if got := segment(1, 2*math.Sin(angle/2)); math.Abs(got/want-1) > 1e-14 {
		t.Errorf("segment of %.17g, want %.17g", got, want)
	}
}

// arcBelow integrates sqrt(1-x^2) from a to b by Gauss's rule of three points on a hundred parts, in numbers of 200
// bits.
func arcBelow(a, b float64) float64 {
	const parts = 100
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	h := number(b)
	h.Sub(h, number(a)).Quo(h, number(2*parts))
	node := number(0.6)
	node.Quo(number(3), number(5)).Sqrt(node)
	sum := number(0)
	for p := range parts {
		middle := number(float64(2*p + 1))
		middle.Mul(middle, h).Add(middle, number(a))
		for i, w := range []float64{5, 8, 5} {
			x := number(float64(i - 1))
			x.Mul(x, node).Mul(x, h).Add(x, middle)
			x.Mul(x, x).Sub(number(1), x).Sqrt(x)
			sum.Add(sum, x.Mul(x, number(w)))
		}
	}
	sum.Mul(sum, h).Quo(sum, number(9))
	area, _ := sum.Float64()
	return area
}

// On any grid the shares of the cells sum to the area, none is negative, none more than its cell; a finer grid divides
// each.
func TestCoverConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		x, y := drawFaces(t, "x"), drawFaces(t, "y")
		sum := 0.0
		CellAreas(s, x, y, func(i, j int, area float64) {
			sum += area
			cell := (x[i+1] - x[i]) * (y[j+1] - y[j])
			// Coordinates near 1 are rounded before cells are measured from them.
			if rounding := 8 * eps * (x[i+1] - x[i] + y[j+1] - y[j]); area < 0 || area > cell+rounding {
				t.Fatalf("cell %d, %d of %g m2 is covered to %g", i, j, cell, area)
			}
			mx := (x[i] + x[i+1]) / 2
			halves := Within(s, Box{x[i], y[j], mx, y[j+1]}) + Within(s, Box{mx, y[j], x[i+1], y[j+1]})
			if math.Abs(halves-area) > 64*eps*max(cell, 1e-3) {
				t.Fatalf("halves of a cell hold %.17g, the cell %.17g", halves, area)
			}
		})
		if math.Abs(sum-s.Area()) > 1e-13 {
			t.Fatalf("%v: cells sum to %.17g, its area is %.17g", s, sum, s.Area())
		}
	})
}

func drawShape(t *rapid.T) Shape {
	at := rapid.Float64Range(0.35, 0.65)
	if rapid.Bool().Draw(t, "circle") {
		return Circle{at.Draw(t, "cx"), at.Draw(t, "cy"), rapid.Float64Range(1e-3, 0.7).Draw(t, "d")}
	}
	// A star around a point is simple whatever its radii.
	n := rapid.IntRange(3, 12).Draw(t, "corners")
	cx, cy, turn := at.Draw(t, "x"), at.Draw(t, "y"), rapid.SampledFrom([]float64{1, -1}).Draw(t, "turn")
	p := make(Polygon, n)
	for i := range p {
		r, a := rapid.Float64Range(0.01, 0.34).Draw(t, "r"), turn*2*math.Pi*float64(i)/float64(n)
		p[i] = Point{cx + r*math.Cos(a), cy + r*math.Sin(a)}
	}
	return p
}

func drawFaces(t *rapid.T, name string) []float64 {
	f := []float64{0}
	for range rapid.IntRange(1, 20).Draw(t, "cells "+name) {
		f = append(f, f[len(f)-1]+rapid.Float64Range(1e-3, 1).Draw(t, name))
	}
	last := f[len(f)-1]
	for i := range f {
		f[i] /= last
	}
	return f
}

// A polygon with a notch: its clipped area by hand, and a rotated square against its own geometry.
func TestPolygonByHand(t *testing.T) {
	u := Polygon{{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}
	if got := u.Area(); got != 5 {
		t.Errorf("area %g, want 5", got)
	}
	for _, tt := range []struct {
		box  Box
		want float64
	}{
		{Box{0.5, 0.5, 2.5, 1.5}, 1.5},
		{Box{1.25, 1.25, 1.75, 1.75}, 0},
		{Box{-1, 1, 4, 3}, 2},
	} {
		if got := Within(u, tt.box); math.Abs(got-tt.want) > 8*eps {
			t.Errorf("%v: %.17g, want %g", tt.box, got, tt.want)
		}
	}
	diamond := Polygon{{0, -1}, {-1, 0}, {0, 1}, {1, 0}} // clockwise
	if got := Within(diamond, Box{0, 0, 0.5, 0.75}); math.Abs(got-(0.375-0.03125)) > 8*eps {
		t.Errorf("corner of the diamond: %.17g", got)
	}
}

func TestCrossing(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    Polygon
		want bool
	}{
		{"square", Polygon{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, false},
		{"three on a line", Polygon{{0, 0}, {1, 0}, {2, 0}, {2, 1}}, false},
		{"bow tie", Polygon{{0, 0}, {1, 1}, {1, 0}, {0, 1}}, true},
		{"corner twice", Polygon{{0, 0}, {1, 0}, {1, 0}, {0, 1}}, true},
		{"spike", Polygon{{0, 0}, {2, 0}, {1, 0}, {1, 1}}, true},
		{"touches itself", Polygon{{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}, true},
	} {
		if _, _, got := tt.p.Crossing(); got != tt.want {
			t.Errorf("%s: crossing %v", tt.name, got)
		}
	}
}

// Strips of a polygon have its area; those inside it have less, and lie in it.
func TestStrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		area := 0.0
		for _, b := range Strips(s, 0.01) {
			area += (b.X1 - b.X0) * (b.Y1 - b.Y0)
		}
		tolerance := 1e-12
		if _, circle := s.(Circle); circle {
			tolerance = 0.02 * s.Area() // a circle of three strips is not one
			if s.Bounds().Y1-s.Bounds().Y0 < 0.1 {
				t.Skip()
			}
		}
		if math.Abs(area-s.Area()) > tolerance {
			t.Fatalf("strips have %g m2 of %g", area, s.Area())
		}
		for _, b := range InnerStrips(s, 0.01) {
			if size := (b.X1 - b.X0) * (b.Y1 - b.Y0); Within(s, b) < size-1e-9 {
				t.Fatalf("strip %v of %g m2 holds %g of the shape", b, size, Within(s, b))
			}
		}
	})
}

// The largest upright rectangle in a circle is a square of half its diameter squared; the room on strips is a little
// less.
func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		s           Shape
		least, most float64
	}{
		{Circle{1, 1, 2}, 1.9, 2},
		{Polygon{{0, 0}, {2, 0}, {0, 2}}, 0.9, 1 + 1e-9},
		{Box{1, 2, 3, 5}.Polygon(), 6 - 1e-9, 6 + 1e-9},
	} {
		b := LabelBox(tt.s)
		if area := (b.X1 - b.X0) * (b.Y1 - b.Y0); area < tt.least || area > tt.most || Within(tt.s, b) < area*(1-1e-9) {
			t.Errorf("%v: %v of %g m2", tt.s, b, area)
		}
	}
}
