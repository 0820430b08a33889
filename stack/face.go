package stack

import (
	"fmt"
	"slices"

	"thermsim/stack/geometry"
	"thermsim/stack/heatsink"
	"thermsim/stack/internal/faults"
)

// Face is a side of the domain.
type Face int

// The faces, in the order they are reported.
const (
	Bottom   Face = iota // z = 0
	Top                  // z = height
	West                 // x = 0
	East                 // x = Size[0]
	South                // y = 0
	North                // y = Size[1]
	NumFaces = 6
)

func (f Face) String() string {
	return [...]string{"bottom", "top", "west", "east", "south", "north"}[f]
}

// BoundaryKind says how a face exchanges heat.
type BoundaryKind int

// The kinds. All but the first two are one number, see [SingleValued].
const (
	Adiabatic        BoundaryKind = iota // no heat passes
	Convective                           // H, and what follows the surface's temperature, to Temperature
	FixedTemperature                     // the surface is at Temperature
	HeatFlux                             // Flux enters
	LumpedResistance                     // Resistance for the whole face to Temperature, spread evenly over it
)

// Boundary is the condition on one face.
type Boundary struct {
	Kind        BoundaryKind
	H           float64 // W/(m2 K), Convective
	Film                // beside or in place of H
	Temperature float64 // K: the ambient of Convective and LumpedResistance, the surface of FixedTemperature
	Flux        float64 // W/m2 into the domain, HeatFlux
	Resistance  float64 // K/W, LumpedResistance
	// Patches have conditions of their own; what none of them covers keeps that of the face, and Resistance is that of
	// what they leave.
	Patches []Patch
	Pos     Pos
}

// SingleValued are the kinds of which one number is all, besides the ambient of some: the key of stack files that gives
// it and where a Boundary has it.
var SingleValued = []struct {
	Key   string
	Kind  BoundaryKind
	Value func(b *Boundary) *float64
}{
	{"temperature", FixedTemperature, func(b *Boundary) *float64 { return &b.Temperature }},
	{"flux", HeatFlux, func(b *Boundary) *float64 { return &b.Flux }},
	{"resistance", LumpedResistance, func(b *Boundary) *float64 { return &b.Resistance }},
}

// Driven says whether the condition ties the surface to Temperature.
func (b *Boundary) Driven() bool { return b.Kind != Adiabatic && b.Kind != HeatFlux }

// HasAmbient says whether the surface exchanges heat with an ambient at Temperature.
func (b *Boundary) HasAmbient() bool { return b.Driven() && b.Kind != FixedTemperature }

// Film is what makes the heat transfer coefficient of a convective face follow the temperature of its surface. Its
// parts and a constant H add, all to the boundary's Temperature.
type Film struct {
	Law        *Curve               // of the coefficient in W/(m2 K), in place of H; nil where there is none
	Natural    heatsink.Orientation `toml:"orientation,own"` // of natural convection; empty where there is none
	Length     float64              `toml:"length,own"`      // m, that natural convection refers to
	Emissivity float64              `toml:"emissivity"`      // 0 where nothing is radiated
}

// Follows says whether the coefficient follows the temperature of the surface.
func (b *Boundary) Follows() bool {
	return b.Kind == Convective && (b.Law != nil || b.Natural != "" || b.Emissivity > 0)
}

// Films are the parts that follow the temperature of the surface as curves: convection, and radiation,
//
//	h = emissivity sigma (Ts^2 + Ta^2) (Ts + Ta)
//
// which is a polynomial of the third degree. Natural convection is tabulated. nil stands for none.
func (b *Boundary) Films() (convection, radiation *Curve) {
	if !b.Follows() {
		return nil, nil
	}
	convection = b.Law
	if b.Natural != "" {
		convection = b.natural()
	}
	if a := b.Temperature; b.Emissivity > 0 {
		e := b.Emissivity * heatsink.StefanBoltzmann
		// In powers of Ts - Ta: (Ts^2 + Ta^2)(Ts + Ta) = 4 Ta^3 + 6 Ta^2 u + 4 Ta u^2 + u^3.
		radiation = &Curve{Law: PolynomialLaw, At: a,
			Coefficients: []float64{e * 4 * a * a * a, e * 6 * a * a, e * 4 * a, e}, Range: [2]float64{1, 1e4}}
	}
	return convection, radiation
}

func (b *Boundary) natural() *Curve {
	c := &Curve{Law: TableLaw}
	for _, t := range heatsink.Surfaces(b.Temperature) {
		if h, _, err := heatsink.Natural(b.Natural, t, b.Temperature, b.Length); err == nil {
			c.Temperatures, c.Values = append(c.Temperatures, t), append(c.Values, h)
		}
	}
	if n := len(c.Temperatures); n > 0 {
		c.Range = [2]float64{c.Temperatures[0], c.Temperatures[n-1]}
	}
	return c
}

// typicalRise of a surface over ambient in K, at which a single coefficient stands for one that follows.
const typicalRise = 30

// TypicalH is the heat transfer coefficient in W/(m2 K) that stands for one that follows the temperature where a single
// number must: that of a surface 30 K above ambient.
func (b *Boundary) TypicalH() float64 {
	h := b.H
	convection, radiation := b.Films()
	for _, c := range []*Curve{convection, radiation} {
		if c != nil {
			h += c.Of(b.Temperature + typicalRise)
		}
	}
	return h
}

// Means tells in words what cools a convective face.
func (b *Boundary) Means() []string {
	var list []string
	if b.H != 0 {
		list = append(list, fmt.Sprintf("h = %.4g W/(m2 K)", b.H))
	}
	if b.Law != nil {
		list = append(list, fmt.Sprintf("h as a %v of the surface temperature", b.Law.Law))
	}
	if b.Natural != "" {
		text := "natural convection, facing " + string(b.Natural)
		if b.Natural == heatsink.Vertical {
			text = "natural convection, upright"
		}
		list = append(list, fmt.Sprintf("%s, length %s", text, faults.Metres(b.Length)))
	}
	if b.Emissivity > 0 {
		list = append(list, fmt.Sprintf("radiation of emissivity %.4g", b.Emissivity))
	}
	return list
}

// Rayleigh is the Rayleigh number of natural convection at a temperature of the surface in K, and the range in which
// its formula holds; ok is false where there is no such convection, or the properties of air are not known.
func (b *Boundary) Rayleigh(surface float64) (ra, from, to float64, ok bool) {
	if b.Natural == "" {
		return 0, 0, 0, false
	}
	_, ra, err := heatsink.Natural(b.Natural, surface, b.Temperature, b.Length)
	from, to = b.Natural.Range(surface > b.Temperature)
	return ra, from, to, err == nil
}

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

// Bands are the parts of a side beside the layers that are wanted, one rectangle for neighbours; wanted is given the
// height of a layer's middle too.
func (s *Stack) Bands(width float64, wanted func(y *Layer, middle float64) bool) (bands []Rect) {
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

// BesideAny says whether a height lies in one of the rectangles of a side.
func BesideAny(bands []Rect, z float64) bool {
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
