package report

import (
	"math"
	"slices"
	"testing"

	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// regionStack has two regions in its second layer, the later one over a corner of the earlier one, and sources on both
// sides of their edges.
func regionStack(nx, ny int) *stack.Stack {
	s := samples.Stack(nx, ny)
	l := &s.Layers[1]
	l.Regions = []stack.Region{
		{Name: "memory", Material: 0, Rect: stack.Rect{X: 1e-3, Y: 1e-3, Width: 4e-3, Height: 3e-3}},
		{Name: "logic", Material: 1, Rect: stack.Rect{X: 4e-3, Y: 3e-3, Width: 3e-3, Height: 4e-3}, TMax: 400},
	}
	l.Material = 2
	l.Powers = []stack.Power{
		{Area: stack.Rect{Width: 10e-3, Height: 8e-3},
			Blocks: []stack.Block{{Name: "wide", Rects: samples.Rect(2e-3, 2e-3, 4e-3, 2e-3), Watts: 8}}},
		{Name: "leak", Area: l.Regions[0].Rect, Uniform: 2},
	}
	return s
}

func region(t *testing.T, s *summary.Summary, kind, name string) *summary.Region {
	t.Helper()
	n := slices.IndexFunc(s.Regions, func(r summary.Region) bool {
		return r.Kind == kind && r.Name == name && r.Layer == "feol"
	})
	if n < 0 {
		t.Fatalf("no %s %q among %+v", kind, name, s.Regions)
	}
	return &s.Regions[n]
}

// On a grid that their edges follow, the mean of a linear field over a region is that of its rectangles' centres. The
// memory lacks the corner under the logic; the leak does not.
func TestRegionsOfALinearField(t *testing.T) {
	s := summarise(t, linearRun(t, regionStack(20, 16)))
	const z = 201e-6
	mean := func(rects ...stack.Rect) float64 {
		sum, area := 0.0, 0.0
		for _, r := range rects {
			sum += samples.Linear(r.X+r.Width/2, r.Y+r.Height/2, z) * r.Area()
			area += r.Area()
		}
		return sum / area
	}
	memory := []stack.Rect{{X: 1e-3, Y: 1e-3, Width: 4e-3, Height: 2e-3}, {X: 1e-3, Y: 3e-3, Width: 3e-3, Height: 1e-3}}
	logic := stack.Rect{X: 4e-3, Y: 3e-3, Width: 3e-3, Height: 4e-3}
	rest := (80e-6*samples.Linear(5e-3, 4e-3, z) - 11e-6*mean(memory...) - 12e-6*mean(logic)) / 57e-6
	for _, c := range []struct {
		kind, name, material string
		area, mean, watts    float64
	}{
		{"region", "memory", "silicon", 11e-6, mean(memory...), 8.0*5/8 + 2.0*11/12},
		{"region", "logic", "copper", 12e-6, mean(logic), 8.0*2/8 + 2.0/12},
		{"rest", "", "mould", 57e-6, rest, 8.0 * 1 / 8},
		{"power", "leak", "", 12e-6, mean(stack.Rect{X: 1e-3, Y: 1e-3, Width: 4e-3, Height: 3e-3}), 2},
	} {
		r := region(t, s, c.kind, c.name)
		near(t, "area of "+r.Label(), r.AreaM2, c.area, 1e-15)
		near(t, "mean of "+r.Label(), r.MeanK, c.mean, 1e-9)
		near(t, "power of "+r.Label(), r.PowerW, c.watts, 1e-12)
		if r.Material != c.material {
			t.Errorf("%s is of %q, want %q", r.Label(), r.Material, c.material)
		}
	}
	// The field rises to the east and falls to the north: the hottest cell of the logic is its south-eastern one, in
	// the upper plane.
	top := region(t, s, "region", "logic")
	near(t, "maximum of the logic", top.MaxK, samples.Linear(6.75e-3, 3.25e-3, 201.5e-6), 1e-10)
	if at := top.MaxAt; math.Abs(at.XM-6.75e-3) > 1e-12 || math.Abs(at.YM-3.25e-3) > 1e-12 || at.Region != "logic" ||
		at.Block != "" {
		t.Errorf("the hottest cell of the logic is %+v", at)
	}
}

// A mould without power is left out of its layer's mean; one with power is not, nor where all is asked for.
func TestMeansOfLayersAreOfChips(t *testing.T) {
	s := regionStack(20, 16)
	s.Layers[1].Powers[0].Blocks[0].Rects = samples.Rect(2e-3, 2e-3, 2e-3, 1e-3)
	of := func() *summary.Layer {
		return &summarise(t, linearRun(t, s)).Layers[1]
	}
	all := samples.Linear(5e-3, 4e-3, 201e-6)
	chips := (samples.Linear(3e-3, 2e-3, 201e-6)*8 + samples.Linear(2.5e-3, 3.5e-3, 201e-6)*3 +
		samples.Linear(5.5e-3, 5e-3, 201e-6)*12) / 23
	got := of()
	near(t, "mean of the chips", got.MeanK, chips, 1e-9)
	if !slices.Equal(got.MeanWithout, []string{"mould"}) {
		t.Errorf("the mean leaves out %q", got.MeanWithout)
	}
	s.Layers[1].MeanOfAll = true
	near(t, "mean of all", of().MeanK, all, 1e-9)
	s.Layers[1].MeanOfAll = false
	mould := &s.Materials[s.Layers[1].Material]
	poor := mould.K
	mould.K = [3]float64{2, 2, 2} // such as an interface, in a layer with copper
	near(t, "mean with an interface", of().MeanK, all, 1e-9)
	mould.Name, mould.K = "open_space", [3]float64{1e-5, 1e-5, 1e3}
	near(t, "mean outside open space", of().MeanK, chips, 1e-9)
	sum := summarise(t, linearRun(t, s))
	near(t, "minimum outside open space", sum.Layers[1].MinK, min(region(t, sum, "region", "memory").MinK,
		region(t, sum, "region", "logic").MinK), 0)
	mould.Name, mould.K = "mould", poor
	s.Layers[1].Powers = append(s.Layers[1].Powers, stack.Power{Uniform: 1, Area: s.Domain()})
	if got := of(); len(got.MeanWithout) > 0 {
		t.Errorf("%q has power and is left out", got.MeanWithout)
	}
	near(t, "mean with power everywhere", of().MeanK, all, 1e-9)
}

// Regions of one name are one row, and so are those without a name of one material; a power that fills a region has the
// region's row.
func TestRegionsOfOneNameAreOneRow(t *testing.T) {
	s := samples.Stack(20, 16)
	l := &s.Layers[1]
	for _, x := range []float64{1e-3, 3e-3, 5e-3} {
		l.Regions = append(l.Regions,
			stack.Region{Name: "bump", Material: 1, Rect: samples.Rect(x, 1e-3, 1e-3, 1e-3)[0]},
			stack.Region{Material: 2, Rect: samples.Rect(x, 3e-3, 1e-3, 1e-3)[0]})
	}
	l.Regions = append(l.Regions, stack.Region{Name: "die", Material: 1, Rect: samples.Rect(1e-3, 5e-3, 2e-3, 2e-3)[0],
		TMax: 390})
	l.Powers = append(l.Powers, stack.Power{Area: l.Regions[6].Rect, Uniform: 3, TMax: 380})
	sum := summarise(t, linearRun(t, s))
	if len(sum.Regions) != 4 {
		t.Fatalf("%d rows, want bumps, those without a name, the die and the rest: %+v", len(sum.Regions), sum.Regions)
	}
	near(t, "area of the bumps", region(t, sum, "region", "bump").AreaM2, 3e-6, 1e-15)
	near(t, "area of those without a name", region(t, sum, "region", "").AreaM2, 3e-6, 1e-15)
	// two thirds of the io lie in it
	near(t, "power of the die", region(t, sum, "region", "die").PowerW, 3+1*2.0/3, 1e-12)
	if len(sum.Limits) != 1 || sum.Limits[0].TMaxK != 380 {
		t.Errorf("limits %+v, want the stricter one of the die", sum.Limits)
	}
}

// The tiles of a map give their power to the regions over them by area.
func TestPowerOfRegionsUnderAMap(t *testing.T) {
	s := regionStack(20, 16)
	m := &stack.PowerMap{NX: 5, NY: 4}
	for n := range 20 {
		m.Values = append(m.Values, float64(n))
	}
	s.Layers[1].Powers =
		[]stack.Power{{Name: "map", Area: s.Domain(), Map: m, Schedule: []stack.ScalePoint{{Factor: 1}}}}
	sum := summarise(t, linearRun(t, s))
	// Tiles are 2 mm wide. The logic covers x 4 to 7, y 3 to 7: tiles 2 and half of 3 of rows 1 (half), 2 and 3 (half).
	want := 0.5*(7+0.5*8) + (12 + 0.5*13) + 0.5*(17+0.5*18)
	near(t, "power of the logic", region(t, sum, "region", "logic").PowerW, want, 1e-12)
	total := 0.0
	for _, r := range sum.Regions {
		if r.Kind != summary.KindPower {
			total += r.PowerW
		}
	}
	near(t, "power of all", total, 190, 1e-12)

	// Of a map at two temperatures, what the second adds is distributed by its own tiles.
	m.Temperatures, m.Hotter = []float64{200, 1000}, [][]float64{slices.Clone(m.Values)}
	m.Hotter[0][12] += 4
	sum = summarise(t, linearRun(t, s))
	mean := samples.Linear(5e-3, 5e-3, s.Layers[0].Thickness+s.Layers[1].Thickness/2)
	near(t, "leakage of the logic", region(t, sum, "region", "logic").LeakageW, 4*(mean-200)/800, 1e-12)
	near(t, "leakage of the map", region(t, sum, summary.KindPower, "map").LeakageW, 4*(mean-200)/800, 1e-12)
}

// A circle of another material: its row has the circle's area, and what it leaves of a rectangle under it the
// difference. A uniform power on it shares its row.
func TestRoundRegions(t *testing.T) {
	s := samples.Stack(40, 32)
	l := &s.Layers[1]
	disc := geometry.Circle{X: 5e-3, Y: 4e-3, Diameter: 4e-3}
	l.Regions = []stack.Region{
		{Name: "plate", Material: 0, Rect: stack.Rect{X: 2e-3, Y: 1e-3, Width: 6e-3, Height: 6e-3}},
		{Name: "disc", Material: 1, Rect: stack.Around(disc), Shape: disc},
	}
	l.Powers = []stack.Power{{Uniform: 5, Area: stack.Around(disc), Shape: disc}}
	sum := summarise(t, linearRun(t, s))
	if len(sum.Regions) != 3 {
		t.Fatalf("%d rows, want plate, disc and rest: %+v", len(sum.Regions), sum.Regions)
	}
	round := math.Pi * 4e-6
	d, plate := region(t, sum, "region", "disc"), region(t, sum, "region", "plate")
	near(t, "area of the disc", d.AreaM2, round, 0.003*round)
	near(t, "area around it", plate.AreaM2, 36e-6-round, 0.003*round)
	near(t, "power of the disc", d.PowerW, 5, 1e-9)
	near(t, "power around it", plate.PowerW, 0, 1e-9)
	near(t, "mean of the disc", d.MeanK, samples.Linear(5e-3, 4e-3, 201e-6), 1e-3)
}
