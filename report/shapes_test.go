package report

import (
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"testing"

	"thermsim/report/picture"
	"thermsim/report/samples"
	"thermsim/report/statistics"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// shapely has a round block in the middle and one shaped as a U, whose notch holds the hottest cells of its rectangle.
func shapely() *stack.Stack {
	s := samples.Stack(40, 32)
	u := geometry.Polygon{{X: 6e-3, Y: 1e-3}, {X: 10e-3, Y: 1e-3}, {X: 10e-3, Y: 2e-3}, {X: 7e-3, Y: 2e-3},
		{X: 7e-3, Y: 3e-3}, {X: 6e-3, Y: 3e-3}}
	s.Layers[1].Powers[0].Blocks = []stack.Block{
		{Name: "round", Shapes: []geometry.Shape{geometry.Circle{X: 5e-3, Y: 4e-3, Diameter: 1.7e-3}}, Watts: 12},
		{Name: "hook", Shapes: []geometry.Shape{u}, Watts: 3},
	}
	return s
}

// By symmetry the mean of a linear field over a circle is that at its centre; over the hook it is that at its centroid,
// since cells end on its edges.
func TestMeansOverShapes(t *testing.T) {
	s := summarise(t, linearRun(t, shapely()))
	near(t, "mean of the circle", s.Blocks[0].AvgK, samples.Linear(5e-3, 4e-3, 201e-6), 1e-9)
	near(t, "area of the circle", s.Blocks[0].AreaM2, 3.141592653589793/4*1.7e-3*1.7e-3, 1e-18)
	x, y := (4*8e-3+1*6.5e-3)/5, (4*1.5e-3+1*2.5e-3)/5
	near(t, "mean of the hook", s.Blocks[1].AvgK, samples.Linear(x, y, 201e-6), 1e-9)
	m := samples.Build(t, shapely())
	k := m.LayerPlanes[1][1] - 1
	near(t, "maximum of the hook", s.Blocks[1].MaxK, samples.Linear(9.875e-3, 1.125e-3, (m.Z[k]+m.Z[k+1])/2), 1e-9)
	// The north-east corner of its rectangle would be hotter than the coldest cell, were it part of the block.
	near(t, "minimum of the hook", s.Blocks[1].MinK, samples.Linear(6.125e-3, 2.875e-3, (m.Z[k-1]+m.Z[k])/2), 1e-9)
}

func TestShapesArePartsOfMaps(t *testing.T) {
	s := shapely()
	m := samples.Build(t, s)
	if got := statistics.BlockAt(m, 1, 20, 16); got != "round" {
		t.Errorf("the middle belongs to %q", got)
	}
	if got := statistics.BlockAt(m, 1, 36, 10); got != "" {
		t.Errorf("the notch of the hook belongs to %q", got)
	}
	for i, o := range blockOutlines(s, 1) {
		b := &s.Layers[1].Powers[0].Blocks[i]
		for _, r := range o.Rects() {
			if inside := geometry.Within(b.Shapes[0], r.Box()); inside < 0.8*r.Area() {
				t.Errorf("%s: a rectangle of the outline holds %.3g of its area", o.Name, inside/r.Area())
			}
		}
	}
	text, err := json.Marshal(pageBlocks(s, 1))
	if !strings.Contains(string(text), `"shapes":[[0.005,0.004,0.0017]]`) {
		t.Errorf("no circle in %.200s", text)
	}
	if err != nil || !strings.Contains(string(text), `"shapes":[[[0.006,0.001],[0.01,0.001],`) {
		t.Errorf("%v: %.200s", err, text)
	}
}

// Outlines of many circles take the memory of one while they are drawn: a circle has some 160 strips of 32 bytes.
func TestOutlinesAreMadeAsTheyAreDrawn(t *testing.T) {
	const circles = 5000
	s := &stack.Stack{Size: [2]float64{0.01, 0.01}, Layers: make([]stack.Layer, 1)}
	for i := range circles {
		c := geometry.Circle{X: 5e-3, Y: 5e-3, Diameter: 9e-3 - float64(i)*1e-7}
		s.Layers[0].Regions = append(s.Layers[0].Regions, stack.Region{Shape: c, Rect: stack.Around(c)})
		s.Layers[0].Powers = append(s.Layers[0].Powers,
			stack.Power{Blocks: []stack.Block{{Shapes: []geometry.Shape{c}}}})
	}
	for what, outlines := range map[string]func(*stack.Stack, int) []picture.Outline{"regions": regionOutlines,
		"blocks": blockOutlines} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		made := outlines(s, 0)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > circles*1000 {
			t.Errorf("outlines of %d %s take %d bytes", circles, what, took)
		}
		// the strips have the area of the circle, but for the room for a name beside them
		for _, i := range []int{0, circles - 1} {
			d := 9e-3 - float64(i)*1e-7
			rects := made[i].Rects()
			area := 0.0
			for _, r := range rects[:len(rects)-1] {
				area += r.Area()
			}
			if math.Abs(area/(math.Pi/4*d*d)-1) > 1e-3 {
				t.Errorf("%s: outline %d has an area of %g", what, i, area)
			}
		}
	}
}
