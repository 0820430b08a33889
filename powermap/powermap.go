// Package powermap maps power to a grid. Every source is rasterized by exact area overlap, so the mapped power equals
// the requested power to rounding on any grid. Temperatures do not matter here.
package powermap

import (
	"fmt"
	"iter"
	"math"

	"thermsim/stack"
)

// Grid is the lateral grid: face coordinates in m, ascending, one more than cells in each direction.
type Grid struct{ X, Y []float64 }

// NX is the number of cells along x.
func (g Grid) NX() int { return len(g.X) - 1 }

// NY is the number of cells along y.
func (g Grid) NY() int { return len(g.Y) - 1 }

// Map is the power of a stack on a grid.
type Map struct {
	Grid Grid
	// Layers are the layers with sources, bottom to top.
	Layers []LayerMap
	// Requested is the steady power of all sources in W; Mapped the power on the grid.
	Requested, Mapped float64

	stack  *stack.Stack
	inputs int // values of the strengths of all sources
}

// LayerMap is the power of one layer.
type LayerMap struct {
	Layer  int     // index into Stack.Layers
	Mapped float64 // W on the grid in a steady state

	grid    Grid
	sources []source
	drawn   *steadyPlane
}

// conservation is the largest relative difference between requested and mapped power that counts as rounding of a few
// terms. Each term adds half a unit in the last place at most (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., eq. 4.4).
const conservation = 1e-12

// checkConserved compares the requested power with that on the grid, a sum of at most the given number of terms in each
// cell.
func checkConserved(requested, mapped, magnitude float64, terms int) error {
	if d := math.Abs(requested - mapped); !(d <= (conservation+epsilon/2*float64(terms))*magnitude) {
		return fmt.Errorf("power map: %g W were requested but %g W arrived on the grid; please report this "+
			"stack as a bug", requested, mapped)
	}
	return nil
}

// New rasterizes every source of a valid stack onto g, which covers its domain. It lists layers without steady power
// too, as they may have a trace.
func New(s *stack.Stack, g Grid) (*Map, error) {
	m := &Map{Grid: g, stack: s}
	var requested, mapped, magnitude Sum
	terms := 0
	for l := range s.Layers {
		layer := &s.Layers[l]
		if len(layer.Powers) == 0 {
			continue
		}
		lm := LayerMap{Layer: l, grid: g, drawn: new(steadyPlane)}
		for i := range layer.Powers {
			src := newSource(s, &layer.Powers[i])
			src.outline(g)
			src.first = m.inputs
			m.inputs += len(src.steady)
			requested.Add(src.total(src.steady))
			magnitude.Add(src.magnitude())
			terms += src.terms()
			lm.sources = append(lm.sources, src)
		}
		lm.Mapped = lm.mapped()
		mapped.Add(lm.Mapped)
		m.Layers = append(m.Layers, lm)
	}
	m.Requested, m.Mapped = requested.Value(), mapped.Value()
	if err := checkConserved(m.Requested, m.Mapped, magnitude.Value(), terms); err != nil {
		return nil, err
	}
	return m, nil
}

// sources visits the sources of all layers in order.
func (m *Map) sources() iter.Seq[*source] {
	return func(visit func(*source) bool) {
		for i := range m.Layers {
			for k := range m.Layers[i].sources {
				if !visit(&m.Layers[i].sources[k]) {
					return
				}
			}
		}
	}
}

// find is the source of p, nil if there is none.
func (m *Map) find(p *stack.Power) *source {
	for s := range m.sources() {
		if s.power == p {
			return s
		}
	}
	return nil
}

// inputWatts is the power in W of every block, uniform power and power map at given strengths of the sources.
func (m *Map) inputWatts(strength func(*source) []float64) []float64 {
	all := make([]float64, 0, m.inputs)
	for s := range m.sources() {
		if v := strength(s); s.power.Map != nil {
			all = append(all, s.total(v))
		} else {
			all = append(all, v...)
		}
	}
	return all
}

// outlines are those of all layers, with a plane for each power map, times a factor.
func (m *Map) outlines(factor func(*source) float64) []*Outline {
	all := make([]*Outline, len(m.Layers))
	for i := range m.Layers {
		l := &m.Layers[i]
		all[i] = &Outline{Layer: l.Layer}
		for k := range l.sources {
			if s := &l.sources[k]; s.power.Map == nil {
				all[i].Footprints = append(all[i].Footprints, s.footprints...)
			} else {
				all[i].Planes = append(all[i].Planes, l.plane(s, factor(s)))
			}
		}
	}
	return all
}

// plane is a power map times a factor, in W per cell.
func (l *LayerMap) plane(s *source, factor float64) []float64 {
	if len(l.sources) == 1 && factor == 1 {
		return l.Watts()
	}
	plane := make([]float64, l.cells())
	s.draw(l.grid, []float64{factor}, 0, l.grid.NY(), plane)
	return plane
}

// drawings are the powers of all layers in such outlines, at given strengths of the sources.
func (m *Map) drawings(outlines []*Outline, strength func(*source) []float64) []Drawing {
	all := make([]Drawing, len(m.Layers))
	for i := range m.Layers {
		all[i] = Drawing{Outline: outlines[i]}
		for k := range m.Layers[i].sources {
			all[i].add(&m.Layers[i].sources[k], strength)
		}
	}
	return all
}

// add adds a source to a drawing.
func (d *Drawing) add(s *source, strength func(*source) []float64) {
	if v := strength(s); s.power.Map == nil {
		d.Watts = s.footprintWatts(v, d.Watts)
	} else {
		d.Factors = append(d.Factors, v[0])
	}
}
