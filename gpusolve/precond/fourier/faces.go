package fourier

import (
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// Faces are the conditions on the six faces of a mesh's stack.
type Faces struct {
	l     *Layered
	sides [stack.NumFaces]side
	areas [2][]float64 // widths of the cells along x and y over their mean
}

// side is the condition on one face, whose cells lie in the planes from first on.
type side struct {
	first  int
	g      []float64 // conductances of a mean cell to the face's temperature, by plane; nil without one
	rise   float64   // of that temperature over the ambient
	watts  []float64 // driven into a mean cell, by plane; nil without a flux
	wx, wy []float64 // areas of the cells on the face over that of a mean cell, and 0 elsewhere
}

// NewFaces of a mesh and its operator.
func NewFaces(m *mesh.Mesh, l *Layered) *Faces {
	x, y := l.axes()
	f := &Faces{l: l, areas: [2][]float64{x.weights(), y.weights()}}
	for face := range stack.Face(stack.NumFaces) {
		f.sides[face] = f.sideOf(m, face)
	}
	return f
}

func (f *Faces) sideOf(m *mesh.Mesh, face stack.Face) side {
	l, b := f.l, &m.Stack.Boundary[face]
	s := side{rise: b.Temperature - m.Stack.Ambient, wx: f.areas[0], wy: f.areas[1]}
	one := func(n, at int) []float64 {
		w := make([]float64, n)
		w[at] = 1
		return w
	}
	x, y := l.axes()
	cx, cy := x.couplings(), y.couplings()
	switch face {
	case stack.Bottom:
		s.g = l.GZ[:1]
	case stack.Top:
		s.first, s.g = l.NZ-1, l.GZ[l.NZ:]
	case stack.West:
		s.g, s.wx = times(cx[0], l.GX), one(l.NX, 0)
	case stack.East:
		s.g, s.wx = times(cx[l.NX], l.GX), one(l.NX, l.NX-1)
	case stack.South:
		s.g, s.wy = times(cy[0], l.GY), one(l.NY, 0)
	case stack.North:
		s.g, s.wy = times(cy[l.NY], l.GY), one(l.NY, l.NY-1)
	}
	if flux := b.Inflow(); flux != 0 {
		share := 1.0 // that the corner cell has of a mean cell's area
		for axis, w := range f.areas {
			if face.Across() != axis {
				share *= w[0]
			}
		}
		for k := range s.g {
			s.watts = append(s.watts, flux*m.CellFaceArea(face, 0, 0, s.first+k)/share)
		}
	}
	if _, ok := m.FaceResistance(face); !ok {
		s.g = nil
	}
	return s
}

func times(c float64, g []float64) []float64 {
	v := make([]float64, len(g))
	for k := range g {
		v[k] = c * g[k]
	}
	return v
}

// HighestRise is that of the warmest temperature that the stack is tied to, in K over the ambient.
func (f *Faces) HighestRise() float64 {
	top, found := 0.0, false
	for _, s := range f.sides {
		if s.g != nil && (!found || s.rise > top) {
			top, found = s.rise, true
		}
	}
	return top
}

// Loads are what temperatures and fluxes bring into a stack at ambient temperature.
func (f *Faces) Loads() []Load {
	var loads []Load
	for _, s := range f.sides {
		if s.watts != nil {
			loads = append(loads, s.load(s.watts))
		}
		if s.g == nil || s.rise == 0 {
			continue
		}
		watts := make([]float64, len(s.g))
		for k := range s.g {
			watts[k] = s.g[k] * s.rise
		}
		loads = append(loads, s.load(watts))
	}
	return loads
}

// load puts heat into each cell of a face, by plane, in W.
func (s *side) load(watts []float64) Load {
	outline := &powermap.Outline{Footprints: []powermap.Footprint{{X: s.wx, Y: s.wy}}}
	return Load{Drawing: powermap.Drawing{Outline: outline, Watts: []float64{1}}, First: s.first, Shares: watts}
}

// Powered marks the planes that fluxes drive heat into.
func (f *Faces) Powered(planes []bool) {
	for _, s := range f.sides {
		for n, w := range s.watts {
			planes[s.first+n] = planes[s.first+n] || w > 0
		}
	}
}

// Heat is what leaves a state through each face in W; a nil state is that at ambient temperature.
func (f *Faces) Heat(e Operations, x Modes) (heat [6]float64) {
	for face, s := range f.sides {
		cells := total(s.wx) * total(s.wy)
		for _, w := range s.watts {
			heat[face] -= w * cells
		}
		for n, v := range s.g {
			sum := 0.0
			if x != nil {
				sum = e.Sum(x, s.first+n, s.wx, s.wy)
			}
			heat[face] += v * (sum - cells*s.rise)
		}
	}
	return heat
}

// Content is C/dt times the rise in W, summed over all cells.
func (f *Faces) Content(e Operations, x Modes) float64 {
	sum := 0.0
	for k, c := range f.l.Capacity {
		sum += c * e.Sum(x, k, f.areas[0], f.areas[1])
	}
	return sum
}

func total(v []float64) float64 {
	sum := 0.0
	for _, w := range v {
		sum += w
	}
	return sum
}
