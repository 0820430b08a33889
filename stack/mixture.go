package stack

import (
	"fmt"
	"math"
	"slices"

	"thermsim/stack/internal/faults"
)

// Rule is a formula for the conductivity of a mixture from those of inclusion and matrix and the fraction f of the
// inclusion; docs/guides/effective-materials.md gives sources and ranges. The heat capacity is the mean by volume.
type Rule string

// The rules. All except Spheres are for inclusions through the whole thickness, which conduct in parallel with the
// matrix along z.
const (
	// Cylinders scattered without touching: Rayleigh's first order, the Maxwell-Garnett formula in two dimensions.
	Cylinders Rule = "cylinders"
	// Square and Hexagonal are arrays of cylinders: Perrins, McKenzie and McPhedran, Proc. R. Soc. Lond. A 369, 207
	// (1979).
	Square    Rule = "square"
	Hexagonal Rule = "hexagonal"
	// LinesX and LinesY are wires along one direction.
	LinesX Rule = "lines-x"
	LinesY Rule = "lines-y"
	// Pattern is any pattern in which neither part surrounds the other: Bruggeman, Ann. Phys. 416, 636 (1935), in two
	// dimensions.
	Pattern Rule = "pattern"
	// Upper and Lower are Wiener's bounds across: side by side, and one behind the other.
	Upper Rule = "upper"
	Lower Rule = "lower"
	// Spheres scattered without touching: Maxwell and Eucken.
	Spheres Rule = "spheres"
)

// Rules lists them all.
func Rules() []Rule {
	return []Rule{Cylinders, Square, Hexagonal, LinesX, LinesY, Pattern, Upper, Lower, Spheres}
}

// Most is the largest fraction for which a rule is valid: the cylinders of an array must not overlap.
func (r Rule) Most() float64 {
	switch r {
	case Square:
		return math.Pi / 4
	case Hexagonal:
		return math.Pi / (2 * math.Sqrt(3))
	}
	return 1
}

// Mix is the conductivity along x, y and z in W/(m K), and the volumetric heat capacity in J/(m3 K), of a mixture. The
// fraction of the inclusion lies between 0 and Most.
func (r Rule) Mix(inclusion, matrix *Material, fraction float64) (k [3]float64, c float64) {
	for axis := range k {
		rule := r
		if axis == 2 && r != Spheres {
			rule = Upper
		}
		k[axis] = rule.along(axis, inclusion.K[axis], matrix.K[axis], fraction)
	}
	return k, fraction*inclusion.C + (1-fraction)*matrix.C
}

// along is the conductivity along an axis.
func (r Rule) along(axis int, ki, km, f float64) float64 {
	switch r {
	case Square:
		return km * lattice(ki, km, f, [4]float64{0.305827, 4, 1.402958, 0.013362})
	case Hexagonal:
		return km * lattice(ki, km, f, [4]float64{0.075422, 6, 1.060283, 0.000076})
	case LinesX, LinesY:
		if (r == LinesX) == (axis == 0) {
			return Upper.along(axis, ki, km, f)
		}
		return Lower.along(axis, ki, km, f)
	case Pattern:
		b := (2*f - 1) * (ki - km) / 2
		if b < 0 { // the same root without cancellation
			return ki * km / (math.Sqrt(b*b+ki*km) - b)
		}
		return b + math.Sqrt(b*b+ki*km)
	case Upper:
		return f*ki + (1-f)*km
	case Lower:
		return ki * km / (f*km + (1-f)*ki)
	case Spheres:
		return km * (ki + 2*km + 2*f*(ki-km)) / (ki + 2*km - f*(ki-km))
	}
	return km * (ki + km + f*(ki-km)) / (ki + km - f*(ki-km))
}

// lattice is k/km of an array of cylinders, equation (14) of Perrins et al. and its equivalent for hexagons:
//
//	k/km = 1 - 2 f / (T + f - a f^n T / (T^2 - b f^2n) - c f^2n / T),   T = (km + ki) / (km - ki).
//
// It is written with 1/T, which is finite if both conductivities are equal.
func lattice(ki, km, f float64, s [4]float64) float64 {
	a, n, b, c := s[0], s[1], s[2], s[3]
	beta := (km - ki) / (km + ki)
	fn, beta2 := math.Pow(f, n), beta*beta
	return 1 - 2*f*beta/(1+f*beta-a*fn*beta2/(1-b*fn*fn*beta2)-c*fn*fn*beta2)
}

// Ply is a sheet of a laminate.
type Ply struct {
	Material  *Material
	Thickness float64 // m
}

// Laminate homogenizes stacked sheets: they conduct in parallel along the sheets and in series across. Both are exact
// for sheets that are thin compared with the distances over which the heat spreads.
func Laminate(plies []Ply) (k [3]float64, c float64) {
	thickness, resistance := 0.0, 0.0
	for _, p := range plies {
		thickness += p.Thickness
		resistance += p.Thickness / p.Material.K[2]
		c += p.Thickness * p.Material.C
		for axis := range 2 {
			k[axis] += p.Thickness * p.Material.K[axis]
		}
	}
	return [3]float64{k[0] / thickness, k[1] / thickness, thickness / resistance}, c / thickness
}

