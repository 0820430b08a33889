package stack

import (
	"math"
	"slices"

	"thermsim/stack/geometry"
	"thermsim/stack/heatsink"
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

// Across is the axis normal to the face: 0, 1, 2 for x, y, z.
func (f Face) Across() int { return [...]int{2, 2, 0, 0, 1, 1}[f] }

// Along are the axes of the face's coordinates, see [Stack.FaceSize].
func (f Face) Along() [2]int { return [...][2]int{{1, 2}, {0, 2}, {0, 1}}[f.Across()] }

// High reports whether the face is at the upper end of its axis.
func (f Face) High() bool { return f%2 == 1 }

// BoundaryKind is the form of a boundary condition. Callers ask a [Boundary] for its conductance, flux or text, so that
// a new kind concerns the methods below only.
type BoundaryKind int

// The kinds. All except the first two are given by one number, see [SingleValued].
const (
	Adiabatic        BoundaryKind = iota // no heat passes
	Convective                           // H and Film, to Temperature
	FixedTemperature                     // the surface is at Temperature
	HeatFlux                             // Flux enters
	LumpedResistance                     // Resistance of the whole face to Temperature, spread evenly over it
)

// Boundary is the boundary condition of a face.
type Boundary struct {
	Kind        BoundaryKind
	H           float64 // W/(m2 K), Convective
	Film                // adds to H
	Temperature float64 // K: the ambient of Convective and LumpedResistance, the surface of FixedTemperature
	Flux        float64 // W/m2 into the domain, HeatFlux
	Resistance  float64 // K/W, LumpedResistance
	// Patches have separate conditions. The condition of the face, and its Resistance, apply to the remainder.
	Patches []Patch
	Pos     Pos
}

// SingleValued are the kinds given by one number, and the ambient of some: its key in stack files and its field.
var SingleValued = []struct {
	Key   string
	Kind  BoundaryKind
	Value func(b *Boundary) *float64
}{
	{"temperature", FixedTemperature, func(b *Boundary) *float64 { return &b.Temperature }},
	{"flux", HeatFlux, func(b *Boundary) *float64 { return &b.Flux }},
	{"resistance", LumpedResistance, func(b *Boundary) *float64 { return &b.Resistance }},
}

// Adiabatic reports whether no part of the face exchanges heat.
func (b *Boundary) Adiabatic() bool { return b.Kind == Adiabatic && len(b.Patches) == 0 }

// Driven reports whether the condition refers to Temperature.
func (b *Boundary) Driven() bool { return b.Kind != Adiabatic && b.Kind != HeatFlux }

// HasAmbient reports whether the surface exchanges heat with an ambient at Temperature.
func (b *Boundary) HasAmbient() bool { return b.Driven() && b.Kind != FixedTemperature }

// Inflow is the heat flux in W/m2 that enters in addition to the heat exchanged with Temperature.
func (b *Boundary) Inflow() float64 {
	if b.Kind == HeatFlux {
		return b.Flux
	}
	return 0
}

// SurfaceResistance is the resistance in m2 K/W between the surface and Temperature of a condition that applies to an
// area in m2. ok is false if no heat is exchanged with Temperature. A temperature-dependent coefficient has its typical
// value.
func (b *Boundary) SurfaceResistance(area float64) (r float64, ok bool) {
	switch b.Kind {
	case Convective:
		h := b.TypicalH()
		return 1 / h, h > 0
	case FixedTemperature:
		return 0, true
	case LumpedResistance:
		return b.Resistance * area, true
	}
	return 0, false
}

// Film is the temperature-dependent part of a convective face's heat-transfer coefficient. Its terms and a constant H
// add, all to the boundary's Temperature.
type Film struct {
	Law        *Curve               // of the coefficient in W/(m2 K), instead of H; nil if there is none
	Natural    heatsink.Orientation `toml:"orientation,own"` // of natural convection; empty without
	Length     float64              `toml:"length,own"`      // characteristic length of natural convection in m
	Emissivity float64              `toml:"emissivity"`      // 0 without radiation
}

// TemperatureDependent reports whether the coefficient depends on the surface temperature.
func (b *Boundary) TemperatureDependent() bool {
	return b.Kind == Convective && (b.Law != nil || b.Natural != "" || b.Emissivity > 0)
}

// HCurves are the temperature-dependent terms as curves of the surface temperature: convection, and radiation,
//
//	h = emissivity sigma (Ts^2 + Ta^2) (Ts + Ta)
//
// which is a polynomial of the third degree. Natural convection is tabulated. A term that does not exist is nil.
func (b *Boundary) HCurves() (convection, radiation *Curve) {
	if !b.TemperatureDependent() {
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

// typicalRise of a surface over ambient in K, at which TypicalH is evaluated.
const typicalRise = 30

// TypicalH is a single value of the heat-transfer coefficient in W/(m2 K), also if it is temperature-dependent: that of
// a surface 30 K above ambient.
func (b *Boundary) TypicalH() float64 {
	h := b.H
	convection, radiation := b.HCurves()
	for _, c := range []*Curve{convection, radiation} {
		if c != nil {
			h += c.Of(b.Temperature + typicalRise)
		}
	}
	return h
}

// Rayleigh is the Rayleigh number of natural convection at a surface temperature in K, and the range in which its
// formula is valid. ok is false without natural convection, or if the properties of air are not known.
func (b *Boundary) Rayleigh(surface float64) (ra, from, to float64, ok bool) {
	if b.Natural == "" {
		return 0, 0, 0, false
	}
	_, ra, err := heatsink.Natural(b.Natural, surface, b.Temperature, b.Length)
	from, to = b.Natural.Range(surface > b.Temperature)
	return ra, from, to, err == nil
}

// Patch is a part of a face with its own boundary condition. Later patches of a face cover earlier ones.
type Patch struct {
	Name string // for reports; unique on the face
	// Boundary is constant and has no patches. Its Resistance is that of the visible part of the patch.
	Boundary
	Rects []Rect         // in the face's coordinates, see [Stack.FaceSize]; empty if Shape is given
	Shape geometry.Shape // nil if Rects are given
	Map   *FilmMap       // of the coefficient, instead of H
}

// FilmMap is a map of heat-transfer coefficients in W/(m2 K): tiles of equal size that fill the one rectangle of a
// patch, the row of the lowest coordinate first. A tile of 0 is adiabatic.
type FilmMap struct {
	NX, NY int
	Values []float64
	File   string // empty for maps in the stack file
}

// FaceSize is the extent of a face in m along its coordinates: x and y on bottom and top, y and z on west and east, x
// and z on south and north.
func (s *Stack) FaceSize(f Face) [2]float64 {
	size, along := [3]float64{s.Size[0], s.Size[1], s.Height()}, f.Along()
	return [2]float64{size[along[0]], size[along[1]]}
}

// Bands are the parts of a side face at the layers for which wanted returns true, one rectangle for adjacent layers.
// middle is the height of the layer's middle.
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

// BesideAny reports whether a height lies in one of the rectangles of a side face.
func BesideAny(bands []Rect, z float64) bool {
	return slices.ContainsFunc(bands, func(r Rect) bool { return z > r.Y && z < r.Y+r.Height })
}

// FaceAxes are the names of a face's coordinates.
func FaceAxes(f Face) [2]string {
	along := f.Along()
	return [2]string{"xyz"[along[0] : along[0]+1], "xyz"[along[1] : along[1]+1]}
}

// Conditions are all those of a face: its own and those of its patches.
func (b *Boundary) Conditions() []*Boundary {
	all := []*Boundary{b}
	for i := range b.Patches {
		all = append(all, &b.Patches[i].Boundary)
	}
	return all
}

// References are the lowest and the highest temperature in K that the boundary conditions refer to, +Inf and -Inf if
// there are none, and whether a heat flux passes a face.
func (s *Stack) References() (low, high float64, flux bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for f := range s.Boundary {
		for _, b := range s.Boundary[f].Conditions() {
			flux = flux || b.Inflow() != 0
			if b.Driven() {
				low, high = min(low, b.Temperature), max(high, b.Temperature)
			}
		}
	}
	return low, high, flux
}

// ClonePatches copies the patches, so that changes do not affect the boundary that this one was copied from.
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
