package stack

import "math"

// mixStep is the distance in K of the rows that a mixture of curves is tabulated at.
const mixStep = 5

// mixCurves tabulates a mixture of materials that follow the temperature over the range that both have in common; ok is false where there is none.
func mixCurves(inclusion, matrix *Material, fraction float64) (k [3]*Curve, c *Curve, ok bool) {
	from, to := 0.0, math.Inf(1)
	for _, m := range []*Material{inclusion, matrix} {
		if lo, hi, any := m.Range(); any {
			from, to = math.Max(from, lo), math.Min(to, hi)
		}
	}
	if !(from < to) {
		return k, nil, false
	}
	rows := max(2, int(math.Ceil((to-from)/mixStep))+1)
	var tables [4]*Curve
	for i := range tables {
		tables[i] = &Curve{Law: TableLaw, Range: [2]float64{from, to}}
	}
	for r := range rows {
		t := from + (to-from)*float64(r)/float64(rows-1)
		if r == rows-1 {
			t = to
		}
		kt, ct := Mix(inclusion.At(t), matrix.At(t), fraction)
		for i, v := range [4]float64{kt[0], kt[1], kt[2], ct} {
			tables[i].Temperatures, tables[i].Values = append(tables[i].Temperatures, t), append(tables[i].Values, v)
		}
	}
	return [3]*Curve{tables[0], tables[1], tables[2]}, tables[3], true
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
