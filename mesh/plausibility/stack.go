package plausibility

import (
	"fmt"
	"math"

	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// domain says whether the extent of the domain is odd.
func (j *judge) domain() (odd bool) {
	const least, most = 10e-6, 0.5 // m: a test structure, a board
	size := j.s.Size
	if odd = min(size[0], size[1]) < least || max(size[0], size[1]) > most; odd {
		j.warn(Size, stack.Pos{}, `bare numbers are in m: write "10 mm" or "50 um"`, "the domain is %s by %s, which "+
			"is no chip, package or board", length(size[0]), length(size[1]))
	}
	return odd
}

func (j *judge) thicknesses() {
	size := j.s.Size
	const thinnest = 1e-9 // m, a few atoms
	var thick, thin group
	for i := range j.s.Layers {
		l := &j.s.Layers[i]
		switch {
		case l.Thickness > max(size[0], size[1]):
			thick.add(l.Name, l.Pos)
		case l.Thickness < thinnest:
			thin.add(l.Name, l.Pos)
		}
	}
	j.warnOf(Size, &thick, `bare numbers are in m: write "100 um"`, "%s %s thicker than the domain is wide",
		thick.list("layer", "layers"), thick.either("is", "are"))
	j.warnOf(Size, &thin, `write "100 um", or a contact_resistance in place of the layer`,
		"%s %s thinner than 1 nm, where the heat conduction of solids does not hold",
		thin.list("layer", "layers"), thin.either("is", "are"))
}

// properties are those of the materials in use, and contact resistances.
func (j *judge) properties() {
	const (
		leastK, mostK = 0.005, 6000.0 // W/(m K): below gases, above diamond and graphite
		leastC, mostC = 500.0, 1e7    // J/(m3 K): below air, above every solid
		mostContact   = 1e-2          // m2 K/W: centimetres of plastic
	)
	for i := range j.s.Materials {
		m := &j.s.Materials[i]
		if m.Name == stackfile.OpenSpace {
			continue
		}
		for _, k := range m.K {
			if k < leastK || k > mostK {
				j.warn(Properties, m.Pos, "solids conduct 0.02 to 2500 W/(m K); look at the unit",
					"material %q has k = %.4g W/(m K)", m.Name, k)
				break
			}
		}
		if m.C < leastC || m.C > mostC {
			j.warn(Properties, m.Pos, "solids hold 1e6 to 4e6 J/(m^3 K); look at the unit",
				"material %q has c = %.4g J/(m3 K)", m.Name, m.C)
		}
	}
	var contacts group
	for i := range j.s.Layers {
		if l := &j.s.Layers[i]; l.ContactResistance > mostContact {
			contacts.add(l.Name, l.Pos)
		}
	}
	j.warnOf(Properties, &contacts, `thermal interfaces have 1 to 100 mm^2 K/W; look at the unit`,
		"the contact resistance of %s is above %g m2 K/W", contacts.list("layer", "layers"), mostContact)
}

// Temperatures at which electronics work and are tested, in K: -65 to 200 degC; surfaces that are held at one may be
// colder and hotter.
const (
	leastAmbient, mostAmbient = 208.15, 473.15
	leastSurface, mostSurface = 77, 773.15
)

// Heat transfer coefficients in W/(m2 K): below free convection, above boiling and jets.
const leastH, mostH = 0.5, 1e6

// faces are the boundary conditions.
func (j *judge) faces() {
	if !j.m.Grounded() {
		j.warn(NoWayOut, stack.Pos{},
			`give a face h, resistance or temperature, such as boundary.top = { h = "5000 W/(m^2 K)" }`,
			"no face leads heat to a temperature: there is no steady state, and a transient warms up for ever")
	}
	ambients := 0
	for f := range stack.Face(stack.NumFaces) {
		what := "the " + f.String() + " face"
		for n, b := range j.s.Boundary[f].Conditions() {
			if n > 0 {
				what = fmt.Sprintf("patch %s of the %v face", j.s.Boundary[f].Patches[n-1].Name, f)
			}
			if b.Kind == stack.Convective {
				j.air(f, b)
			}
			if j.condition(b, what) {
				ambients++
			}
		}
	}
	if ambients == 0 && (j.s.Ambient < leastAmbient || j.s.Ambient > mostAmbient) {
		j.oddTemperature(stack.Pos{}, "ambient", j.s.Ambient)
	}
}

// condition judges that of a face or of a part of it, and says whether it refers to the ambient of the stack.
func (j *judge) condition(b *stack.Boundary, what string) (ambient bool) {
	const leastR, mostR = 1e-5, 1e5
	low, high := float64(leastAmbient), float64(mostAmbient)
	switch b.Kind {
	case stack.Convective: // H is 0 beside a map
		if !b.Follows() && b.H != 0 && (b.H < leastH || b.H > mostH) {
			j.warn(Cooling, b.Pos, "air gives 5 to 100, a heat sink referred to the chip 1e3 to 1e4, liquids up to "+
				"1e5 W/(m^2 K); look at the unit", "%s has h = %.4g W/(m2 K)", what, b.H)
		}
	case stack.LumpedResistance:
		if b.Resistance < leastR || b.Resistance > mostR {
			j.warn(Cooling, b.Pos, "coolers have 0.05 to 50 K/W; look at the unit", "%s has a resistance of %.4g K/W",
				what, b.Resistance)
		}
	case stack.FixedTemperature:
		low, high = leastSurface, mostSurface
	default:
		return false
	}
	if b.Temperature < low || b.Temperature > high {
		j.oddTemperature(b.Pos, "the temperature of "+what, b.Temperature)
	}
	return b.Temperature == j.s.Ambient
}

// air judges natural convection at a usual rise: ten times outside the range of a formula, it is a guess.
func (j *judge) air(f stack.Face, b *stack.Boundary) {
	const rise, slack = 30, 10
	if ra, from, to, ok := b.Rayleigh(b.Temperature + rise); ok && (ra < from/slack || ra > slack*to) {
		j.warn(Cooling, b.Pos, "look at length; or give h in place of convection", "natural convection on the %s "+
			"face has a Rayleigh number of %.2g where the surface is %d K warmer, and its formula holds from "+
			"%.0e to %.0e",
			f, ra, rise, from, to)
	}
}

func (j *judge) oddTemperature(pos stack.Pos, what string, kelvin float64) {
	j.warn(Temperatures, pos, `write the unit: "25 degC" or "298 K"`, "%s is %s (%.4g K)", what, celsius(kelvin),
		kelvin)
}

// beginning is the initial temperature of a transient.
func (j *judge) beginning() {
	t := j.s.Transient.Initial
	if t != 0 && t != j.s.Ambient && (t < leastAmbient || t > mostAmbient) {
		j.oddTemperature(stack.Pos{}, "initial of [transient]", t)
	}
}

// OfLimit judges a highest temperature asked for, in K, against a stack.
func OfLimit(s *stack.Stack, limit float64) []Warning {
	const most = 573.15 // K, 300 degC: no chip works above
	switch {
	case limit <= 0:
		return nil
	case limit <= s.Ambient:
		return []Warning{{Temperatures, "", "the limit of " + celsius(limit) + " is not above the ambient of " +
			celsius(s.Ambient) + ", so that every stack that heats exceeds it", `write the unit: "85 degC" or "358 K"`}}
	case limit > most || math.IsInf(limit, 0):
		return []Warning{{Temperatures, "", "the limit of " + celsius(limit) + " is above what chips survive, so " +
			"that it holds nothing back", `write the unit: "85 degC" or "358 K"`}}
	}
	return nil
}
