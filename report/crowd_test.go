package report

import (
	"runtime"
	"testing"

	"thermsim/mesh/plausibility"
	"thermsim/report/samples"
	"thermsim/report/statistics"
	"thermsim/stack"
)

// Strips that cross on a pitch that divides the cells: a quarter of every cell shows those below, half those above, a
// quarter what is under both. Means and powers follow, and the memory does not go with the number of places where
// strips cross.
func TestCrossingStrips(t *testing.T) {
	const across, along = 4000, 3200
	s := samples.Stack(20, 16)
	l := &s.Layers[1]
	w, h := s.Size[0]/across, s.Size[1]/along
	for n := range across {
		l.Regions = append(l.Regions,
			stack.Region{Name: "below", Material: 1,
				Rect: stack.Rect{X: w * float64(n), Width: w / 2, Height: s.Size[1]}})
	}
	for n := range along {
		l.Regions = append(l.Regions,
			stack.Region{Name: "above", Material: 2,
				Rect: stack.Rect{Y: h * float64(n), Width: s.Size[0], Height: h / 2}})
	}
	m := &stack.PowerMap{NX: 2, NY: 2, Values: []float64{1, 2, 3, 4}}
	l.Powers = []stack.Power{
		{Name: "map", Area: s.Domain(), Map: m},
		{Area: s.Domain(),
			Blocks: []stack.Block{{Name: "block", Rects: samples.Rect(1e-3, 1e-3, 2e-3, 2e-3), Watts: 6}}},
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run := linearRun(t, s)
	sum := summarise(t, run)
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 400 {
		t.Errorf("%d MB for %d places where strips cross", mb, across*along)
	}
	for _, c := range []struct {
		kind, name string
		share      float64
	}{{"region", "below", 0.25}, {"region", "above", 0.5}, {"rest", "", 0.25}} {
		r := region(t, sum, c.kind, c.name)
		near(t, "area of "+r.Label(), r.AreaM2, c.share*80e-6, 1e-14)
		near(t, "power of "+r.Label(), r.PowerW, c.share*16, 1e-8)
		near(t, "mean of "+r.Label(), r.MeanK, samples.Linear(5e-3, 4e-3, 201e-6), 1e-7)
	}
}

// Rows that are good to a hundredth are told once a layer.
func TestSampledRowsAreTold(t *testing.T) {
	s := samples.Stack(4, 4)
	s.Layers[1].Regions = []stack.Region{{Pos: stack.Pos{File: "chip.toml", Line: 7, Col: 3}}}
	run := &Run{Mesh: samples.Build(t, s)}
	of := func(layer int, sampled bool) *statistics.Part {
		p := &statistics.Part{Sampled: sampled}
		p.Layer = layer
		return p
	}
	found := sampledRows(run, []*statistics.Part{of(0, false), of(1, true), of(1, true), of(2, false)})
	if len(found) != 1 || found[0].Code != plausibility.CrowdedCells || found[0].Place != "chip.toml:7:3" {
		t.Errorf("%+v", found)
	}
}

// Mould around a chip of crossing strips, whose edge cuts cells, has no power though it shares them with a block: the
// layer's mean is that of the chip.
func TestMouldBesideCrowds(t *testing.T) {
	s := samples.Stack(10, 8)
	l := &s.Layers[1]
	chip := stack.Rect{X: 1.3e-3, Y: 1.3e-3, Width: 6e-3, Height: 4e-3}
	l.Material = 2
	l.Powers =
		[]stack.Power{{Area: s.Domain(), Blocks: []stack.Block{{Name: "block", Rects: []stack.Rect{chip}, Watts: 6}}}}
	l.Regions = []stack.Region{{Name: "chip", Rect: chip}}
	const n = 600
	for i := range n {
		w, h := chip.Width/n, chip.Height/n
		l.Regions = append(l.Regions,
			stack.Region{Name: "chip", Rect: stack.Rect{X: chip.X + w*float64(i), Y: chip.Y, Width: w / 2,
				Height: chip.Height}})
		l.Regions = append(l.Regions,
			stack.Region{Name: "over", Rect: stack.Rect{X: chip.X, Y: chip.Y + h*float64(i), Width: chip.Width,
				Height: h / 2}})
	}
	m := samples.Build(t, s)
	if parts := statistics.NewParts(m); parts[0].Cells == nil {
		t.Fatal("rectangles")
	}
	sum := summarise(t, linearRun(t, s))
	if w := sum.Layers[1].MeanWithout; len(w) != 1 || w[0] != "mould" {
		t.Errorf("the mean is without %q, want mould", w)
	}
}
