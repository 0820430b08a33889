package stack

import (
	"fmt"
	"math"
)

// Leakage is heat that follows the temperature: Watts times the value of Factor at the temperature of each cell. There
// is none where Factor is nil.
type Leakage struct {
	Watts  float64
	Factor *Curve
}

// leaks says whether there is any.
func (l *Leakage) leaks() bool { return l.Factor != nil && l.Watts > 0 }

// Leaks says whether any power of the stack follows the temperature, which makes the equations nonlinear.
func (s *Stack) Leaks() bool {
	_, _, any := s.leakageRange()
	return any
}

// leakageRange is that of the temperatures in K for which all laws of leakage hold; any is false where nothing leaks.
func (s *Stack) leakageRange() (from, to float64, any bool) {
	to = math.Inf(1)
	s.eachLeakage(func(l *Leakage) {
		from, to, any = math.Max(from, l.Factor.Range[0]), math.Min(to, l.Factor.Range[1]), true
	})
	return from, to, any
}

// LeakageAt is what leaks in W where all of the stack has one temperature in K.
func (s *Stack) LeakageAt(kelvin float64) (watts float64) {
	s.eachLeakage(func(l *Leakage) { watts += l.Watts * l.Factor.Of(kelvin) })
	return watts
}

// eachLeakage visits those of all powers and blocks that leak.
func (s *Stack) eachLeakage(visit func(*Leakage)) {
	take := func(l *Leakage) {
		if l.leaks() {
			visit(l)
		}
	}
	for i := range s.Layers {
		for p := range s.Layers[i].Powers {
			power := &s.Layers[i].Powers[p]
			take(&power.Leakage)
			for b := range power.Blocks {
				take(&power.Blocks[b].Leakage)
			}
		}
	}
}

// Nonlinear says whether the equations are: where a material or a power follows the temperature.
func (s *Stack) Nonlinear() bool { return s.TemperatureDependent() || s.Leaks() }

// leakage checks that of a power or a block.
func (v *validator) leakage(pos Pos, l *Leakage, what string) {
	v.notNegative(pos, l.Watts, "%s: leakage", what)
	if l.Factor == nil {
		if l.Watts != 0 {
			v.fail(pos, "", "%s: leakage has no law", what)
		}
		return
	}
	fault, remedy := l.Factor.leakageFault()
	if fault != "" {
		v.fail(pos, remedy, "%s: leakage %s", what, fault)
	}
}

// leakageFault says what is wrong with a law of leakage.
func (c *Curve) leakageFault() (fault, remedy string) {
	switch {
	case c.Law == PowerLaw:
		return "cannot follow a power law", "take beta, a polynomial or a table"
	case c.Law == ExponentialLaw && c.Value != 1:
		return fmt.Sprintf("has an exponential law of %g at %g K, and must be 1 there", c.Value, c.At), ""
	}
	if fault, remedy = c.fault(); fault != "" {
		return fault, remedy
	}
	for _, kelvin := range c.Range {
		if v := c.Of(kelvin); !(v <= mostLeakage) {
			return fmt.Sprintf("is %.3g at %g K, and no law may exceed %.0e", v, kelvin, mostLeakage),
				"narrow the range, or correct the numbers"
		}
	}
	return "", ""
}

// mostLeakage is far beyond what leaks anywhere, and far below the largest number in FP32.
const mostLeakage = 1e20
