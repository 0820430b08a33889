package stack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"thermsim/internal/timeline/cputime"
	"time"
)

// A stack built in Go is told what is wrong with it in words, since it has no places.
func TestValidateBuiltInGo(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	power := func(s *Stack) *Power { return &s.Layers[0].Powers[0] }
	trace := func(s *Stack, tr Trace) { power(s).Trace = &tr }
	tests := []struct {
		change func(s *Stack)
		want   string
	}{
		{func(s *Stack) { s.Size[1] = nan }, "size in y must be positive and finite, got NaN"},
		{func(s *Stack) { s.Ambient = 0 }, "ambient must be positive and finite, got 0"},
		{func(s *Stack) { s.Grid.X.Cells = 0 }, "the number of cells along x must lie between 1 and 100000, got 0"},
		{func(s *Stack) {
			s.Grid.X.Segments = []Segment{{2, 1, 0}}
		}, "grid.x: ratio of segment 1 must lie between 1e-6 and 1e6, got 0"},
		{func(s *Stack) {
			s.Grid.X.Segments = []Segment{{2, 1, 0.99e-6}}
		}, "grid.x: ratio of segment 1 must lie between 1e-6 and 1e6, got 9.9e-07"},
		{func(s *Stack) { s.Grid.X.Segments = []Segment{{2, 7, 1}} }, "grid.x: segments have 7 cells, the axis 1"},
		{func(s *Stack) {
			s.Grid.Auto = &AutoGrid{Error: 1, MaxCells: 999}
		}, "max_cells must lie between 1000 and 1000000000, got 999"},
		{func(s *Stack) {
			s.Boundary[Top].Patches = []Patch{{Name: "p", Rects: []Rect{{0, 0, 1, 1}},
				Boundary: Boundary{Kind: Convective, H: 1, Temperature: 300},
				Map:      &FilmMap{NX: 1, NY: 1, Values: []float64{1}}}}
		}, "boundary.top: patch p: a map of 1 by 1 tiles with 1 coefficients does not fit"},
		{func(s *Stack) {
			s.Boundary[Top] = Boundary{Kind: Convective, H: -1, Temperature: 300}
		}, "boundary.top: h must be positive and finite, got -1"},
		{func(s *Stack) {
			s.Boundary[Top] = Boundary{Kind: Convective, Temperature: 300, Film: Film{Natural: "sideways", Length: 1}}
		}, `boundary.top: unknown orientation: "sideways"`},
		{func(s *Stack) {
			s.Boundary[Top] = Boundary{Kind: Convective, Temperature: 300, Film: Film{Natural: "up"}}
		}, "boundary.top: length must be positive and finite, got 0"},
		{func(s *Stack) {
			s.Boundary[Top] = Boundary{Kind: Convective, Temperature: 300, Film: Film{Emissivity: 1.5}}
		}, "boundary.top: emissivity must lie between 0 and 1, got 1.5"},
		{func(s *Stack) {
			s.Boundary[Top] = Boundary{Kind: LumpedResistance, Resistance: 1}
		}, "boundary.top: temperature must be positive and finite, got 0"},
		{func(s *Stack) {
			s.Boundary[East] = Boundary{Kind: HeatFlux, Flux: inf}
		}, "boundary.east: flux must be finite"},
		{func(s *Stack) { s.Boundary[East].Kind = 9 }, "boundary.east: unknown kind of boundary"},
		{func(s *Stack) { s.Materials[0].K[2] = 0 }, `material "m": k must be positive and finite, got 0`},
		{func(s *Stack) { s.Materials[0].C = inf }, `material "m": c must be positive and finite, got +Inf`},
		{func(s *Stack) {
			s.Materials = append(s.Materials, s.Materials[0])
		}, `two materials are called "m"; rename one of them`},
		{func(s *Stack) { s.Layers = nil }, "the stack has no layers; add a layer"},
		{func(s *Stack) { s.Layers[0].Material = 3 }, `layer "l": there is no material number 3`},
		{func(s *Stack) { s.Layers[0].Cells = 0 }, `layer "l": cells must lie between 1 and 10000, got 0`},
		{func(s *Stack) {
			s.Layers[0].ContactResistance = -1
		}, `layer "l": contact resistance must be finite and not negative, got -1`},
		{func(s *Stack) {
			s.Layers[0].Name = ""
		}, `layer name "" is empty; choose a name that can be part of a file name`},
		{func(s *Stack) {
			s.Layers[0].Name = ".l"
		}, `layer name ".l" begins or ends with a dot or a space; choose a name that can be part of a file name`},
		{func(s *Stack) {
			s.Layers[0].Name = "all"
		}, `layer name "all" is reserved: it means every layer; choose a name that can be part of a file name`},
		{func(s *Stack) {
			s.Layers = append(s.Layers, Layer{Name: "L", Thickness: 1, Cells: 1})
		}, `layers "l" and "L" differ in case only; rename one of them: some file systems do not distinguish their maps`},
		{func(s *Stack) {
			s.Layers[0].Regions = []Region{{Rect: Rect{0, 0, 0, 1}}}
		}, `layer "l": region: width and height must be positive, got 0 m by 1 m`},
		{func(s *Stack) {
			s.Layers[0].Regions = []Region{{Rect: Rect{nan, 0, 1, 1}}}
		}, `layer "l": region: coordinates must be finite`},
		{func(s *Stack) {
			power(s).Uniform = 1
		}, `layer "l": power mixes blocks, a map and a uniform power; use one power each`},
		{func(s *Stack) {
			*power(s) = Power{Area: s.Domain(), Uniform: -1}
		}, `layer "l": power: uniform must be finite and not negative, got -1`},
		{func(s *Stack) {
			power(s).Area.Width = 3
		}, `layer "l": power: area extends beyond the domain by 1 m in the east`},
		{func(s *Stack) {
			*power(s) = Power{Area: s.Domain(), Map: &PowerMap{NX: 2, NY: 2}}
		}, `layer "l": power: map of 2 by 2 tiles has 0 values`},
		{func(s *Stack) {
			*power(s) = Power{Area: s.Domain(), Map: &PowerMap{NX: 1, NY: 1, Values: []float64{nan}}}
		}, `layer "l": power: tile 0, 0 of the map must be finite and not negative, got NaN`},
		{func(s *Stack) { power(s).Blocks[1].Name = "0" }, `layer "l": two blocks are called "0"; rename one of them`},
		{func(s *Stack) { power(s).Blocks[1].Name = "a\nb" },
			`layer "l": block name "a\nb" contains control characters`},
		{func(s *Stack) {
			power(s).Blocks[1].Watts = nan
		}, `layer "l": block "1": power must be finite and not negative, got NaN`},
		{func(s *Stack) { power(s).Blocks[1].Rects = nil }, `layer "l": block "1" has no rectangles`},
		{func(s *Stack) {
			power(s).Blocks[1].Rects[0].Width = 1.25
		},
			`layer "l": block "1" at x = 1 m, y = 0 m extends beyond the domain by 250 mm in the east; shrink or move it, or set origin`},
		{func(s *Stack) {
			power(s).Blocks[1].Rects = []Rect{{1, 0, 1, 0.5}, {1, 0.25, 1, 0.75}}
		},
			`layer "l": rectangles of block "1" overlap by 1 m x 250 mm at x = 1 m, y = 250 mm; split it into rectangles that only touch`},
		{func(s *Stack) {
			power(s).Schedule = []ScalePoint{{1, 1}}
		}, `layer "l": power: times of a schedule must ascend from 0`},
		{func(s *Stack) {
			power(s).Schedule = []ScalePoint{{0, -1}}
		}, "layer \"l\": power: factor of the schedule must be finite and not negative, got -1\nlayer \"l\": power: " +
			"power at a factor of the schedule must be finite and not negative, got -1"},
		{func(s *Stack) {
			trace(s, Trace{Times: []float64{0}, End: 1})
		}, `layer "l": power: trace of 1 times has 0 rows`},
		{func(s *Stack) {
			trace(s, Trace{Times: []float64{0}, Watts: [][]float64{{1, 2}}})
		}, `layer "l": power: trace must start at 0 and end after its last time`},
		{func(s *Stack) {
			trace(s, Trace{Times: []float64{0}, End: 1, Watts: [][]float64{{1}}})
		}, `layer "l": power: row 1 of the trace has 1 powers for 2 blocks`},
		{func(s *Stack) {
			trace(s, Trace{Times: []float64{0}, End: 1, Watts: [][]float64{{1, -1}}})
		}, `layer "l": power: power of block "1" in row 1 of the trace must be finite and not negative, got -1`},
		{func(s *Stack) {
			s.Probes = []Probe{{Name: "p", X: 1, Y: 0.5, Z: 2}}
		}, `probe "p" at z = 2 m lies outside the stack of height 1 m; move it`},
		{func(s *Stack) {
			s.Probes = []Probe{{Name: "p", X: 1, Y: 0.5, Side: "left"}}
		}, `probe "p": side cannot be "left"; write "below" or "above"`},
		{func(s *Stack) {
			s.Probes = []Probe{{Name: "p", X: 1, Y: 0.5}, {Name: "p", X: 1, Y: 0.5}}
		}, `two probes are called "p"; rename one of them`},
	}
	for _, tt := range tests {
		s, _ := gridOfBlocks(2, 1)
		if err := Validate(s); err != nil {
			t.Fatal(err)
		}
		tt.change(s)
		if err := Validate(s); err == nil || err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}

// Limits themselves are allowed.
func TestValidateAllowsTheLimits(t *testing.T) {
	for _, ratio := range []float64{1e-6, 1e6} {
		s, _ := gridOfBlocks(2, 1)
		s.Grid.X.Segments = []Segment{{2, 1, ratio}}
		if err := Validate(s); err != nil {
			t.Errorf("a ratio of %g: %v", ratio, err)
		}
	}
}

// The sweep must find what comparing every pair finds.
func TestOverlapsAgainstAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		s, blocks := gridOfBlocks(5, 7)
		for range trial % 4 {
			r := &blocks[rng.IntN(len(blocks))].Rects[0]
			r.X, r.Width = r.X*(0.9+0.2*rng.Float64()), r.Width*(0.5+0.6*rng.Float64())
			r.Y = max(0, r.Y-0.3*rng.Float64())
		}
		want := 0
		v := &validator{slack: Tolerance * 7}
		for i := range blocks {
			for j := range i {
				if v.overlap(blocks[i].Rects[0], blocks[j].Rects[0]) {
					want++
				}
			}
		}
		s.Layers[0].Powers[0].Blocks = blocks
		s.Size = [2]float64{20, 20}
		s.Layers[0].Powers[0].Area = s.Domain()
		if err := Validate(s); (err != nil) != (want > 0) {
			t.Fatalf("trial %d: %d pairs overlap, error %v", trial, want, err)
		}
	}
}

