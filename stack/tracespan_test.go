package stack

import "testing"

// Times that differ by their rounding alone are those of equal rows, and the end is one of theirs.
func TestTraceSpan(t *testing.T) {
	thirds := &Trace{Times: []float64{0, 0.33333333, 0.66666667}, End: 1}
	fifths := &Trace{Times: []float64{0, 0.2, 0.4}, End: 0.6000000000000001}
	longer := &Trace{Times: []float64{0, 0.2}, End: 1}
	three := 3.0
	alone := &Trace{Times: []float64{0}, End: 2}
	for _, c := range []struct {
		traces        []*Trace
		interval, end float64
	}{
		{nil, 0, 0},
		{[]*Trace{nil, alone}, 0, 0},
		{[]*Trace{thirds}, 0.33333333, three * 0.33333333},
		{[]*Trace{alone, fifths}, 0.2, three * 0.2},
		{[]*Trace{longer}, 0, 1},
		{[]*Trace{thirds, fifths}, 0, 1},
	} {
		s := &Stack{}
		for _, tr := range c.traces {
			s.Layers = append(s.Layers, Layer{Powers: []Power{{Trace: tr}}})
		}
		if interval, end := s.TraceSpan(); interval != c.interval || end != c.end {
			t.Errorf("%v: rows of %v s to %v s, want %v and %v", c.traces, interval, end, c.interval, c.end)
		}
	}
}
