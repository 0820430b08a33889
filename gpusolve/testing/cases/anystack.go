package cases

import (
	"fmt"
	"math"
	"math/rand/v2"

	"thermsim/stack"
)

// AnyStack draws a small plausible stack: 1 to 30 mm wide, one to five layers of 1 um to 2 mm, k from 0.2 to 400 W/(m
// K) with or without anisotropy. It has regions whose edges cut cells, contact resistances, every kind of cooling and
// of power, and 1 to 24 cells along x and y, even or graded. The same seed and number give the same stack. One face at
// least leads heat to a temperature.
func AnyStack(seed, number uint64) *stack.Stack {
	s := Drawn(rand.New(rand.NewPCG(seed, number)))
	s.Title = fmt.Sprintf("random %d/%d", seed, number)
	return s
}

// Drawn is AnyStack by the figures of r.
func Drawn(r *rand.Rand) *stack.Stack {
	d := drawing{r, &stack.Stack{Schema: 1, Ambient: 300}}
	s := d.s
	s.Size = [2]float64{d.log(1e-3, 30e-3), d.log(1e-3, 30e-3)}
	s.Grid = stack.Grid{X: d.axis(s.Size[0]), Y: d.axis(s.Size[1])}
	for m := range 1 + d.IntN(4) {
		s.Materials = append(s.Materials, d.material(m))
	}
	layers := 1 + d.IntN(5)
	for l := range layers {
		s.Layers = append(s.Layers, d.layer(l, l == layers-1))
	}
	grounded := d.IntN(stack.NumFaces)
	for f := range s.Boundary {
		s.Boundary[f] = d.boundary(f == grounded)
	}
	return s
}

// drawing is a stack in the making.
type drawing struct {
	*rand.Rand
	s *stack.Stack
}

// log draws from [lo, hi], evenly in the logarithm.
func (d *drawing) log(lo, hi float64) float64 { return lo * math.Exp(d.Float64()*math.Log(hi/lo)) }

func (d *drawing) often(share float64) bool { return d.Float64() < share }

func (d *drawing) axis(length float64) stack.Axis {
	a := stack.Axis{Cells: 1 + d.IntN(24)}
	if a.Cells > 1 && d.often(0.25) {
		first := 1 + d.IntN(a.Cells-1)
		a.Segments = []stack.Segment{
			{To: length * (0.2 + 0.6*d.Float64()), Cells: first, Ratio: d.log(0.1, 10)},
			{To: length, Cells: a.Cells - first, Ratio: d.log(0.1, 10)},
		}
	}
	return a
}

func (d *drawing) material(number int) stack.Material {
	m := isotropic(fmt.Sprint("m", number), d.log(0.2, 400), d.log(1e6, 4e6))
	if d.often(0.4) {
		for axis := range m.K {
			m.K[axis] = d.log(0.2, 400)
		}
	}
	return m
}

func (d *drawing) layer(number int, last bool) stack.Layer {
	l := stack.Layer{
		Name:      fmt.Sprint("l", number),
		Material:  d.IntN(len(d.s.Materials)),
		Thickness: d.log(1e-6, 2e-3),
		Cells:     1 + d.IntN(2),
	}
	if !last && d.often(0.3) {
		l.ContactResistance = d.log(1e-8, 1e-4)
	}
	for range d.IntN(4) {
		l.Regions = append(l.Regions, stack.Region{Material: d.IntN(len(d.s.Materials)), Rect: d.rect()})
	}
	if number == 0 || d.often(0.5) {
		l.Powers = append(l.Powers, d.power())
	}
	return l
}

// rect lies anywhere in the domain; its edges respect no grid line.
func (d *drawing) rect() stack.Rect {
	r := stack.Rect{Width: d.s.Size[0] * d.log(0.05, 1), Height: d.s.Size[1] * d.log(0.05, 1)}
	r.X, r.Y = (d.s.Size[0]-r.Width)*d.Float64(), (d.s.Size[1]-r.Height)*d.Float64()
	return r
}

func (d *drawing) power() stack.Power {
	watts := d.log(1e-3, 10)
	switch d.IntN(3) {
	case 0:
		return stack.Power{Uniform: watts, Area: d.rect()}
	case 1:
		p := &stack.PowerMap{NX: 1 + d.IntN(4), NY: 1 + d.IntN(4)}
		for range p.NX * p.NY {
			p.Values = append(p.Values, watts*d.Float64())
		}
		return stack.Power{Map: p, Area: d.rect()}
	}
	p := stack.Power{Area: d.s.Domain(), AllowOverlap: true}
	for b := range 1 + d.IntN(3) {
		p.Blocks = append(p.Blocks, stack.Block{Name: fmt.Sprint("b", b), Rects: []stack.Rect{d.rect()}, Watts: watts})
	}
	return p
}

// boundary draws the condition on a face; one that is grounded leads heat to a temperature.
func (d *drawing) boundary(grounded bool) stack.Boundary {
	b := stack.Boundary{Temperature: d.s.Ambient}
	if d.often(0.3) {
		b.Temperature += 50 * (d.Float64() - 0.5)
	}
	kinds := []stack.BoundaryKind{stack.Convective, stack.FixedTemperature, stack.LumpedResistance, stack.HeatFlux,
		stack.Adiabatic, stack.Adiabatic}
	if grounded {
		kinds = kinds[:3]
	}
	b.Kind = kinds[d.IntN(len(kinds))]
	switch b.Kind {
	case stack.Convective:
		b.H = d.log(5, 1e5)
	case stack.LumpedResistance:
		b.Resistance = d.log(0.1, 100)
	case stack.HeatFlux:
		b.Flux = d.log(1, 1e4) * float64(1-2*d.IntN(2))
	}
	return b
}
