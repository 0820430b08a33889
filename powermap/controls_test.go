package powermap

import (
	"math"
	"math/rand/v2"
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

// Powers that are set and factors come in any order: after each, the stack takes the sum of factor times what was set
// last, or of what the stack says where nothing is set.
func TestControlsKeepWhatWasSet(t *testing.T) {
	own := []float64{1, 2, 4}
	m := mustMap(t, oneLayer(1, stack.Power{Area: wholeDie, Blocks: []stack.Block{
		block("a", own[0], stack.Rect{Width: 0.25, Height: 1}),
		block("b", own[1], stack.Rect{X: 0.25, Width: 0.25, Height: 1}),
		block("c", own[2], stack.Rect{X: 0.5, Width: 0.5, Height: 1})}}), Grid{uniformFaces(4, 1), uniformFaces(1, 1)})
	c := m.Controls()
	watts, factors := []float64{math.NaN(), math.NaN(), math.NaN()}, []float64{1, 1, 1}
	rng := rand.New(rand.NewPCG(8, 15))
	for n := range 60 {
		input := rng.IntN(3)
		var err error
		if v := float64(rng.IntN(8)); rng.IntN(2) == 0 {
			factors[input] = v / 2
			err = c.Scale(input, v/2)
		} else {
			if watts[input] = v; v == 7 {
				watts[input] = math.NaN()
			}
			err = c.Set(input, watts[input])
		}
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for i := range own {
			if of := watts[i]; math.IsNaN(of) {
				want += factors[i] * own[i]
			} else {
				want += factors[i] * of
			}
		}
		if got, err := c.MeanWatts(0, 1); err != nil || math.Abs(got-want) > 1e-12 {
			t.Fatalf("after %d settings %g W, want %g: %v", n+1, got, want, err)
		}
	}
}
