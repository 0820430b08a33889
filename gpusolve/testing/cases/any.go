package cases

import (
	"fmt"
	"math"
	"math/rand/v2"

	"thermsim/stack"
)

// Any draws a stack at random: layers, materials, regions, blocks, cooling of every kind, up to a few thousand cells.
// Every second seed is extreme: anisotropic materials, contrasts up to 1e6, cells and layers of any shape, contact
// resistances, graded grids.
func Any(seed uint64) *stack.Stack {
	d := &dice{rand.New(rand.NewPCG(seed, 21)), seed%2 == 1}
	width := d.among(1e-3, 30e-3, 1e-4, 1e-1)
	depth := width * d.among(0.5, 2, 0.02, 50)
	s := &stack.Stack{
		Schema: 1, Title: fmt.Sprintf("random stack %d", seed), Ambient: 300, Size: [2]float64{width, depth},
		Grid: stack.Grid{X: d.axis(width), Y: d.axis(depth)},
	}
	for m := range 3 + d.IntN(3) {
		s.Materials = append(s.Materials, d.material(m))
	}
	layers, cells := 1+d.IntN(7), 0
	for l := range layers {
		s.Layers = append(s.Layers, d.layer(s, l))
		cells += s.Layers[l].Planes()
	}
	for f := range s.Boundary {
		if d.Float64() < 0.35 {
			s.Boundary[f] = d.face(s)
		}
	}
	if !grounded(s) {
		face := stack.Top
		if d.extreme {
			face = stack.Face(d.IntN(stack.NumFaces))
		}
		for !s.Boundary[face].Driven() {
			s.Boundary[face] = d.face(s)
		}
	}
	return s
}

func grounded(s *stack.Stack) bool {
	low, high, _ := s.References()
	return low <= high
}

// dice draws figures.
type dice struct {
	*rand.Rand
	extreme bool
}

// log draws from lo to hi, evenly in the logarithm.
func (d *dice) log(lo, hi float64) float64 { return lo * math.Pow(hi/lo, d.Float64()) }

// among draws from the first two bounds, or from the last two in extreme stacks.
func (d *dice) among(lo, hi, least, most float64) float64 {
	if d.extreme {
		lo, hi = least, most
	}
	return d.log(lo, hi)
}

func (d *dice) axis(length float64) stack.Axis {
	a := stack.Axis{Cells: int(d.log(1, 25))}
	if d.extreme && a.Cells > 3 && d.Float64() < 0.3 {
		first := 1 + d.IntN(a.Cells-2)
		a.Segments = []stack.Segment{
			{To: length * (0.2 + 0.6*d.Float64()), Cells: first, Ratio: d.log(0.05, 20)},
			{To: length, Cells: a.Cells - first, Ratio: d.log(0.05, 20)},
		}
	}
	return a
}

func (d *dice) material(n int) stack.Material {
	k := d.among(0.2, 400, 0.02, 2000)
	m := stack.Material{Name: fmt.Sprintf("m%d", n), K: [3]float64{k, k, k}, C: 2e6}
	if d.extreme && d.Float64() < 0.4 {
		for i := range m.K {
			m.K[i] = d.log(0.02, 2000)
		}
	}
	return m
}

func (d *dice) layer(s *stack.Stack, n int) stack.Layer {
	l := stack.Layer{Name: fmt.Sprintf("l%d", n), Material: d.IntN(len(s.Materials)),
		Thickness: d.among(1e-6, 1e-3, 1e-7, 5e-3), Cells: 1}
	if d.Float64() < 0.4 {
		l.Cells = 1 + d.IntN(4)
	}
	if d.extreme && d.Float64() < 0.2 {
		l.ContactResistance = d.log(1e-8, 1e-2)
	}
	for range d.IntN(4) {
		l.Regions = append(l.Regions, stack.Region{Material: d.IntN(len(s.Materials)), Rect: d.rect(s)})
	}
	if n == 0 || d.Float64() < 0.3 {
		l.Powers = []stack.Power{{Area: s.Domain(), AllowOverlap: true}}
		for b := range 1 + d.IntN(3) {
			l.Powers[0].Blocks = append(l.Powers[0].Blocks, stack.Block{
				Name: fmt.Sprintf("b%d", b), Rects: []stack.Rect{d.rect(s)}, Watts: d.among(0.01, 10, 1e-4, 10),
			})
		}
	}
	return l
}

func (d *dice) rect(s *stack.Stack) stack.Rect {
	w, h := s.Size[0]*(0.05+0.6*d.Float64()), s.Size[1]*(0.05+0.6*d.Float64())
	return stack.Rect{X: (s.Size[0] - w) * d.Float64(), Y: (s.Size[1] - h) * d.Float64(), Width: w, Height: h}
}

func (d *dice) face(s *stack.Stack) stack.Boundary {
	t := 260 + 120*d.Float64()
	switch d.IntN(5) {
	case 0, 1:
		return stack.Boundary{Kind: stack.Convective, H: d.among(10, 1e5, 0.1, 1e7), Temperature: t}
	case 2:
		return stack.Boundary{Kind: stack.FixedTemperature, Temperature: t}
	case 3:
		return stack.Boundary{Kind: stack.LumpedResistance, Resistance: d.among(0.1, 10, 1e-3, 1e3), Temperature: t}
	}
	return stack.Boundary{Kind: stack.HeatFlux, Flux: d.among(10, 1e4, 1, 1e5)}
}
