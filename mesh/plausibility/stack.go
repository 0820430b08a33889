package plausibility

import (
	"fmt"
	"math"
	"slices"

	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// domain reports whether the size of the domain is implausible.
func (j *judge) domain() (odd bool) {
	const least, most = 10e-6, 0.5 // m: a test structure, a board
	size := j.s.Size
	if odd = min(size[0], size[1]) < least || max(size[0], size[1]) > most; odd {
		j.warn(Size, stack.Pos{}, `numbers without a unit are in m: write "10 mm" or "50 um"`, "the domain is %s by "+
			"%s, which is not the size of a chip, package or board", length(size[0]), length(size[1]))
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
	j.warnOf(Size, &thick, `numbers without a unit are in m: write "100 um"`, "%s %s thicker than the domain is wide",
		thick.list("layer", "layers"), thick.either("is", "are"))
	j.warnOf(Size, &thin, `write "100 um", or replace the layer by a contact_resistance`,
		"%s %s thinner than 1 nm, where the heat equation is not valid",
		thin.list("layer", "layers"), thin.either("is", "are"))
}

// Fourier's law needs lengths above the mean free path of the carriers of heat, about 100 to 300 nm in crystals and a
// few nm in glasses, and times above that between their collisions, up to 1 ns.
const (
	shortest = 100e-9 // m
	briefest = 1e-9   // s
	bulk     = 80.0   // W/(m K): a film of silicon of 100 nm conducts less
)

// fourier checks for bulk crystals and heat sources that are too small, and time steps that are too short, for
// Fourier's law.
func (j *judge) fourier() {
	crystal := func(material int) bool {
		k := j.s.Materials[material].K
		return max(k[0], k[1], k[2]) > bulk
	}
	var films, blocks group
	for i := range j.s.Layers {
		l := &j.s.Layers[i]
		if l.Thickness >= shortest*(1-1e-9) || l.Coolant != nil {
			continue
		}
		regions := func(r stack.Region) bool { return crystal(r.Material) }
		if crystal(l.Material) || slices.ContainsFunc(l.Regions, regions) {
			films.add(l.Name, l.Pos)
		}
	}
	eachSource(j.s, func(q source) {
		if q.block == nil || q.watts == 0 || !crystal(j.s.Layers[q.layer].Material) {
			return
		}
		if r := extent(q.block); min(r.Width, r.Height) < shortest*(1-1e-9) {
			blocks.add(q.name, q.pos)
		}
	})
	j.warnOf(Fourier, &films, `make it a material with thin_film = { material = "silicon", thickness = "50 nm" }, or `+
		"give the measured k of the film", "%s %s thinner than %s, but conducts like the bulk: its surfaces scatter "+
		"the carriers of heat", films.list("layer", "layers"), films.either("is", "are"), length(shortest))
	j.warnOf(Fourier, &blocks, "take the result as a lower bound", "%s %s narrower than %s, the mean free path of the "+
		"carriers of heat: Fourier's law underestimates the peak", blocks.list("block", "blocks"),
		blocks.either("is", "are"), length(shortest))
	if dt := j.s.Transient.Dt; dt > 0 && dt < briefest {
		j.warn(Fourier, stack.Pos{}, "use steps of 1 ns or more", "the time step of %.4g ps is shorter than the times "+
			"between collisions of the carriers of heat, for which Fourier's law does not hold", dt*1e12)
	}
}

// properties checks materials and contact resistances.
func (j *judge) properties() {
	const (
		leastK, mostK = 0.005, 6000.0 // W/(m K): below gases, above diamond and graphite
		leastC, mostC = 500.0, 1e7    // J/(m3 K): below air, above every solid
		mostContact   = 1e-2          // m2 K/W: centimeters of plastic
	)
	for i := range j.s.Materials {
		m := &j.s.Materials[i]
		if m.Name == stackfile.OpenSpace {
			continue
		}
		for _, k := range m.K {
			if k < leastK || k > mostK {
				j.warn(Properties, m.Pos, "solids have 0.02 to 2500 W/(m K); check the unit",
					"material %q has k = %.4g W/(m K)", m.Name, k)
				break
			}
		}
		if m.C < leastC || m.C > mostC {
			j.warn(Properties, m.Pos, "solids have 1e6 to 4e6 J/(m^3 K); check the unit",
				"material %q has c = %.4g J/(m3 K)", m.Name, m.C)
		}
	}
	var contacts group
	for i := range j.s.Layers {
		if l := &j.s.Layers[i]; l.ContactResistance > mostContact {
			contacts.add(l.Name, l.Pos)
		}
	}
	j.warnOf(Properties, &contacts, `thermal interfaces have 1 to 100 mm^2 K/W; check the unit`,
		"the contact resistance of %s is above %g m2 K/W", contacts.list("layer", "layers"), mostContact)
}

// Temperatures at which electronics operate and are tested, in K: -65 to 200 degC. Surfaces with a fixed temperature
// may be colder or hotter.
const (
	leastAmbient, mostAmbient = 208.15, 473.15
	leastSurface, mostSurface = 77, 773.15
)

// Heat transfer coefficients in W/(m2 K): below free convection, above boiling and jets.
const leastH, mostH = 0.5, 1e6

// faces checks the boundary conditions.
func (j *judge) faces() {
	if !j.m.Grounded() {
		j.warn(NoWayOut, stack.Pos{},
			`give a face h, resistance or temperature, such as boundary.top = { h = "5000 W/(m^2 K)" }`,
			"no boundary removes heat (all faces are adiabatic or have a fixed heat flux): no steady state exists, "+
				"and a transient heats up without limit")
	}
	ambients := 0
	for f := range stack.Face(stack.NumFaces) {
		what := "the " + f.String() + " face"
		for n, b := range j.s.Boundary[f].Conditions() {
			if n > 0 {
				what = fmt.Sprintf("patch %s of the %v face", j.s.Boundary[f].Patches[n-1].Name, f)
			}
			j.air(f, b)
			if j.condition(b, what) {
				ambients++
			}
		}
	}
	if ambients == 0 && (j.s.Ambient < leastAmbient || j.s.Ambient > mostAmbient) {
		j.oddTemperature(stack.Pos{}, "ambient", j.s.Ambient)
	}
}

// condition checks the boundary condition of a face or patch, and reports whether it refers to the ambient of the
// stack.
func (j *judge) condition(b *stack.Boundary, what string) (ambient bool) {
	const leastR, mostR = 1e-5, 1e5
	low, high := float64(leastAmbient), float64(mostAmbient)
	if !b.Driven() {
		return false
	}
	if !b.HasAmbient() {
		low, high = leastSurface, mostSurface
	}
	if h := b.H; h != 0 && !b.TemperatureDependent() && (h < leastH || h > mostH) {
		j.warn(Cooling, b.Pos, "air gives 5 to 100, a heat sink referred to the chip area 1e3 to 1e4, liquids up to "+
			"1e5 W/(m^2 K); check the unit", "%s has h = %.4g W/(m2 K)", what, h)
	}
	if r := b.Resistance; r != 0 && (r < leastR || r > mostR) {
		j.warn(Cooling, b.Pos, "coolers have 0.05 to 50 K/W; check the unit", "%s has a resistance of %.4g K/W",
			what, r)
	}
	if b.Temperature < low || b.Temperature > high {
		j.oddTemperature(b.Pos, "the temperature of "+what, b.Temperature)
	}
	return b.Temperature == j.s.Ambient
}

// air checks natural convection at a typical rise: more than a factor of ten outside the range of a formula, the result
// is a guess.
func (j *judge) air(f stack.Face, b *stack.Boundary) {
	const rise, slack = 30, 10
	if ra, from, to, ok := b.Rayleigh(b.Temperature + rise); ok && (ra < from/slack || ra > slack*to) {
		j.warn(Cooling, b.Pos, "check length, or give h instead of convection", "natural convection on the %s "+
			"face: the Rayleigh number is %.2g at a surface %d K above ambient; the formula is valid from %.0e to %.0e",
			f, ra, rise, from, to)
	}
}

func (j *judge) oddTemperature(pos stack.Pos, what string, kelvin float64) {
	j.warn(Temperatures, pos, `write the unit: "25 degC" or "298 K"`, "%s is %s (%.4g K)", what, celsius(kelvin),
		kelvin)
}

// beginning checks the initial temperature of a transient.
func (j *judge) beginning() {
	t := j.s.Transient.Initial
	if t != 0 && t != j.s.Ambient && (t < leastAmbient || t > mostAmbient) {
		j.oddTemperature(stack.Pos{}, "initial of [transient]", t)
	}
}

// OfLimit checks a temperature limit in K for a stack.
func OfLimit(s *stack.Stack, limit float64) []Warning {
	const most = 573.15 // K, 300 degC: no chip works above
	switch {
	case limit <= 0:
		return nil
	case limit <= s.Ambient:
		return []Warning{{Temperatures, "", "the limit of " + celsius(limit) + " is not above the ambient of " +
			celsius(s.Ambient) + ", so that every heated stack exceeds it", `write the unit: "85 degC" or "358 K"`}}
	case limit > most || math.IsInf(limit, 0):
		return []Warning{{Temperatures, "", "the limit of " + celsius(limit) + " is above what chips survive, so " +
			"that it has no effect", `write the unit: "85 degC" or "358 K"`}}
	}
	return nil
}
