package powermap

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"thermsim/stack"
)

var wholeDie = stack.Rect{Width: 1, Height: 1}

func TestMeanOfTraceByHand(t *testing.T) {
	trace := stack.Trace{Times: []float64{0, 1, 3}, End: 4, Watts: [][]float64{{8}, {2}, {4}}}
	repeat := trace
	repeat.Repeat = true
	schedule := []stack.ScalePoint{{Time: 1, Factor: 0.5}, {Time: 2, Factor: 3}}
	for _, c := range []struct {
		name     string
		trace    *stack.Trace
		schedule []stack.ScalePoint
		t0, t1   float64
		want     float64
	}{
		{"inside a row", &trace, nil, 1.5, 2.5, 2},
		{"over two rows", &trace, nil, 0.5, 1.5, 5},
		{"the whole trace", &trace, nil, 0, 4, 4},
		{"the last row holds", &trace, nil, 100, 200, 4},
		{"one period", &repeat, nil, 4, 8, 4},
		{"over the seam", &repeat, nil, 3.5, 4.5, 6},
		{"a step over three seams", &repeat, nil, 3.5, 12.5, (0.5*4 + 16 + 16 + 0.5*8) / 9},
		{"a million periods", &repeat, nil, 0, 4e6, 4},
		{"a step of one rounding", &trace, nil, 4e9 + 1.5, math.Nextafter(4e9+1.5, 5e9), 4},
		{"a step of one rounding in a later period", &repeat, nil, 4e9 + 1.5, math.Nextafter(4e9+1.5, 5e9), 2},
		{"schedule alone, before its first point", nil, schedule, 0, 1, 7},
		{"schedule alone", nil, schedule, 0.5, 2.5, 7 * (0.5 + 0.5 + 1.5) / 2},
		{"schedule times trace", &trace, schedule, 0, 4, (8 + 0.5*2 + 3*2 + 3*4) / 4.0},
	} {
		s := oneLayer(1, stack.Power{Blocks: []stack.Block{block("a", 7, wholeDie)}, Trace: c.trace,
			Schedule: c.schedule})
		m := mustMap(t, s, Grid{uniformFaces(2, 1), uniformFaces(1, 1)})
		planes := [][]float64{make([]float64, 2)}
		got, err := m.Average(c.t0, c.t1, planes)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-c.want) > 1e-14*c.want || math.Abs(planes[0][0]-c.want/2) > 1e-14*c.want {
			t.Errorf("%s: %.17g W in all, %v on the cells; want %.17g W", c.name, got, planes[0], c.want)
		}
	}
}

// The mean over a step must equal the integral summed directly over every switch of trace and schedule in it.
func TestMeanAgainstDirectSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.Float64Range(0.1, 2), 1, 6).Draw(t, "rows")
		tr := &stack.Trace{Repeat: rapid.Bool().Draw(t, "repeat")}
		for _, d := range lengths {
			tr.Times = append(tr.Times, tr.End)
			tr.End += d
			tr.Watts = append(tr.Watts,
				[]float64{rapid.Float64Range(0, 10).Draw(t, "a"), rapid.Float64Range(0, 10).Draw(t, "b")})
		}
		var schedule []stack.ScalePoint
		at := 0.0
		for _, f := range rapid.SliceOfN(rapid.Float64Range(0, 2), 0, 4).Draw(t, "factors") {
			schedule = append(schedule, stack.ScalePoint{Time: at, Factor: f})
			at += rapid.Float64Range(0.1, 5).Draw(t, "hold")
		}
		t0 := rapid.Float64Range(0, 20).Draw(t, "t0")
		t1 := t0 + rapid.Float64Range(0.01, 20).Draw(t, "dt")

		want := [2]float64{}
		cuts := []float64{t0, t1}
		for _, p := range schedule {
			cuts = append(cuts, p.Time)
		}
		for period := 0.0; period <= t1; period += tr.End {
			for _, start := range tr.Times {
				cuts = append(cuts, period+start)
			}
		}
		slices.Sort(cuts)
		for i := range len(cuts) - 1 {
			a, b := math.Max(cuts[i], t0), math.Min(cuts[i+1], t1)
			if b <= a {
				continue
			}
			middle, factor, row := (a+b)/2, 1.0, 0
			for _, p := range schedule {
				if p.Time <= middle {
					factor = p.Factor
				}
			}
			if tr.Repeat {
				middle = math.Mod(middle, tr.End)
			}
			for r, start := range tr.Times {
				if start <= middle {
					row = r
				}
			}
			for k := range want {
				want[k] += factor * tr.Watts[row][k] * (b - a) / (t1 - t0)
			}
		}

		p := stack.Power{Trace: tr, Schedule: schedule, Blocks: []stack.Block{
			block("a", 1, stack.Rect{Width: 0.5, Height: 1}), block("b", 1, stack.Rect{X: 0.5, Width: 0.5, Height: 1})}}
		m := must(t, oneLayer(1, p), Grid{uniformFaces(2, 1), uniformFaces(1, 1)})
		planes := [][]float64{make([]float64, 2)}
		total, err := m.Average(t0, t1, planes)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want {
			if math.Abs(planes[0][k]-want[k]) > 1e-11 {
				t.Fatalf("block %d: %.17g W, want %.17g W", k, planes[0][k], want[k])
			}
		}
		if math.Abs(total-planes[0][0]-planes[0][1]) > 1e-13*total {
			t.Fatalf("total %.17g W, planes %v", total, planes[0])
		}
	})
}

