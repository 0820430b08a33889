package mesh

import (
	"slices"
	"testing"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// striped is one cell of 4 x 4 x 1 mm of a poor conductor (k = 2) with a rectangle of a good one (k = 50).
func striped(r stack.Rect) *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{4e-3, 4e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}},
		Materials: []stack.Material{{Name: "poor", K: [3]float64{2, 2, 2}, C: 1e6},
			{Name: "good", K: [3]float64{50, 50, 50}, C: 2e6}},
		Layers: []stack.Layer{{Name: "l", Thickness: 1e-3, Cells: 1,
			Regions: []stack.Region{{Material: 1, Rect: r}}}},
	}
	for f := range s.Boundary {
		s.Boundary[f] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300}
	}
	return s
}

// Between the centre of a cell and its face lies the half on that side. A strip of the good conductor along a face, a
// quarter of the cell wide, covers half of that half: 1 mm of it in series with 1 mm of the other. The half on the
// other side has nothing of it.
func TestFacesTakeTheirOwnHalf(t *testing.T) {
	const area = 4e-3 * 1e-3
	near1 := area / (1e-3/50 + 1e-3/2.0)
	far := area / (2e-3 / 2.0)
	opposite := map[stack.Face]stack.Face{stack.West: stack.East, stack.East: stack.West, stack.South: stack.North,
		stack.North: stack.South}
	for face, strip := range map[stack.Face]stack.Rect{
		stack.West:  {Width: 1e-3, Height: 4e-3},
		stack.East:  {X: 3e-3, Width: 1e-3, Height: 4e-3},
		stack.South: {Width: 4e-3, Height: 1e-3},
		stack.North: {Y: 3e-3, Width: 4e-3, Height: 1e-3},
	} {
		m := mustBuild(t, striped(strip))
		near(t, face.String()+" with the strip", m.FaceConductance(face, 0, 0, 0), near1)
		near(t, opposite[face].String()+" without", m.FaceConductance(opposite[face], 0, 0, 0), far)
	}
}

// Faces bring heat in by a flux, or where they are not, or may not be, at the ambient temperature.
func TestFacesThatHeat(t *testing.T) {
	plume := stack.Boundary{Kind: stack.Convective, Temperature: 300,
		Film: stack.Film{Emissivity: 0.9}}
	for _, c := range []struct {
		b    stack.Boundary
		want bool
	}{
		{stack.Boundary{}, false}, {stack.Boundary{Kind: stack.HeatFlux, Flux: 1}, true},
		{stack.Boundary{Kind: stack.Convective, H: 1, Temperature: 300}, false},
		{stack.Boundary{Kind: stack.Convective, H: 1, Temperature: 301}, true}, {plume, true},
	} {
		s := striped(stack.Rect{Width: 1e-3, Height: 4e-3})
		s.Boundary[stack.Top] = c.b
		if got := mustBuild(t, s).Heats(stack.Top); got != c.want {
			t.Errorf("%+v heats: %t", c.b, got)
		}
	}
}

// A graded axis ends at the edge of the domain to the last bit, though its segments may end a billionth beside it.
func TestGradedAxisEndsAtTheEdge(t *testing.T) {
	const length = 3e-3
	for _, end := range []float64{length * (1 + 5e-10), length * (1 - 5e-10)} {
		f, err :=
			faces(
				stack.Axis{Cells: 4,
					Segments: []stack.Segment{{To: 1e-3, Cells: 2, Ratio: 2}, {To: end, Cells: 2, Ratio: 1}}}, length)
		if err != nil || f[len(f)-1] != length {
			t.Errorf("a last segment to %v: %v, %v", end, f, err)
		}
	}
}

// A rectangle that covers less than 1e-6 of a cell is rounding; of what covers more, heat capacity and conductance
// along z are the means by volume.
func TestSliversBelowAMillionth(t *testing.T) {
	for _, share := range []float64{1e-7, 9e-7, 2e-6, 1e-5, 1e-3} {
		m := mustBuild(t, striped(stack.Rect{Width: share * 4e-3, Height: 4e-3}))
		want := share
		if share < 1e-6 {
			want = 0
		}
		c := m.At(0, 0, 0)
		if got := (c.C - 1e6) / 1e6; got < want*(1-1e-6)-1e-12 || got > want*(1+1e-6)+1e-12 {
			t.Errorf("share %g: the heat capacity shows %g", share, got)
		}
		if got := (c.K[2] - 2) / 48; got < want*(1-1e-6)-1e-12 || got > want*(1+1e-6)+1e-12 {
			t.Errorf("share %g: the conductivity along z shows %g", share, got)
		}
	}
}

