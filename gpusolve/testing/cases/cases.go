// Package cases builds the stacks that the solver's tests and benchmarks run on: the 10-layer memory-on-logic stack and
// variations that are hard for multigrid in different ways.
package cases

import (
	"fmt"
	"math"
	"math/rand/v2"

	"thermsim/stack"
)

// Options vary the 10-layer stack. The zero value of a field means its default.
type Options struct {
	NX, NY int     // cells, default 64
	Width  float64 // m, along x and y, default 10 mm
	Depth  float64
	H      float64 // W/(m2 K) on the top face, default 10000
	Sub    int     // cells along z of the layers above 50 um, default 1
	Bulk   float64 // m, bulk silicon of both dies, default 10 um in the logic and 200 um in the memory
	Layers int     // how many are kept, from the bottom; the top face is that of the last. Default 10
	Power  float64 // W in both FEOL layers together, default 36; the logic has five sixths
}

// Material indices of the stack.
const (
	silicon = iota
	beol
	bond
	tim
	copper
	mold
)

// Stack10 is the 10-layer memory-on-logic stack with power in both FEOL layers: a background, two large blocks and a
// small hot one.
func Stack10(o Options) *stack.Stack {
	o = o.withDefaults()
	s := &stack.Stack{
		Schema: 1, Title: "10 layers", Ambient: 300,
		Size: [2]float64{o.Width, o.Depth},
		Grid: stack.Grid{X: stack.Axis{Cells: o.NX}, Y: stack.Axis{Cells: o.NY}},
		Materials: []stack.Material{
			silicon: isotropic("silicon", 130, 1.63e6),
			beol:    isotropic("beol", 2.25, 2.2e6),
			bond:    isotropic("bond", 5, 2.2e6),
			tim:     isotropic("tim", 4, 2e6),
			copper:  isotropic("copper", 400, 3.4e6),
			mold:    isotropic("mould", 0.8, 1.7e6),
		},
	}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: o.H, Temperature: 300}
	names := []string{"logic_bulk", "logic_feol", "logic_beol", "hybrid_bond", "memory_beol", "memory_feol",
		"memory_bulk", "tim", "spreader", "sink"}
	um := []float64{10, 2, 10, 2, 10, 2, 200, 100, 400, 1000}
	material := []int{silicon, silicon, beol, bond, beol, silicon, silicon, tim, copper, copper}
	for l, name := range names {
		layer := stack.Layer{Name: name, Material: material[l], Thickness: um[l] * 1e-6, Cells: 1}
		if um[l] > 50 {
			layer.Cells = o.Sub
		}
		s.Layers = append(s.Layers, layer)
	}
	s.Layers[1].Powers = powers(s, o.Power*5/6)
	s.Layers[5].Powers = powers(s, o.Power/6)
	if o.Bulk > 0 {
		s.Layers[0].Thickness, s.Layers[6].Thickness = o.Bulk, o.Bulk
	}
	s.Layers = s.Layers[:o.Layers]
	return s
}

func (o Options) withDefaults() Options {
	if o.NX == 0 {
		o.NX = 64
	}
	if o.NY == 0 {
		o.NY = o.NX
	}
	if o.Width == 0 {
		o.Width = 10e-3
	}
	if o.Depth == 0 {
		o.Depth = o.Width
	}
	if o.H == 0 {
		o.H = 10000
	}
	if o.Sub == 0 {
		o.Sub = 1
	}
	if o.Layers == 0 {
		o.Layers = 10
	}
	if o.Power == 0 {
		o.Power = 36
	}
	return o
}

func isotropic(name string, k, c float64) stack.Material {
	return stack.Material{Name: name, K: [3]float64{k, k, k}, C: c}
}

// Slab is n layers of alternating silicon and underfill-like material, 1 mm in total, with power at the bottom and h on
// the top.
func Slab(o Options, n int) *stack.Stack {
	o = o.withDefaults()
	s := Stack10(o)
	s.Layers = nil
	for l := range n {
		s.Layers = append(s.Layers, stack.Layer{
			Name: fmt.Sprintf("layer%d", l), Material: []int{silicon, tim}[l%2], Thickness: 1e-3 / float64(n), Cells: 1,
		})
	}
	s.Layers[0].Powers = powers(s, 30)
	return s
}

// powers spreads watts: 20 % evenly, the rest over three blocks that no grid line respects.
func powers(s *stack.Stack, watts float64) []stack.Power {
	w, d := s.Size[0], s.Size[1]
	block := func(name string, x, y, width, height, share float64) stack.Block {
		return stack.Block{Name: name, Rects: []stack.Rect{{X: x * w, Y: y * d, Width: width * w, Height: height * d}},
			Watts: share * watts}
	}
	return []stack.Power{
		{Uniform: 0.2 * watts, Area: s.Domain()},
		{Area: s.Domain(), Blocks: []stack.Block{
			block("wide", 0.51, 0.53, 0.37, 0.41, 0.4),
			block("tall", 0.21, 0.57, 0.09, 0.17, 0.3),
			block("hot", 0.703, 0.201, 0.023, 0.019, 0.1),
		}},
	}
}