// Fill are inclusions in the material of a region, which run through its thickness: a fraction of the area everywhere,
// or one per tile.
type Fill struct {
	Inclusion int // index into Stack.Materials
	Rule      Rule
	// NX by NY tiles divide the rectangle of the region evenly. Values[0] is the fraction in the south-west tile, x
	// runs fastest.
	NX, NY int
	Values []float64
	File   string // of the map
}

// Mean is the mean fraction over the tiles.
func (f *Fill) Mean() float64 {
	sum := 0.0
	for _, x := range f.Values {
		sum += x
	}
	return sum / float64(len(f.Values))
}

// Varies reports whether tiles have different fractions.
func (f *Fill) Varies() bool { return f != nil && slices.Min(f.Values) != slices.Max(f.Values) }

// A composite is tabulated in steps of mixStep, and above 500 K in steps of mixShare of the temperature. A range of any
// width then has some thousand rows, with relative steps as at 250 K or smaller.
const mixStep, mixShare = 5.0, 0.01

// Tabulate makes a composite temperature-dependent if any of its parts is: the rule is evaluated at every temperature
// of a table over the common range of all parts. ok is false if there is none.
func (m *Material) Tabulate(parts []*Material, rule func(parts []*Material) (k [3]float64, c float64)) (ok bool) {
	from, to, follows := 0.0, math.Inf(1), false
	for _, p := range parts {
		if lo, hi, any := p.Range(); any {
			from, to, follows = math.Max(from, lo), math.Min(to, hi), true
		}
	}
	if !follows {
		return true
	}
	if !(from < to) {
		return false
	}
	rows := []float64{from}
	// A step is a share of the temperature, so it advances however high that is.
	for t := from; ; {
		if t += math.Max(mixStep, mixShare*t); !(t < to-mixStep/2) {
			break
		}
		rows = append(rows, t)
	}
	rows = append(rows, to)
	var tables [4]*Curve
	for i := range tables {
		tables[i] = &Curve{Law: TableLaw, Range: [2]float64{from, to}}
	}
	warm := make([]*Material, len(parts))
	for _, t := range rows {
		for i, p := range parts {
			at := p.At(t)
			warm[i] = &at
		}
		k, c := rule(warm)
		for i, v := range [4]float64{k[0], k[1], k[2], c} {
			tables[i].Temperatures, tables[i].Values = rows, append(tables[i].Values, v)
		}
	}
	m.KCurve, m.CCurve = [3]*Curve{tables[0], tables[1], tables[2]}, tables[3]
	m.atReference()
	return true
}

// At is the material with the properties of a temperature in K.
func (m *Material) At(kelvin float64) Material {
	n := *m
	for axis, c := range m.KCurve {
		if c != nil {
			n.K[axis] = c.Of(kelvin)
		}
	}
	if m.CCurve != nil {
		n.C = m.CCurve.Of(kelvin)
	}
	return n
}

// atReference sets the numbers that represent curves.
func (m *Material) atReference() {
	for axis, c := range m.KCurve {
		if c != nil {
			m.K[axis] = c.Of(c.Reference())
		}
	}
	if m.CCurve != nil {
		m.C = m.CCurve.Of(m.CCurve.Reference())
	}
}

// UnsupportedMaterials lists temperature-dependent materials where they are not supported: in fills. Validate reports
// them.
func (s *Stack) UnsupportedMaterials() ErrorList {
	var list ErrorList
	for l := range s.Layers {
		y := &s.Layers[l]
		if e := s.fillFault(y); e != nil {
			e.Msg = fmt.Sprintf("layer %q: %s", faults.Shorten(y.Name), e.Msg)
			list = append(list, e)
		}
	}
	return list
}

// dependent says whether a material exists and is temperature-dependent.
func (s *Stack) dependent(material int) bool {
	return material >= 0 && material < len(s.Materials) && s.Materials[material].TemperatureDependent()
}

// fillFault is the fault of the first fill of a layer with a temperature-dependent material; nil if there is none.
func (s *Stack) fillFault(y *Layer) *Error {
	for i := range y.Regions {
		r := &y.Regions[i]
		if r.Fill == nil {
			continue
		}
		parts := []int{r.Material, r.Fill.Inclusion}
		if n := slices.IndexFunc(parts, s.dependent); n >= 0 {
			return &Error{Pos: r.Pos,
				Msg: fmt.Sprintf("%s: material %q is temperature-dependent, which a fill does not support",
					r.Describe(),
					faults.Shorten(s.Materials[parts[n]].Name)),
				Remedy: "use materials with constant properties, or replace a uniform fill by a material with mix"}
		}
	}
	return nil
}
