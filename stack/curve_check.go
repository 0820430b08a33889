package stack

import (
	"fmt"
	"math"
	"slices"
)

// fault says what is wrong with a curve and what to do about it; empty if nothing is.
func (c *Curve) fault() (fault, remedy string) {
	numbers := slices.Concat([]float64{c.At, c.Value, c.Exponent, c.Range[0], c.Range[1]}, c.Coefficients,
		c.Temperatures, c.Values)
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return "a curve needs finite numbers", ""
		}
	}
	if !(c.Range[0] > 0 && c.Range[1] > c.Range[0]) {
		return fmt.Sprintf("range from %g K to %g K is none", c.Range[0], c.Range[1]), "give a lower and a higher " +
			"temperature, both above 0 K"
	}
	switch c.Law {
	case TableLaw:
		if len(c.Temperatures) != len(c.Values) || len(c.Temperatures) < 2 || !ascending(c.Temperatures) ||
			c.Range != [2]float64{c.Temperatures[0], c.Temperatures[len(c.Temperatures)-1]} {
			return "a table needs at least two rows in ascending order of temperature", ""
		}
	case PowerLaw, ExponentialLaw:
		if !(c.At > 0) {
			return fmt.Sprintf("refers to %g K, and must refer to a temperature above 0 K", c.At), ""
		}
	case PolynomialLaw:
		if len(c.Coefficients) == 0 {
			return "a polynomial needs coefficients", ""
		}
	default:
		return "no such law", ""
	}
	if v, t := c.lowest(); !(v > 0) || math.IsInf(v, 0) {
		return fmt.Sprintf("is %.3g at %.4g K, and must be positive throughout its range", v, t),
			"narrow the range, or correct the numbers"
	}
	return "", ""
}

func ascending(v []float64) bool {
	for i := 1; i < len(v); i++ {
		if !(v[i] > v[i-1]) {
			return false
		}
	}
	return true
}

// curves checks those of a material.
func (v *validator) curves(m *Material) {
	for _, c := range []*Curve{m.KCurve[0], m.KCurve[1], m.KCurve[2], m.CCurve} {
		if c == nil {
			continue
		}
		if fault, remedy := c.fault(); fault != "" {
			v.fail(m.Pos, remedy, "material %q: %s", shorten(m.Name), fault)
			return
		}
		if c.Law == ExponentialLaw {
			v.fail(m.Pos, "take a table", "material %q: an exponential law is for leakage", shorten(m.Name))
			return
		}
	}
}

// OutOfRange tells which of the temperatures that the stack names lie outside the range of a property that follows the
// temperature, in a line for each material and each face's law.
func (s *Stack) OutOfRange() []string {
	low, high := s.Ambient, s.Ambient
	for f := range s.Boundary {
		for _, b := range s.Boundary[f].Conditions() {
			if b.Driven() {
				low, high = math.Min(low, b.Temperature), math.Max(high, b.Temperature)
			}
		}
	}
	if t := s.Transient.Initial; t > 0 {
		low, high = math.Min(low, t), math.Max(high, t)
	}
	var lines []string
	for f := range s.Boundary {
		b := &s.Boundary[f]
		if b.Follows() && b.Law != nil && (b.Temperature < b.Law.Range[0] || b.Temperature > b.Law.Range[1]) {
			lines = append(lines,
				fmt.Sprintf("boundary.%s: h holds from %.4g K to %.4g K of the surface, and its ambient is %.4g K; "+
					"outside, the values at the ends are used", Face(f), b.Law.Range[0], b.Law.Range[1], b.Temperature))
		}
	}
	for i := range s.Materials {
		m := &s.Materials[i]
		from, to, any := m.Range()
		if any && (low < from || high > to) {
			lines = append(lines,
				fmt.Sprintf("material %s: its properties hold from %.4g K to %.4g K, and the stack names "+
					"temperatures from %.4g K to %.4g K; outside, the values at the ends are used", shorten(m.Name),
					from, to, low, high))
		}
	}
	if from, to, any := s.leakageRange(); any && (low < from || high > to) {
		lines = append(lines,
			fmt.Sprintf("leakage: its laws hold from %.4g K to %.4g K, and the stack names temperatures from %.4g K "+
				"to %.4g K; outside, the values at the ends are used", from, to, low, high))
	}
	return lines
}

// Range is that of the temperatures in K for which all properties of the material hold; any is false where none follows
// the temperature.
func (m *Material) Range() (from, to float64, any bool) {
	from, to = 0, math.Inf(1)
	for _, c := range []*Curve{m.KCurve[0], m.KCurve[1], m.KCurve[2], m.CCurve} {
		if c != nil {
			from, to, any = math.Max(from, c.Range[0]), math.Min(to, c.Range[1]), true
		}
	}
	return from, to, any
}
