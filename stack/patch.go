package stack

import (
	"slices"

	"thermsim/stack/geometry"
)

// Patch is a part of a face with a condition of its own. Later patches of a face lie over earlier ones.
type Patch struct {
	Name string // for reports; unique on the face
	// Boundary has constants alone, and no patches. Its Resistance is that of what is seen of the patch.
	Boundary
	Rects []Rect         // in the face's coordinates, see [Stack.FaceSize]; empty where Shape is given
	Shape geometry.Shape // nil where Rects are given
	Map   *FilmMap       // of the coefficient, in place of H
}

// FilmMap is a heat transfer coefficient by place: tiles that divide the one rectangle of a patch evenly, in W/(m2 K),
// the row of the lowest coordinate first. A tile of 0 is adiabatic.
type FilmMap struct {
	NX, NY int
	Values []float64
	File   string // empty for maps in the stack file
}

// FaceSize is the extent of a face in m along its coordinates: x and y on bottom and top, y and z on west and east, x
// and z on south and north.
func (s *Stack) FaceSize(f Face) [2]float64 {
	switch f {
	case Bottom, Top:
		return s.Size
	case West, East:
		return [2]float64{s.Size[1], s.Height()}
	}
	return [2]float64{s.Size[0], s.Height()}
}

// bands are the parts of a side beside the layers that are wanted, one rectangle for neighbours; wanted is given the
// height of a layer's middle too.
func (s *Stack) bands(width float64, wanted func(y *Layer, middle float64) bool) (bands []Rect) {
	z, open := 0.0, false
	for i := range s.Layers {
		y := &s.Layers[i]
		in := wanted(y, z+y.Thickness/2)
		switch {
		case in && open:
			bands[len(bands)-1].Height = z + y.Thickness - bands[len(bands)-1].Y
		case in:
			bands = append(bands, Rect{0, z, width, y.Thickness})
		}
		open = in
		z += y.Thickness
	}
	return bands
}

// besideAny says whether a height lies in one of the rectangles of a side.
func besideAny(bands []Rect, z float64) bool {
	return slices.ContainsFunc(bands, func(r Rect) bool { return z > r.Y && z < r.Y+r.Height })
}

// FaceAxes are the names of a face's coordinates.
func FaceAxes(f Face) [2]string {
	switch f {
	case Bottom, Top:
		return [2]string{"x", "y"}
	case West, East:
		return [2]string{"y", "z"}
	}
	return [2]string{"x", "z"}
}

// Driven says whether the condition ties the surface to Temperature.
func (b *Boundary) Driven() bool { return b.Kind != Adiabatic && b.Kind != HeatFlux }

// Conditions are all those of a face: its own and those of its patches.
func (b *Boundary) Conditions() []*Boundary {
	all := []*Boundary{b}
	for i := range b.Patches {
		all = append(all, &b.Patches[i].Boundary)
	}
	return all
}

// ClonePatches gives the boundary patches of its own, which may be changed without changing those of whom it was copied
// from.
func (b *Boundary) ClonePatches() { b.Patches = slices.Clone(b.Patches) }

// Scaled is the map with all its coefficients multiplied.
func (m *FilmMap) Scaled(factor float64) *FilmMap {
	other := *m
	other.Values = slices.Clone(m.Values)
	for i := range other.Values {
		other.Values[i] *= factor
	}
	return &other
}

// Mean coefficient of the map in W/(m2 K).
func (m *FilmMap) Mean() float64 {
	sum := 0.0
	for _, h := range m.Values {
		sum += h
	}
	return sum / float64(len(m.Values))
}

// Patched says whether any face has patches.
func (s *Stack) Patched() bool {
	return slices.ContainsFunc(s.Boundary[:], func(b Boundary) bool { return len(b.Patches) > 0 })
}
