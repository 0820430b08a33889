package powermap

import (
	"math"
	"testing"

	"pgregory.net/rapid"
	"thermsim/stack"
)

// drawTimes gives a power a schedule, a trace, both or nothing.
func drawTimes(t *rapid.T, p *stack.Power) {
	at := 0.0
	for _, f := range rapid.SliceOfN(rapid.Float64Range(0, 2), 0, 3).Draw(t, "factors") {
		p.Schedule = append(p.Schedule, stack.ScalePoint{Time: at, Factor: f})
		at += rapid.Float64Range(0.1, 2).Draw(t, "hold")
	}
	if len(p.Blocks) == 0 || rapid.Bool().Draw(t, "no trace") {
		return
	}
	tr := &stack.Trace{Repeat: true}
	for range rapid.IntRange(1, 3).Draw(t, "rows") {
		tr.Times = append(tr.Times, tr.End)
		tr.End += rapid.Float64Range(0.1, 2).Draw(t, "row")
		tr.Watts = append(tr.Watts, rapid.SliceOfN(rapid.Float64Range(0, 10), len(p.Blocks), len(p.Blocks)).Draw(t,
			"watts"))
	}
	p.Trace = tr
}

// drawn adds up a drawing as its documentation says, cell by cell and compensated.
func drawn(d *Drawing, nx, ny int) []float64 {
	plane := make([]float64, nx*ny)
	for c := range plane {
		var w Sum
		for n, s := range d.Footprints {
			if i, j := c%nx-s.I, c/nx-s.J; i >= 0 && i < len(s.X) && j >= 0 && j < len(s.Y) {
				w.Add(d.Watts[n] * s.X[i] * s.Y[j])
			}
		}
		for n, p := range d.Planes {
			w.Add(d.Factors[n] * p[c])
		}
		plane[c] = w.Value()
	}
	return plane
}

// same compares a drawing with watts per cell, to rounding.
func same(t *rapid.T, what string, g Grid, d *Drawing, want []float64) {
	rows := make([]float64, len(want))
	for j := 0; j < g.NY(); j += 3 {
		d.Draw(g.NX(), j, min(j+3, g.NY()), rows)
	}
	sums := drawn(d, g.NX(), g.NY())
	multiple, factor := d.Multiple()
	for c, w := range want {
		tol := 1e-14*math.Abs(w) + 1e-300 // numbers below have fewer digits
		if math.Abs(rows[c]-w) > tol || math.Abs(sums[c]-w) > tol {
			t.Fatalf("%s: cell %d of layer %d: %.17g W drawn, %.17g W added up; want %.17g W", what, c, d.Layer,
				rows[c], sums[c], w)
		}
		if multiple != nil && math.Abs(factor*multiple[c]-w) > tol {
			t.Fatalf("%s: cell %d of layer %d: %g times %g W, want %g W", what, c, d.Layer, factor, multiple[c], w)
		}
	}
}

func TestDrawingsEqualPlanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGrid(t)
		s := &stack.Stack{Size: [2]float64{size, size}}
		for range rapid.IntRange(1, 3).Draw(t, "layers") {
			var l stack.Layer
			for range rapid.IntRange(0, 3).Draw(t, "powers") {
				p := drawPower(t)
				if rapid.Bool().Draw(t, "transient") {
					drawTimes(t, &p)
				}
				l.Powers = append(l.Powers, p)
			}
			s.Layers = append(s.Layers, l)
		}
		m := must(t, s, g)
		for i, d := range m.Steady() {
			same(t, "steady", g, &d, m.Layers[i].Watts())
		}
		planes := make([][]float64, len(m.Layers))
		for i := range planes {
			planes[i] = make([]float64, g.NX()*g.NY())
		}
		sequence := m.Sequence()
		outlines := make([]*Outline, len(m.Layers))
		for step := range 3 {
			t0 := rapid.Float64Range(0, 5).Draw(t, "t0")
			t1 := t0 + rapid.Float64Range(0.01, 5).Draw(t, "dt")
			drawings, err := sequence.Over(t0, t1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Average(t0, t1, planes); err != nil {
				t.Fatal(err)
			}
			for i, d := range drawings {
				same(t, "step", g, &d, planes[i])
				if step > 0 && d.Outline != outlines[i] {
					t.Fatalf("the outline of layer %d changed between steps", d.Layer)
				}
				outlines[i] = d.Outline
			}
		}
	})
}

// Footprints carry all the watts that were asked for, however they fall on the grid.
func TestFootprintsConserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPower(t)
		m := must(t, oneLayer(size, p), drawGrid(t))
		var total Sum
		for _, d := range m.Steady() {
			for n, s := range d.Footprints {
				for _, x := range s.X {
					for _, y := range s.Y {
						total.Add(d.Watts[n] * x * y)
					}
				}
			}
			for n, plane := range d.Planes {
				for _, w := range plane {
					total.Add(d.Factors[n] * w)
				}
			}
		}
		if want := p.Watts(); math.Abs(total.Value()-want) > 1e-12*want {
			t.Fatalf("%.17g W in footprints and planes, want %.17g W", total.Value(), want)
		}
	})
}

// A map that a schedule scales is kept as it is, times a factor.
func TestScheduledMapIsAMultiple(t *testing.T) {
	p := stack.Power{Map: &stack.PowerMap{NX: 2, NY: 1, Values: []float64{1, 3}},
		Schedule: []stack.ScalePoint{{Time: 1, Factor: 0.5}}}
	m := mustMap(t, oneLayer(1, p), Grid{uniformFaces(2, 1), uniformFaces(1, 1)})
	drawings, err := m.Sequence().Over(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	plane, factor := drawings[0].Multiple()
	if plane == nil || &plane[0] != &m.Layers[0].Watts()[0] || factor != 0.75 {
		t.Errorf("got %v times %g, want the map's own plane times 0.75", plane, factor)
	}
	if _, err := m.Sequence().Over(1, 1); err == nil {
		t.Error("an empty step: no error")
	}
}
