package stackfile

import (
	"testing"

	"thermsim/stack"
)

// Times that differ by their rounding alone are those of equal rows, and the end is one of theirs.
func TestTraceSpan(t *testing.T) {
	thirds := &stack.Trace{Times: []float64{0, 0.33333333, 0.66666667}, End: 1}
	fifths := &stack.Trace{Times: []float64{0, 0.2, 0.4}, End: 0.6000000000000001}
	longer := &stack.Trace{Times: []float64{0, 0.2}, End: 1}
	three := 3.0
	alone := &stack.Trace{Times: []float64{0}, End: 2}
	for _, c := range []struct {
		traces        []*stack.Trace
		interval, end float64
	}{
		{nil, 0, 0},
		{[]*stack.Trace{nil, alone}, 0, 0},
		{[]*stack.Trace{thirds}, 0.33333333, three * 0.33333333},
		{[]*stack.Trace{alone, fifths}, 0.2, three * 0.2},
		{[]*stack.Trace{longer}, 0, 1},
		{[]*stack.Trace{thirds, fifths}, 0, 1},
	} {
		s := &stack.Stack{}
		for _, tr := range c.traces {
			s.Layers = append(s.Layers, stack.Layer{Powers: []stack.Power{{Trace: tr}}})
		}
		if interval, end := s.TraceSpan(); interval != c.interval || end != c.end {
			t.Errorf("%v: rows of %v s to %v s, want %v and %v", c.traces, interval, end, c.interval, c.end)
		}
	}
}
