package report

import (
	"math"
	"slices"
	"testing"

	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/stack"
)

// dieStack has a die of three regions in two layers, one of them beneath a part of another, and a region of the same
// name that is of another die.
func dieStack() *stack.Stack {
	s := samples.Stack(20, 16)
	s.Layers[0].Regions =
		[]stack.Region{{Name: "west", Die: "west", Material: 1, Rect: samples.Rect(1e-3, 1e-3, 4e-3, 4e-3)[0],
			TMax: 380}}
	s.Layers[1].Regions = []stack.Region{
		{Name: "west", Die: "west", Material: 0, Rect: samples.Rect(1e-3, 1e-3, 4e-3, 4e-3)[0], TMax: 380},
		{Name: "pad", Die: "west", Material: 1, Rect: samples.Rect(1e-3, 1e-3, 1e-3, 1e-3)[0], TMax: 360},
		{Name: "west", Die: "east", Material: 0, Rect: samples.Rect(6e-3, 2e-3, 2e-3, 2e-3)[0], TMax: 390},
		{Name: "mould", Material: 2, Rect: samples.Rect(8e-3, 6e-3, 1e-3, 1e-3)[0]},
	}
	s.Layers[1].Powers = []stack.Power{
		{Uniform: 6, Area: samples.Rect(1e-3, 1e-3, 4e-3, 4e-3)[0]},
		{Uniform: 1, Area: samples.Rect(6e-3, 2e-3, 2e-3, 2e-3)[0]},
	}
	return s
}

// Of a linear field, a die's mean is that of the boxes it fills, weighed by volume, and its extremes are those of
// corners.
func TestDiesOfALinearField(t *testing.T) {
	s := summarise(t, linearRun(t, dieStack()))
	if len(s.Dies) != 2 || s.Dies[0].Name != "west" || s.Dies[1].Name != "east" {
		t.Fatalf("dies %+v, want west and east", s.Dies)
	}
	west, east := &s.Dies[0], &s.Dies[1]
	if !slices.Equal(west.Layers, []string{"bulk", "feol"}) || !slices.Equal(east.Layers, []string{"feol"}) {
		t.Errorf("layers %v and %v", west.Layers, east.Layers)
	}
	// 200 um of the bulk and 2 um of the FEOL, whose centres lie at 100 and 201 um; the pad fills a corner of the same
	// box.
	near(t, "mean of west", west.MeanK,
		(200*samples.Linear(3e-3, 3e-3, 100e-6)+2*samples.Linear(3e-3, 3e-3, 201e-6))/202, 1e-9)
	near(t, "mean of east", east.MeanK, samples.Linear(7e-3, 3e-3, 201e-6), 1e-9)
	near(t, "power of west", west.PowerW, 6, 1e-12)
	near(t, "power of east", east.PowerW, 1, 1e-12)
	for _, d := range s.Dies {
		top, low := math.Inf(-1), math.Inf(1)
		for _, r := range s.Regions {
			if r.Kind == summary.KindRegion && slices.Contains(d.Layers, r.Layer) &&
				(d.Name == "east") == (r.AreaM2 == 4e-6 && r.Name == "west") && r.Name != "mould" {
				top, low = max(top, r.MaxK), min(low, r.MinK)
			}
		}
		if d.MaxK != top || d.MinK != low || d.MaxAt.Region == "" {
			t.Errorf("%s: %g to %g at %+v, its regions have %g to %g", d.Name, d.MinK, d.MaxK, d.MaxAt, low, top)
		}
	}
}

// A limit that a die's regions share is one; a region's own stays its own.
func TestLimitsOfDies(t *testing.T) {
	s := summarise(t, linearRun(t, dieStack()))
	got := map[string]float64{}
	for i := range s.Limits {
		got[s.Limits[i].Label()] = s.Limits[i].MaxK
	}
	want := map[string]float64{"die west": s.Dies[0].MaxK, "die east": s.Dies[1].MaxK,
		"region pad of layer feol": region(t, s, summary.KindRegion, "pad").MaxK}
	if len(got) != len(want) {
		t.Errorf("limits of %v, want %v", got, want)
	}
	for name, k := range want {
		if got[name] != k {
			t.Errorf("%s: %g K, want %g", name, got[name], k)
		}
	}
}
