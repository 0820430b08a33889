package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// randomRegions are rectangles and circles anywhere on a layer.
func randomRegions(draw *rand.Rand, s *stack.Stack, n int) []stack.Region {
	var all []stack.Region
	for range n {
		var r stack.Region
		r.Width, r.Height = s.Size[0]*draw.Float64()/2, s.Size[1]*draw.Float64()/2
		r.X, r.Y = (s.Size[0]-r.Width)*draw.Float64(), (s.Size[1]-r.Height)*draw.Float64()
		if draw.IntN(3) == 0 {
			d := min(r.Width, r.Height)
			r.Shape = geometry.Circle{X: r.X + d/2, Y: r.Y + d/2, Diameter: d}
			r.Rect = stack.Around(r.Shape)
		}
		all = append(all, r)
	}
	return all
}

// grouped gives every item of a layer one of three groups.
func grouped(s *stack.Stack) []int {
	group := make([]int, len(s.Layers[1].Regions)+1)
	for n := range group {
		group[n] = n % 3
	}
	return group
}

func built(t *testing.T, s *stack.Stack) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The shares of cells are those of the rectangles that can be seen.
func TestCrowdsAreWhatRectanglesAre(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		s := sampleStack(7, 5)
		s.Layers[1].Regions = randomRegions(draw, s, draw.IntN(30))
		m, group := built(t, s), grouped(s)
		parts, ok := newSheet(s, 1).visible()
		if !ok {
			t.Fatal("too many pieces")
		}
		want := map[string]float64{}
		for of, rects := range parts {
			for j := range int32(m.NY()) {
				for i := range int32(m.NX()) {
					cell := cellOf(m, reduction.Cell{I: i, J: j})
					want[fmt.Sprint(group[of], i, j)] += overlapping([]stack.Rect{cell}, rects) / cell.Area()
				}
			}
		}
		for g, cells := range newSheet(s, 1).crowd(m, group, 3) {
			for _, c := range cells {
				key := fmt.Sprint(g, c.I, c.J)
				near(t, "share of "+key, c.Share, want[key], 1e-9)
				delete(want, key)
			}
		}
		for key, share := range want {
			near(t, "share of "+key+", which is left out", 0, share, 1e-9)
		}
	}
}

// A region less high than twice what rounding may leave, across an edge of the grid, takes nothing from its neighbours.
func TestCrowdsLeaveOutFlatRegions(t *testing.T) {
	s := sampleStack(4, 4)
	mid, height := s.Size[1]/2, 1.6*slack*s.Size[1]
	s.Layers[1].Regions = []stack.Region{{Rect: stack.Rect{Y: mid - height/2, Width: s.Size[0], Height: height}}}
	m := built(t, s)
	for _, c := range newSheet(s, 1).crowd(m, []int{0, 1}, 2)[1] {
		near(t, "share of a flat region", c.Share, 0, 1e-6)
	}
}

// Where a layer is looked at along lines, areas are right within what 1024 lines leave open.
func TestCrowdsAlongLines(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	s := sampleStack(16, 16)
	s.Layers[1].Regions = randomRegions(draw, s, 3000)
	for n := range 400 { // strips finer than the lines
		pitch := s.Size[1] / 400
		s.Layers[1].Regions = append(s.Layers[1].Regions,
			stack.Region{Rect: stack.Rect{X: 2e-3, Y: pitch * float64(n), Width: 4e-3, Height: pitch / 3}})
	}
	m, group := built(t, s), grouped(s)
	var exact, looked [3]float64
	h := newSheet(s, 1)
	for g, cells := range h.crowd(m, group, 3) {
		for _, c := range cells {
			exact[g] += c.Share * cellOf(m, c).Area()
		}
	}
	h.sample(m)
	for g, cells := range h.rows(m, group, 3, math.MaxInt) {
		for _, c := range cells {
			looked[g] += c.Share * cellOf(m, c).Area()
		}
	}
	near(t, "area of all", exact[0]+exact[1]+exact[2], s.Size[0]*s.Size[1], 1e-15)
	near(t, "area of all along lines", looked[0]+looked[1]+looked[2], s.Size[0]*s.Size[1], 1e-15)
	for g := range exact {
		near(t, "area along lines", looked[g], exact[g], 0.01*s.Size[0]*s.Size[1])
	}
}

// Strips that cross on a pitch that divides the cells: a quarter of every cell shows those below, half those above, a
// quarter what is under both. Means and powers follow, and the memory does not go with the number of places where
// strips cross.
func TestCrossingStrips(t *testing.T) {
	const across, along = 4000, 3200
	s := sampleStack(20, 16)
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
		{Area: s.Domain(), Blocks: []stack.Block{{Name: "block", Rects: rect(1e-3, 1e-3, 2e-3, 2e-3), Watts: 6}}},
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
		near(t, "mean of "+r.Label(), r.MeanK, linear(5e-3, 4e-3, 201e-6), 1e-7)
	}
}

// Rows that are good to a hundredth are told once a layer.
func TestSampledRowsAreTold(t *testing.T) {
	s := sampleStack(4, 4)
	s.Layers[1].Regions = []stack.Region{{Pos: stack.Pos{File: "chip.toml", Line: 7, Col: 3}}}
	run := &Run{Mesh: built(t, s)}
	of := func(layer int, sampled bool) *part {
		return &part{footprint: footprint{layer: layer}, sampled: sampled}
	}
	found := sampledRows(run, []*part{of(0, false), of(1, true), of(1, true), of(2, false)})
	if len(found) != 1 || found[0].Code != plausibility.CrowdedCells || found[0].Place != "chip.toml:7:3" {
		t.Errorf("%+v", found)
	}
}

// Mould around a chip of crossing strips, whose edge cuts cells, has no power though it shares them with a block: the
// layer's mean is that of the chip.
func TestMouldBesideCrowds(t *testing.T) {
	s := sampleStack(10, 8)
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
	m := build(t, s)
	if parts := newParts(m); parts[0].cells == nil {
		t.Fatal("rectangles")
	}
	sum := summarise(t, linearRun(t, s))
	if w := sum.Layers[1].MeanWithout; len(w) != 1 || w[0] != "mould" {
		t.Errorf("the mean is without %q, want mould", w)
	}
}
