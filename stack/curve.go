package stack

import (
	"math"
	"sort"
)

// Curve is a property of a material as a function of the temperature. Exactly one of the four laws is in use:
//
//	power law    Value (T/At)^-Exponent
//	polynomial   sum over i of Coefficients[i] (T - At)^i
//	table        Values at Temperatures, between them the monotone cubic of Fritsch and Butland
//	exponential  Value exp(Exponent (T - At)), of leakage
//
// A curve holds within its range and nowhere else: outside, Of gives the value at the nearer end, and whoever uses it
// tells so.
type Curve struct {
	Law          Law
	At           float64 // K, of a power law and a polynomial
	Value        float64 // of a power law, at At
	Exponent     float64
	Coefficients []float64 // in SI units and powers of 1/K
	Temperatures []float64 // K, ascending
	Values       []float64
	Range        [2]float64 // K; the ends of a table
}

// Law is the form of a curve.
type Law int

// The laws.
const (
	PowerLaw Law = iota
	PolynomialLaw
	TableLaw
	ExponentialLaw
)

func (l Law) String() string {
	return [...]string{"power law", "polynomial", "table", "exponential"}[l]
}

// Of is the property at a temperature in K.
func (c *Curve) Of(kelvin float64) float64 {
	t := math.Max(c.Range[0], math.Min(c.Range[1], kelvin))
	switch c.Law {
	case PowerLaw:
		return c.Value * math.Pow(t/c.At, -c.Exponent)
	case PolynomialLaw:
		return c.polynomial(t)
	case ExponentialLaw:
		return c.Value * math.Exp(c.Exponent*(t-c.At))
	}
	slopes := monotoneSlopes(c.Temperatures, c.Values)
	i := min(max(1, sort.SearchFloat64s(c.Temperatures, t)), len(c.Temperatures)-1)
	p := hermite(c.Temperatures[i-1], c.Temperatures[i], c.Values[i-1], c.Values[i], slopes[i-1], slopes[i])
	return p.Of(t)
}

func (c *Curve) polynomial(t float64) float64 {
	u, v := t-c.At, 0.0
	for i := len(c.Coefficients) - 1; i >= 0; i-- {
		v = v*u + c.Coefficients[i]
	}
	return v
}

// slope is the derivative of a law that is no table.
func (c *Curve) slope(t float64) float64 {
	switch c.Law {
	case PowerLaw:
		return -c.Exponent * c.Of(t) / t
	case ExponentialLaw:
		return c.Exponent * c.Of(t)
	}
	u, v := t-c.At, 0.0
	for i := len(c.Coefficients) - 1; i >= 1; i-- {
		v = v*u + float64(i)*c.Coefficients[i]
	}
	return v
}

// Times is the curve multiplied by a constant.
func (c *Curve) Times(factor float64) *Curve {
	d := *c
	d.Value *= factor
	d.Coefficients, d.Values = scaled(c.Coefficients, factor), scaled(c.Values, factor)
	return &d
}

func scaled(v []float64, factor float64) []float64 {
	if v == nil {
		return nil
	}
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = factor * x
	}
	return w
}

// Reference is the temperature in K that a property has where a single number stands for a curve: 300 K, or the nearer
// end of the range.
func (c *Curve) Reference() float64 { return math.Max(c.Range[0], math.Min(c.Range[1], 300)) }

// lowest looks for the least value within the range, and where it is. Tables are monotone between their points, power
// laws throughout.
func (c *Curve) lowest() (value, kelvin float64) {
	at := []float64{c.Range[0], c.Range[1]}
	switch c.Law {
	case TableLaw:
		at = c.Temperatures
	case PolynomialLaw:
		const steps = 2000
		for i := 1; i < steps; i++ {
			at = append(at, c.Range[0]+(c.Range[1]-c.Range[0])*float64(i)/steps)
		}
	}
	value = math.Inf(1)
	for _, t := range at {
		if v := c.Of(t); !(v >= value) {
			value, kelvin = v, t
		}
	}
	return value, kelvin
}
