package powermap

import (
	"math"
	"testing"

	"thermsim/stack"
)

func TestCoverageByHand(t *testing.T) {
	// A die of 2 x 2 inside a layer of 4 x 4: a and b overlap by 0.5, c has no watts, d sticks out of the die by half.
	p := stack.Power{
		AllowOverlap: true,
		Area:         stack.Rect{X: 1, Y: 1, Width: 2, Height: 2},
		Blocks: []stack.Block{
			block("a", 1, stack.Rect{X: 1, Y: 1, Width: 1, Height: 1}),
			block("b", 2, stack.Rect{X: 1.5, Y: 1, Width: 1, Height: 1}),
			block("c", 0, stack.Rect{X: 1, Y: 2, Width: 1, Height: 1}),
			block("d", 4, stack.Rect{X: 2.5, Y: 2, Width: 1, Height: 1}),
		},
	}
	m := mustMap(t, oneLayer(4, p), Grid{uniformFaces(7, 4), uniformFaces(5, 4)})
	got := m.Coverage()
	if len(got) != 1 {
		t.Fatalf("%d layers, want 1", len(got))
	}
	c := got[0]
	if c.Layer != 1 || c.Name != "die" {
		t.Errorf("layer %d %q", c.Layer, c.Name)
	}
	for name, v := range map[string][2]float64{
		"requested":   {c.Requested, 7},
		"mapped":      {c.Mapped, 7},
		"area":        {c.Area, 4},
		"overlapping": {c.Overlapping, 0.5},
		"unpowered":   {c.Unpowered, 4 - 1.5 - 0.5},
		"outside":     {c.Outside, 2},
	} {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, v[0], v[1])
		}
	}
}

func TestNeighboursThatDifferByRoundingDoNotOverlap(t *testing.T) {
	third := 1e-2 / 3
	var rects []stack.Rect
	for i := range 3 {
		rects = append(rects, stack.Rect{X: float64(i) * third, Width: third * (1 + 4e-16), Height: 1e-2})
	}
	once, twice := coveredAreas(rects, 1e-11)
	if math.Abs(once-1e-4) > 1e-16 || twice != 0 {
		t.Errorf("covered once %g, twice %g m2; want 1e-4 and 0", once, twice)
	}
}

func TestTracedBlocksCountAsPowered(t *testing.T) {
	p := stack.Power{
		Blocks: []stack.Block{block("a", 0, wholeDie)},
		Trace:  &stack.Trace{Times: []float64{0, 1}, End: 2, Watts: [][]float64{{0}, {1}}},
	}
	m := mustMap(t, oneLayer(1, p), Grid{uniformFaces(1, 1), uniformFaces(1, 1)})
	if c := m.Coverage()[0]; c.Unpowered != 0 {
		t.Errorf("unpowered area %g m2, want 0", c.Unpowered)
	}
}

// A block that sticks out of its area by less than the tolerance, on whichever side, has no power outside; of one that
// sticks out by more the share is told.
func TestPowerOutsideOnEachSide(t *testing.T) {
	const tolerance = 1e-3
	area := stack.Rect{X: 1, Y: 1, Width: 2, Height: 2}
	for name, move := range map[string][2]float64{"west": {-1, 0}, "east": {1, 0}, "south": {0, -1}, "north": {0, 1},
		"none": {}} {
		for _, by := range []float64{0.5 * tolerance, 0.25} {
			r := stack.Rect{X: area.X + by*move[0], Y: area.Y + by*move[1], Width: 2, Height: 2}
			s := &source{power: &stack.Power{Blocks: []stack.Block{block("all", 8, r)}}, area: area}
			want := 8 * by / 2
			if by < tolerance || name == "none" {
				want = 0
			}
			if got := s.outside(tolerance); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s by %g: %g W lie outside, want %g", name, by, got, want)
			}
		}
	}
}
