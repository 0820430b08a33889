package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/reduction"
	"thermsim/internal/testtier"
	"thermsim/report/samples"
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

// The shares of cells are those of the rectangles that can be seen.
func TestCrowdsAreWhatRectanglesAre(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		s := samples.Stack(7, 5)
		s.Layers[1].Regions = randomRegions(draw, s, draw.IntN(30))
		m, group := samples.Build(t, s), grouped(s)
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
				within(t, "share of "+key, c.Share, want[key], 1e-9)
				delete(want, key)
			}
		}
		for key, share := range want {
			within(t, "share of "+key+", which is left out", 0, share, 1e-9)
		}
	}
}

// A region less high than twice what rounding may leave, across an edge of the grid, takes nothing from its neighbours.
func TestCrowdsLeaveOutFlatRegions(t *testing.T) {
	s := samples.Stack(4, 4)
	mid, height := s.Size[1]/2, 1.6*slack*s.Size[1]
	s.Layers[1].Regions = []stack.Region{{Rect: stack.Rect{Y: mid - height/2, Width: s.Size[0], Height: height}}}
	m := samples.Build(t, s)
	for _, c := range newSheet(s, 1).crowd(m, []int{0, 1}, 2)[1] {
		within(t, "share of a flat region", c.Share, 0, 1e-6)
	}
}

// Where a layer is looked at along lines, areas are right within what 1024 lines leave open.
func TestCrowdsAlongLines(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	s := samples.Stack(16, 16)
	s.Layers[1].Regions = randomRegions(draw, s, testtier.Pick(1000, 3000))
	for n := range 400 { // strips finer than the lines
		pitch := s.Size[1] / 400
		s.Layers[1].Regions = append(s.Layers[1].Regions,
			stack.Region{Rect: stack.Rect{X: 2e-3, Y: pitch * float64(n), Width: 4e-3, Height: pitch / 3}})
	}
	m, group := samples.Build(t, s), grouped(s)
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
	within(t, "area of all", exact[0]+exact[1]+exact[2], s.Size[0]*s.Size[1], 1e-15)
	within(t, "area of all along lines", looked[0]+looked[1]+looked[2], s.Size[0]*s.Size[1], 1e-15)
	for g := range exact {
		within(t, "area along lines", looked[g], exact[g], 0.01*s.Size[0]*s.Size[1])
	}
}