// gridOfBlocks is a stack with one layer, fully covered by nx*ny unit blocks.
func gridOfBlocks(nx, ny int) (*Stack, []Block) {
	s := &Stack{Schema: 1, Ambient: 300, Size: [2]float64{float64(nx), float64(ny)},
		Grid:      Grid{X: Axis{Cells: 1}, Y: Axis{Cells: 1}},
		Materials: []Material{{Name: "m", K: [3]float64{1, 1, 1}, C: 1}},
		Layers:    []Layer{{Name: "l", Thickness: 1, Cells: 1}}}
	var blocks []Block
	for i := range nx * ny {
		blocks = append(blocks, Block{Name: fmt.Sprint(i), Rects: []Rect{{float64(i % nx), float64(i / nx), 1, 1}},
			Watts: 1})
	}
	s.Layers[0].Powers = []Power{{Blocks: blocks, Area: s.Domain()}}
	return s, blocks
}

func TestManyBlocksAreFast(t *testing.T) {
	s, blocks := gridOfBlocks(200, 200)
	start := cputime.Used()
	if err := Validate(s); err != nil {
		t.Fatal(err)
	}
	if d := cputime.Used() - start; d > 2*time.Second {
		t.Errorf("40000 blocks took %v", d)
	}
	blocks[777].Rects[0].X -= 0.25
	if err := Validate(s); err == nil ||
		!strings.Contains(err.Error(), `layer "l": block "777" overlaps block "776" by 250 mm x 1 m`) &&
			!strings.Contains(err.Error(), `block "776" overlaps block "777"`) {
		t.Errorf("error %v", err)
	}
}

// Without a count, channels fill the chip up to a wall on either side, also where one more would fit without walls.
func TestChannelsLeaveWalls(t *testing.T) {
	for _, tt := range []struct {
		width float64
		count int
	}{{2e-3, 10}, {2.1e-3, 10}, {2.2e-3, 11}, {0.3e-3, 1}} {
		c := Channels{Width: 100e-6, Wall: 100e-6}
		c.Fit(tt.width)
		if last := tt.width - c.start(c.Count-1) - c.Width; c.Count != tt.count || c.FirstWall < 1e-6 || last < 1e-6 {
			t.Errorf("width %g: %d channels from %g to %g before the other side", tt.width, c.Count, c.FirstWall, last)
		}
	}
}