// PowerSteps scales all powers in time: 0.2, 1, 1, 0.5 and 0.5 for 10 ms each.
func PowerSteps(s *stack.Stack) *stack.Stack {
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			s.Layers[l].Powers[p].Schedule = []stack.ScalePoint{
				{Time: 0, Factor: 0.2}, {Time: 10e-3, Factor: 1}, {Time: 30e-3, Factor: 0.5},
			}
		}
	}
	return s
}

// Interposer turns the layers below the TIM into two dies of different size in mold compound.
func Interposer(s *stack.Stack) *stack.Stack {
	w, d := s.Size[0], s.Size[1]
	dies := []stack.Rect{
		{X: 0.1 * w, Y: 0.2 * d, Width: 0.35 * w, Height: 0.6 * d},
		{X: 0.55 * w, Y: 0.3 * d, Width: 0.35 * w, Height: 0.4 * d},
	}
	for l := range 7 {
		layer := &s.Layers[l]
		for _, r := range dies {
			layer.Regions = append(layer.Regions, stack.Region{Material: layer.Material, Rect: r})
		}
		layer.Material = mold
	}
	return s
}

// Pillars puts copper pillars, two cells wide and eight apart, into the layers between the dies.
func Pillars(s *stack.Stack) *stack.Stack {
	dx := s.Size[0] / float64(s.Grid.X.Cells)
	dy := s.Size[1] / float64(s.Grid.Y.Cells)
	for l := 2; l <= 4; l++ {
		for j := 0; j+2 <= s.Grid.Y.Cells; j += 8 {
			for i := 0; i+2 <= s.Grid.X.Cells; i += 8 {
				r := stack.Rect{X: float64(i) * dx, Y: float64(j) * dy, Width: 2 * dx, Height: 2 * dy}
				s.Layers[l].Regions = append(s.Layers[l].Regions, stack.Region{Material: copper, Rect: r})
			}
		}
	}
	return s
}

// Random gives every cell of every layer another conductivity, up to a factor of 10 above or below the layer's. It
// draws from a palette of 64 steps and takes one region per cell, so it is for small grids.
func Random(s *stack.Stack, seed uint64) *stack.Stack {
	const steps = 64
	rng := rand.New(rand.NewPCG(seed, 1))
	dx := s.Size[0] / float64(s.Grid.X.Cells)
	dy := s.Size[1] / float64(s.Grid.Y.Cells)
	for l := range s.Layers {
		base := s.Materials[s.Layers[l].Material]
		first := len(s.Materials)
		for n := range steps {
			f := math.Pow(10, 2*float64(n)/(steps-1)-1)
			s.Materials = append(s.Materials, isotropic(base.Name, base.K[0]*f, base.C))
		}
		for j := range s.Grid.Y.Cells {
			for i := range s.Grid.X.Cells {
				r := stack.Rect{X: float64(i) * dx, Y: float64(j) * dy, Width: dx, Height: dy}
				s.Layers[l].Regions = append(s.Layers[l].Regions,
					stack.Region{Material: first + rng.IntN(steps), Rect: r})
			}
		}
	}
	return s
}

// Crossed is a single layer, tiled like a chessboard by two materials that conduct ratio times better along x than
// along y and the other way round, cooled from the west: no coarsening in rectangles suits it.
func Crossed(n, tiles int, ratio float64) *stack.Stack {
	s := Stack10(Options{NX: n})
	s.Layers = s.Layers[:1]
	s.Layers[0].Powers = []stack.Power{{Uniform: 1, Area: s.Domain()}}
	s.Boundary[stack.Top], s.Boundary[stack.West] = stack.Boundary{}, s.Boundary[stack.Top]
	s.Materials[silicon].K = [3]float64{400, 400 / ratio, 100}
	s.Materials[beol].K = [3]float64{400 / ratio, 400, 100}
	side := s.Size[0] / float64(tiles)
	for j := range tiles {
		for i := j % 2; i < tiles; i += 2 {
			r := stack.Rect{X: float64(i) * side, Y: float64(j) * side, Width: side, Height: side}
			s.Layers[0].Regions = append(s.Layers[0].Regions, stack.Region{Material: beol, Rect: r})
		}
	}
	return s
}

// Graded refines the grid towards the hot block: the outer cells are ratio times as large as the inner.
func Graded(s *stack.Stack, ratio float64) *stack.Stack {
	axis := func(n int, size float64) stack.Axis {
		a := n / 2
		return stack.Axis{Cells: n, Segments: []stack.Segment{
			{To: 0.7 * size, Cells: a, Ratio: 1 / ratio}, {To: size, Cells: n - a, Ratio: ratio},
		}}
	}
	s.Grid.X = axis(s.Grid.X.Cells, s.Size[0])
	s.Grid.Y = axis(s.Grid.Y.Cells, s.Size[1])
	return s
}
