package report

import (
	"math"
	"strings"
	"testing"

	"thermsim/report/picture"
	"thermsim/report/samples"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// A section sees a region between its sides, a circle between the ends of its chord, and no border that a later region
// covers.
func TestSectionBorders(t *testing.T) {
	s := samples.Stack(10, 8)
	circle := geometry.Circle{X: 7e-3, Y: 4e-3, Diameter: 2e-3}
	s.Layers[2].Regions = []stack.Region{
		{Name: "wide", Rect: samples.Rect(1e-3, 1e-3, 5e-3, 6e-3)[0]},
		{Name: "over its east side", Rect: samples.Rect(5e-3, 3e-3, 0.5e-3, 2e-3)[0]},
		{Name: "over that", Rect: samples.Rect(5.25e-3, 3e-3, 1e-3, 2e-3)[0]},
		{Name: "round", Rect: samples.Rect(6e-3, 3e-3, 2e-3, 2e-3)[0], Shape: circle},
	}
	half := math.Sqrt(1-0.36) * 1e-3 // of the chord 0.6 mm from the centre
	check := func(what string, got []picture.SectionBorder, want ...float64) {
		t.Helper()
		for _, w := range want {
			found := false
			for _, b := range got {
				found = found || b.Layer == 2 && math.Abs(b.At-w) < 0.02e-3
			}
			if !found {
				t.Errorf("%s: no border at %g mm in %v", what, w*1e3, got)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d borders, want %d: %v", what, len(got), len(want), got)
		}
	}
	// The circle, from 6.2 mm there, covers the end of the region before it, at 6.25 mm; that one covers the end of the
	// one before it, at 5.5 mm.
	check("x at 3.4 mm", sectionBorders(s, 0, 3.4e-3), 1e-3, 5e-3, 5.25e-3, 7e-3-half, 7e-3+half)
	check("x at 3.1 mm", sectionBorders(s, 0, 3.1e-3), 1e-3, 5e-3, 5.25e-3, 6.25e-3, 7e-3-math.Sqrt(0.19)*1e-3,
		7e-3+math.Sqrt(0.19)*1e-3)
	check("x at 4 mm", sectionBorders(s, 0, 4e-3), 1e-3, 5e-3, 5.25e-3, 6e-3, 8e-3)
	check("x at 2 mm", sectionBorders(s, 0, 2e-3), 1e-3, 6e-3)
	check("y at 7.6 mm", sectionBorders(s, 1, 7.6e-3), 4e-3-0.8e-3, 4e-3+0.8e-3)
	check("y at 9 mm", sectionBorders(s, 1, 9e-3))
}

// Pictures zoom on all of what bears a name, with an edge, to whole cells; what lies outside is not drawn.
func TestZoom(t *testing.T) {
	r := sampleRun(t, 100, 80) // cells of 0.1 mm
	style := PictureStyle{Zoom: "cache"}
	if err := style.CheckZoom(r.Mesh.Stack); err != nil {
		t.Fatal(err)
	}
	kelvin := make([]float64, 100*80)
	for n := range kelvin {
		kelvin[n] = float64(n)
	}
	figures := &Figures{Run: r, Options: Options{Style: style}}
	p := (&layerPicture{figures, layerView(r.Mesh, 1), kelvin, 300, 400, "", ""}).draw()
	// cache: 5 to 9 mm and 1 to 7 mm; its edge is a twentieth of 6 mm.
	near(t, "west", p.X[0], 4.7e-3, 1e-9)
	near(t, "east", p.X[len(p.X)-1], 9.3e-3, 1e-9)
	near(t, "south", p.Y[0], 0.7e-3, 1e-9)
	near(t, "north", p.Y[len(p.Y)-1], 7.3e-3, 1e-9)
	if len(p.Kelvin) != 46*66 || p.Kelvin[0] != 7*100+47 || p.Kelvin[46*66-1] != 72*100+92 {
		t.Errorf("%d cells from %g to %g", len(p.Kelvin), p.Kelvin[0], p.Kelvin[len(p.Kelvin)-1])
	}
	if len(p.Blocks) != 1 || p.Blocks[0].Name != "cache" {
		t.Errorf("blocks drawn: %v", p.Blocks)
	}
	first, last := style.window(r.Mesh.Stack, 1, r.Mesh.Y)
	if first != 7 || last != 73 {
		t.Errorf("a section along y shows cells %d to %d", first, last)
	}
	// The hottest cell there is not that of the run, but the one at the bump of 25 K.
	at, shown, err := figures.hottestShown()
	if err != nil || !shown {
		t.Errorf("hottest cell shown: %t, %v", shown, err)
	}
	near(t, "hottest shown, x", at[0], 6.45e-3, 1e-9)
	near(t, "hottest shown, y", at[1], 2.95e-3, 1e-9)
	style.Zoom = "gpu"
	if err := style.CheckZoom(r.Mesh.Stack); err == nil ||
		!strings.Contains(err.Error(), `named "gpu"; expected one of core, cache, io`) {
		t.Error(err)
	}
}

// A floorplan is drawn around its power: a tenth of its longer side, here 0.33 mm, beyond it, and whole where that is
// most of the layer.
func TestFloorplanFillsThePicture(t *testing.T) {
	s := samples.Stack(100, 80)
	blocks := &s.Layers[1].Powers[0].Blocks
	m := samples.Build(t, s)
	if got := floorplan(m, &m.Power.Layers[0]).Extent; got != s.Domain() {
		t.Errorf("three blocks all over the layer are drawn in %v", got)
	}
	*blocks = (*blocks)[:1]
	m = samples.Build(t, s)
	got := floorplan(m, &m.Power.Layers[0]).Extent
	for _, v := range [][3]float64{{got.X, 1.1e-3, 0.34e-3}, {got.Y, 0.9e-3, 0.34e-3},
		{got.X + got.Width, 4.5e-3, 0.34e-3}, {got.Y + got.Height, 3.7e-3, 0.34e-3}} {
		if d := math.Abs(v[0] - v[1]); math.Abs(d-v[2]) > 0.011e-3 {
			t.Errorf("a side at %g mm is %g mm from the power at %g mm", v[0]*1e3, d*1e3, v[1]*1e3)
		}
	}
	(*blocks)[0].Watts = 12
	s.Layers[1].Powers = append(s.Layers[1].Powers, stack.Power{Uniform: 13, Area: s.Domain()})
	m = samples.Build(t, s)
	if got := floorplan(m, &m.Power.Layers[0]).Subtitle; got != "layer feol, 25.00 W, 12.00 W of it in 1 block" {
		t.Errorf("subtitle %q", got)
	}
}
