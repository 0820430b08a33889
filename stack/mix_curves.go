package stack

import "math"

// A composite is tabulated every mixStep K, and above 500 K every mixShare of the temperature: a range of any width
// takes some thousand rows, and the rule is followed as well as at 250 K.
const mixStep, mixShare = 5.0, 0.01

// follow makes a composite of parts follow the temperature where any of them does: the rule is evaluated at every
// temperature of a table over the range that all parts have in common. ok is false where there is none.
func (m *Material) follow(parts []*Material, rule func(parts []*Material) (k [3]float64, c float64)) (ok bool) {
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

// atReference sets the numbers that stand for curves.
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
