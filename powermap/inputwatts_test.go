package powermap

import (
	"math"
	"testing"

	"thermsim/stack"
)

// Means over a step are those that a block, a uniform power and a map have by themselves: half of the step lies in each
// row of the trace, and three quarters behind the schedule's point.
func TestInputWatts(t *testing.T) {
	s := &stack.Stack{Size: [2]float64{1e-3, 1e-3}}
	whole := []stack.Rect{{X: 0, Y: 0, Width: 1e-3, Height: 1e-3}}
	s.Layers = []stack.Layer{
		{Name: "a", Powers: []stack.Power{{
			Blocks: []stack.Block{{Name: "b0", Rects: whole}, {Name: "b1", Rects: whole}}, AllowOverlap: true,
			Trace: &stack.Trace{Times: []float64{0, 1}, End: 2, Watts: [][]float64{{1, 2}, {3, 8}}},
		}}},
		{Name: "b"},
		{Name: "c", Powers: []stack.Power{
			{Uniform: 4, Schedule: []stack.ScalePoint{{Time: 0.75, Factor: 2}}},
			{Map: &stack.PowerMap{NX: 2, NY: 1, Values: []float64{1, 1.5}}},
		}},
	}
	m, err := New(s, Grid{X: []float64{0, 1e-3}, Y: []float64{0, 1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.InputWatts(0.5, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{2, 5, 7, 2.5}
	if len(got) != len(want) {
		t.Fatalf("%v in place of %v", got, want)
	}
	for n := range want {
		if math.Abs(got[n]-want[n]) > 1e-12 {
			t.Errorf("input %d: %g W in place of %g", n, got[n], want[n])
		}
	}
	if _, err := m.InputWatts(1, 1); err == nil {
		t.Error("a step of no length is taken")
	}
}
