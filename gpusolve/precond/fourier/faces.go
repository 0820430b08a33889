package fourier

import (
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// Faces are the conditions on the six faces of a mesh's stack.
type Faces struct {
	m    *mesh.Mesh
	l    *Layered
	ones [2][]float64 // weights along x and y
}

// NewFaces of a mesh and its operator.
func NewFaces(m *mesh.Mesh, l *Layered) *Faces {
	f := &Faces{m: m, l: l}
	for a, n := range []int{l.NX, l.NY} {
		for range n {
			f.ones[a] = append(f.ones[a], 1)
		}
	}
	return f
}

// rise of a face's temperature over the ambient.
func (f *Faces) rise(face stack.Face) float64 {
	return f.m.Stack.Boundary[face].Temperature - f.m.Stack.Ambient
}

// HighestRise is that of the warmest temperature that the stack is tied to, in K over the ambient.
func (f *Faces) HighestRise() float64 {
	top, found := 0.0, false
	for face := range stack.Face(stack.NumFaces) {
		if _, ok := f.m.FaceResistance(face); ok && (!found || f.rise(face) > top) {
			top, found = f.rise(face), true
		}
	}
	return top
}

// conductances of a face's cells to its temperature, by plane.
func (f *Faces) conductances(face stack.Face) (first int, g []float64) {
	if _, ok := f.m.FaceResistance(face); !ok {
		return 0, nil
	}
	switch face {
	case stack.Bottom:
		return 0, f.l.GZ[:1]
	case stack.Top:
		return f.l.NZ - 1, f.l.GZ[f.l.NZ:]
	case stack.West, stack.East:
		g = f.l.GX
	default:
		g = f.l.GY
	}
	twice := make([]float64, len(g))
	for k, v := range g {
		twice[k] = 2 * v
	}
	return 0, twice
}

// weights are 1 on the cells of a face in the planes that it has cells in.
func (f *Faces) weights(face stack.Face) (wx, wy []float64) {
	wx, wy = f.ones[0], f.ones[1]
	one := func(n, at int) []float64 {
		w := make([]float64, n)
		w[at] = 1
		return w
	}
	switch face {
	case stack.West:
		wx = one(f.l.NX, 0)
	case stack.East:
		wx = one(f.l.NX, f.l.NX-1)
	case stack.South:
		wy = one(f.l.NY, 0)
	case stack.North:
		wy = one(f.l.NY, f.l.NY-1)
	}
	return wx, wy
}

// flux is the heat in W that is driven into each cell of a face, by plane.
func (f *Faces) flux(face stack.Face) (first int, watts []float64) {
	b := &f.m.Stack.Boundary[face]
	if b.Kind != stack.HeatFlux || b.Flux == 0 {
		return 0, nil
	}
	switch face {
	case stack.Bottom:
		return 0, []float64{b.Flux * f.m.CellFaceArea(face, 0, 0, 0)}
	case stack.Top:
		return f.l.NZ - 1, []float64{b.Flux * f.m.CellFaceArea(face, 0, 0, f.l.NZ-1)}
	}
	for k := range f.l.NZ {
		watts = append(watts, b.Flux*f.m.CellFaceArea(face, 0, 0, k))
	}
	return 0, watts
}

// Loads are what temperatures and fluxes bring into a stack at ambient temperature.
func (f *Faces) Loads() []Load {
	var loads []Load
	for face := range stack.Face(stack.NumFaces) {
		if first, watts := f.flux(face); watts != nil {
			loads = append(loads, f.load(face, first, watts))
		}
		first, g := f.conductances(face)
		if g == nil || f.rise(face) == 0 {
			continue
		}
		watts := make([]float64, len(g))
		for k := range g {
			watts[k] = g[k] * f.rise(face)
		}
		loads = append(loads, f.load(face, first, watts))
	}
	return loads
}

// load puts so many W into each cell of a face, by plane.
func (f *Faces) load(face stack.Face, first int, watts []float64) Load {
	wx, wy := f.weights(face)
	outline := &powermap.Outline{Footprints: []powermap.Footprint{{X: wx, Y: wy}}}
	return Load{Drawing: powermap.Drawing{Outline: outline, Watts: []float64{1}}, First: first, Shares: watts}
}

// Powered marks the planes that fluxes drive heat into.
func (f *Faces) Powered(planes []bool) {
	for face := range stack.Face(stack.NumFaces) {
		first, watts := f.flux(face)
		for n, w := range watts {
			planes[first+n] = planes[first+n] || w > 0
		}
	}
}

// Heat is what leaves a state through each face in W; a nil state is that at ambient temperature.
func (f *Faces) Heat(e Operations, x Modes) (heat [6]float64) {
	for face := range stack.Face(stack.NumFaces) {
		wx, wy := f.weights(face)
		cells := total(wx) * total(wy)
		_, watts := f.flux(face)
		for _, w := range watts {
			heat[face] -= w * cells
		}
		first, g := f.conductances(face)
		for n, v := range g {
			sum := 0.0
			if x != nil {
				sum = e.Sum(x, first+n, wx, wy)
			}
			heat[face] += v * (sum - cells*f.rise(face))
		}
	}
	return heat
}

// Content is C/dt times the rise in W, summed over all cells.
func (f *Faces) Content(e Operations, x Modes) float64 {
	sum := 0.0
	for k, c := range f.l.Capacity {
		sum += c * e.Sum(x, k, f.ones[0], f.ones[1])
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
