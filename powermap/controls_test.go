package powermap

import (
	"math"
	"testing"

	"thermsim/stack"
)

// Inputs that are set are drawn as they were set: a block where it lies, a power map as a multiple of itself.
func TestControlsDrawWhatIsSet(t *testing.T) {
	m := mustMap(t, oneLayer(1,
		stack.Power{Area: wholeDie, Blocks: []stack.Block{block("a", 1, stack.Rect{Width: 0.5, Height: 1}),
			block("b", 1, stack.Rect{X: 0.5, Width: 0.5, Height: 1})}},
		stack.Power{Area: wholeDie, Map: &stack.PowerMap{NX: 2, NY: 1, Values: []float64{1, 3}}},
	), Grid{uniformFaces(2, 1), uniformFaces(1, 1)})
	c := m.Controls()
	if err := c.Set(1, 7); err != nil {
		t.Fatal(err)
	}
	if err := c.Set(2, 20); err != nil {
		t.Fatal(err)
	}
	drawings, err := c.Over(0, 1)
	if err != nil || len(drawings) != 1 {
		t.Fatal(len(drawings), err)
	}
	got := drawn(&drawings[0], 2, 1)
	if want := []float64{1 + 5, 7 + 15}; math.Abs(got[0]-want[0]) > 1e-12 || math.Abs(got[1]-want[1]) > 1e-12 {
		t.Errorf("%v W in two cells, want %v", got, want)
	}
}
