package powermap

import (
	"math"
	"slices"
	"testing"

	"thermsim/stack"
)

// timesOf lists the changes up to a time.
func timesOf(m *Map, until float64) []float64 {
	var at []float64
	for t := m.NextChange(0); t <= until; t = m.NextChange(t) {
		at = append(at, math.Round(t*1e9)/1e9)
	}
	return at
}

// repeating is a map of one power with a trace and a schedule.
func repeating(t *testing.T, trace *stack.Trace, schedule []stack.ScalePoint) *Map {
	t.Helper()
	s := &stack.Stack{Size: [2]float64{1, 1}}
	p := stack.Power{Area: s.Domain(), Schedule: schedule, Trace: trace}
	p.Blocks = []stack.Block{{Name: "b", Rects: []stack.Rect{{Width: 1, Height: 1}}, Watts: 1}}
	s.Layers = []stack.Layer{{Name: "l", Thickness: 1, Cells: 1, Powers: []stack.Power{p}}}
	m, err := New(s, Grid{X: []float64{0, 1}, Y: []float64{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func watts(v ...float64) (rows [][]float64) {
	for _, w := range v {
		rows = append(rows, []float64{w})
	}
	return rows
}

// Rows that are alike are no change, and a trace that repeats itself changes for ever.
func TestNextChange(t *testing.T) {
	rows := []float64{0, 0.01, 0.02, 0.03}
	for name, c := range map[string]struct {
		m      *Map
		until  float64
		want   []float64
		period float64
	}{
		"constant": {repeating(t, nil, nil), 9, nil, 0},
		"once": {repeating(t, &stack.Trace{Times: rows, End: 0.04, Watts: watts(1, 1, 2, 3)}, nil), 9,
			[]float64{0.02, 0.03}, 0},
		"repeat": {repeating(t, &stack.Trace{Times: rows, End: 0.04, Watts: watts(1, 1, 2, 3), Repeat: true}, nil),
			0.1, []float64{0.02, 0.03, 0.04, 0.06, 0.07, 0.08, 0.1}, 0.04},
		"joined": {repeating(t, &stack.Trace{Times: rows, End: 0.04, Watts: watts(1, 1, 2, 1), Repeat: true}, nil),
			0.08, []float64{0.02, 0.03, 0.06, 0.07}, 0.04},
		"alike": {repeating(t, &stack.Trace{Times: rows, End: 0.04, Watts: watts(2, 2, 2, 2), Repeat: true}, nil), 9,
			nil, 0.04},
		"schedule": {
			repeating(t, nil, []stack.ScalePoint{{Time: 0, Factor: 2}, {Time: 1, Factor: 2}, {Time: 2, Factor: 0}}), 9,
			[]float64{2}, 0},
		"both": {repeating(t, &stack.Trace{Times: rows, End: 0.04, Watts: watts(1, 1, 2, 3), Repeat: true},
			[]stack.ScalePoint{{Time: 0.025, Factor: 0}}), 9,
			[]float64{0.02, 0.025}, 0},
	} {
		if got := timesOf(c.m, c.until); !slices.Equal(got, c.want) {
			t.Errorf("%s: changes at %v, want %v", name, got, c.want)
		}
		if got := c.m.Period(); math.Abs(got-c.period) > 1e-12 {
			t.Errorf("%s: period %g, want %g", name, got, c.period)
		}
	}
}

// Traces that repeat themselves have a common period: the least multiple of the longest that all others fit into. A
// trace that ends has none.
func TestCommonPeriod(t *testing.T) {
	trace := func(end float64, repeat bool) stack.Power {
		return stack.Power{Area: wholeDie, Blocks: []stack.Block{block("a", 1, wholeDie)},
			Trace: &stack.Trace{Times: []float64{0, end / 2}, End: end, Watts: watts(1, 2), Repeat: repeat}}
	}
	for name, c := range map[string]struct {
		powers []stack.Power
		want   float64
	}{
		"2 and 3":       {[]stack.Power{trace(0.2, true), trace(0.3, true)}, 0.6},
		"fits":          {[]stack.Power{trace(0.3, true), trace(0.1, true)}, 0.3},
		"one that ends": {[]stack.Power{trace(0.2, true), trace(0.3, false)}, 0},
		"no multiple":   {[]stack.Power{trace(math.Sqrt2, true), trace(1, true)}, 0},
	} {
		m := mustMap(t, oneLayer(1, c.powers...), Grid{uniformFaces(1, 1), uniformFaces(1, 1)})
		if got := m.Period(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: period %g s, want %g", name, got, c.want)
		}
	}
}