// An interval is cut by the faces: what lies beyond the axis is left out, and less than a millionth of a cell beside a
// face is on it.
func TestCoverageOfAnAxis(t *testing.T) {
	f := []float64{0, 1, 2, 4}
	for _, c := range []struct {
		lo, hi float64
		first  int
		want   []interval
	}{
		{-1, 9, 0, []interval{{0, 1}, {0, 1}, {0, 1}}},
		{1 + 1e-8, 3, 1, []interval{{0, 1}, {0, 0.5}}},
		{1 - 1e-8, 2 - 1e-8, 1, []interval{{0, 1}}},
		{0.5, 4, 0, []interval{{0.5, 1}, {0, 1}, {0, 1}}},
	} {
		if first, got := coverage(f, c.lo, c.hi); first != c.first || !slices.Equal(got, c.want) {
			t.Errorf("from %g to %g: %v from cell %d on, want %v from %d on", c.lo, c.hi, got, first, c.want, c.first)
		}
	}
}

// A shape in a corner of a cell is in series with the other material in its own rows alone: along x in the halves to
// its side, along y in those above or below it.
func TestShapeInACorner(t *testing.T) {
	for name, c := range map[string]struct {
		x0, y0, x1, y1 float64 // mm
		with           [4]bool // west, east, south, north: halves that hold a piece
	}{
		"south-west": {0, 0, 1, 2, [4]bool{true, false, true, false}},
		"north-west": {0, 3, 2, 4, [4]bool{true, false, false, true}},
		"north-east": {3, 2, 4, 4, [4]bool{false, true, false, true}},
	} {
		s := striped(stack.Rect{})
		mm := func(x, y float64) geometry.Point { return geometry.Point{X: x * 1e-3, Y: y * 1e-3} }
		shape := geometry.Polygon{mm(c.x0, c.y0), mm(c.x1, c.y0), mm(c.x1, c.y1), mm(c.x0, c.y1)}
		s.Layers[0].Regions[0] = stack.Region{Material: 1, Rect: stack.Around(shape), Shape: shape}
		m := mustBuild(t, s).At(0, 0, 0)
		// Four rows side by side; in a row of a half, two parts in series.
		half := func(lo, hi, a0, a1 float64, holds bool) float64 {
			sum := 0.0
			for row := range 4 {
				good := 0.0
				if r := float64(row); holds && r >= lo && r < hi {
					good = (a1 - a0) / 2
				}
				sum += 1 / (good/50 + (1-good)/2) / 4
			}
			return sum
		}
		for n, holds := range c.with {
			want := half(c.y0, c.y1, c.x0, c.x1, holds)
			if n >= south {
				want = half(c.x0, c.x1, c.y0, c.y1, holds)
			}
			near(t, name, m.Half[n], want)
		}
	}
}

// Two strips of one material that touch in a cell are one of their width. Between strips that do not, the cell keeps
// what lies below: of its heat capacity they have no more than the share that they cover, and more than one of them
// has.
func TestStripsWithAGap(t *testing.T) {
	for _, alongY := range []bool{false, true} {
		strip := func(from, share float64) stack.Rect {
			if alongY {
				return stack.Rect{Y: from * 4e-3, Width: 4e-3, Height: share * 4e-3}
			}
			return stack.Rect{X: from * 4e-3, Width: share * 4e-3, Height: 4e-3}
		}
		shareOf := func(second float64) float64 {
			s := striped(strip(0, 0.25))
			s.Layers[0].Regions = append(s.Layers[0].Regions, stack.Region{Material: 1, Rect: strip(second, 0.25)})
			return (mustBuild(t, s).At(0, 0, 0).C - 1e6) / 1e6
		}
		near(t, "strips that touch", shareOf(0.25), 0.5)
		for _, second := range []float64{0.3, 0.5, 0.75} {
			if share := shareOf(second); !(share > 0.25+1e-6 && share < 0.5+1e-6) {
				t.Errorf("strips of a quarter from 0 and from %g have %g of the cell", second, share)
			}
		}
	}
}