// Steps of 0.1 s never add up to whole rows exactly; they must still count as unchanged inside a row.
func TestChangedForgivesRoundingOfTimes(t *testing.T) {
	tr := &stack.Trace{Times: []float64{0, 0.3, 0.6}, End: 0.9, Repeat: true, Watts: [][]float64{{1}, {5}, {2}}}
	m := mustMap(t, oneLayer(1, stack.Power{Blocks: []stack.Block{block("a", 1, wholeDie)}, Trace: tr}),
		Grid{uniformFaces(1, 1), uniformFaces(1, 1)})
	if !m.Transient() {
		t.Fatal("a trace is not seen as transient")
	}
	const dt = 0.1
	for n := 1; n < 2000; n++ {
		t0, t1, t2 := float64(n-1)*dt, float64(n)*dt, float64(n+1)*dt
		if got, want := m.Changed(t0, t1, t1, t2), n%3 == 0; got != want {
			t.Fatalf("steps %d and %d: changed %v, want %v", n, n+1, got, want)
		}
	}
}

func TestSteadyPowerDoesNotChange(t *testing.T) {
	m := mustMap(t, oneLayer(1, stack.Power{Uniform: 3}), Grid{uniformFaces(2, 1), uniformFaces(2, 1)})
	if m.Transient() || m.Changed(0, 1, 1, 5) {
		t.Error("a constant power counts as transient")
	}
	planes := [][]float64{make([]float64, 4)}
	if w, err := m.Average(0, 1, planes); err != nil || w != 3 || !slices.Equal(planes[0], m.Layers[0].Watts()) {
		t.Errorf("mean %g W on %v, error %v; want 3 W on %v", w, planes[0], err, m.Layers[0].Watts())
	}
}

func TestAverageRefuses(t *testing.T) {
	m := mustMap(t, oneLayer(1, stack.Power{Uniform: 3}), Grid{uniformFaces(2, 1), uniformFaces(2, 1)})
	plane := make([]float64, 4)
	for name, call := range map[string]func() error{
		"an empty step":     func() error { _, err := m.Average(1, 1, [][]float64{plane}); return err },
		"a step before 0":   func() error { _, err := m.Average(-1, 1, [][]float64{plane}); return err },
		"a step to nowhere": func() error { _, err := m.MeanWatts(0, math.NaN()); return err },
		"a source's step":   func() error { _, err := m.SourceWatts(&m.stack.Layers[1].Powers[0], 1, 1); return err },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestBlockAndLayerWatts(t *testing.T) {
	left, right := stack.Rect{Width: 0.5, Height: 1}, stack.Rect{X: 0.5, Width: 0.5, Height: 1}
	tr := &stack.Trace{Times: []float64{0, 1}, End: 2, Watts: [][]float64{{1, 10}, {3, 30}}}
	s := oneLayer(1, stack.Power{Blocks: []stack.Block{block("a", 1, left), block("b", 1, right)}, Trace: tr},
		stack.Power{Uniform: 5})
	m := mustMap(t, s, Grid{uniformFaces(1, 1), uniformFaces(1, 1)})
	got, err := m.BlockWatts(&s.Layers[1].Powers[0], 0.5, 1.5)
	if err != nil || !slices.Equal(got, []float64{2, 20}) {
		t.Errorf("blocks draw %v W, error %v; want 2 and 20 W", got, err)
	}
	if w, err := m.LayerWatts(0, 0.5, 1.5); err != nil || w != 27 {
		t.Errorf("the layer draws %g W, error %v; want 27 W", w, err)
	}
	for n, want := range []float64{22, 5} {
		if w, err := m.SourceWatts(&s.Layers[1].Powers[n], 0.5, 1.5); err != nil || w != want {
			t.Errorf("source %d draws %g W, error %v; want %g W", n, w, err, want)
		}
	}
	if _, err := m.BlockWatts(&s.Layers[1].Powers[1], 0, 1); err == nil {
		t.Error("a uniform power has no blocks, but no error came")
	}
	if _, err := m.LayerWatts(1, 0, 1); err == nil {
		t.Error("there is no second layer with power, but no error came")
	}
}
