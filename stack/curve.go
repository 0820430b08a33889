package stack

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"thermsim/stack/internal/faults"
)

// Curve is a property of a material as a function of the temperature. It has one of four laws.
//
//	power law    Value (T/At)^-Exponent
//	polynomial   sum over i of Coefficients[i] (T - At)^i.
//	table        Values at Temperatures, between them the monotone cubic of Fritsch and Butland
//	exponential  Value exp(Exponent (T - At)), for leakage
//
// A curve is valid within its range only. Outside, Of returns the value at the nearer end, and callers report it.
type Curve struct {
	Law          Law
	At           float64 // K, of a power law and a polynomial
	Value        float64 // of a power law, at At
	Exponent     float64
	Coefficients []float64 // in SI units and powers of 1/K
	Temperatures []float64 // K, ascending
	Values       []float64
	Linear       bool       // of a table: straight lines between its points instead of a cubic
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
	i := min(max(1, sort.SearchFloat64s(c.Temperatures, t)), len(c.Temperatures)-1)
	p := c.tablePiece(i)
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

// Reference is the temperature in K of the single number that represents a curve: 300 K, or the nearer end of the
// range.
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

// Piece is a cubic from a temperature on: A0 + A1 u + A2 u^2 + A3 u^3 with u = T - From.
type Piece struct{ From, A0, A1, A2, A3 float64 }

// Of is the value at a temperature, by the very operations that executors use: sums and products in this order, each
// rounded.
func (p *Piece) Of(t float64) float64 {
	u := t - p.From
	v := p.A2 + float64(u*p.A3)
	v = p.A1 + float64(u*v)
	return p.A0 + float64(u*v)
}

// Slope is the derivative at a temperature, likewise.
func (p *Piece) Slope(t float64) float64 {
	u := t - p.From
	v := 2*p.A2 + float64(u*(3*p.A3))
	return p.A1 + float64(u*v)
}

// hermite is the cubic with given values and slopes at both ends.
func hermite(t0, t1, v0, v1, s0, s1 float64) Piece {
	h := t1 - t0
	mean := (v1 - v0) / h
	return Piece{From: t0, A0: v0, A1: s0, A2: (3*mean - 2*s0 - s1) / h, A3: (s0 + s1 - 2*mean) / (h * h)}
}

// pieceError is the largest relative error of pieces that represent a power law or a polynomial, maxPieces their
// largest number.
const pieceError, maxPieces = 1e-12, 4096

// Pieces is the curve as cubics that follow one another over its range: what solvers evaluate, as the same bits
// everywhere. Tables and polynomials up to the third degree are such cubics by themselves; others are interpolated with
// their own slopes to within 1e-12 of the value, where 4096 pieces are enough.
func (c *Curve) Pieces() []Piece {
	if c.Law == TableLaw {
		return c.tablePieces()
	}
	if c.Law == PolynomialLaw && len(c.Coefficients) <= 4 {
		return c.equalPieces(1)
	}
	n := 8
	for ; n < maxPieces; n *= 2 {
		if c.missBy(c.equalPieces(n)) <= pieceError {
			break
		}
	}
	return c.equalPieces(n)
}

func (c *Curve) tablePieces() []Piece {
	var all []Piece
	for i := 1; i < len(c.Temperatures); i++ {
		all = append(all, c.tablePiece(i))
	}
	return all
}

// tablePiece is the cubic of a table that ends at its row i.
func (c *Curve) tablePiece(i int) Piece {
	t, v := c.Temperatures, c.Values
	if c.Linear {
		return Piece{From: t[i-1], A0: v[i-1], A1: (v[i] - v[i-1]) / (t[i] - t[i-1])}
	}
	return hermite(t[i-1], t[i], v[i-1], v[i], monotoneSlope(t, v, i-1), monotoneSlope(t, v, i))
}

// equalPieces divides the range evenly.
func (c *Curve) equalPieces(n int) []Piece {
	all := make([]Piece, n)
	at := func(i int) float64 { return c.Range[0] + (c.Range[1]-c.Range[0])*float64(i)/float64(n) }
	for i := range all {
		t0, t1 := at(i), at(i+1)
		all[i] = hermite(t0, t1, c.Of(t0), c.Of(t1), c.slope(t0), c.slope(t1))
	}
	return all
}

// missBy is the largest relative error in the middle of pieces, where that of a cubic Hermite interpolation is largest.
func (c *Curve) missBy(pieces []Piece) float64 {
	worst := 0.0
	for i := range pieces {
		end := c.Range[1]
		if i+1 < len(pieces) {
			end = pieces[i+1].From
		}
		t := (pieces[i].From + end) / 2
		worst = math.Max(worst, math.Abs(pieces[i].Of(t)/c.Of(t)-1))
	}
	return worst
}

// monotoneSlope is the slope at point i according to F. N. Fritsch and J. Butland, A method for constructing local
// monotone piecewise cubic interpolants, SIAM J. Sci. Stat. Comput. 5 (1984) 300: the weighted harmonic mean of the
// secants on either side, 0 at an extremum, and at the ends the three-point formula that keeps the shape. The
// interpolant is monotone wherever the points are.
func monotoneSlope(t, v []float64, i int) float64 {
	secant := func(i int) (length, slope float64) {
		length = t[i+1] - t[i]
		return length, (v[i+1] - v[i]) / length
	}
	last := len(t) - 1
	below, above := max(0, i-1), min(i, last-1)
	h0, s0 := secant(below)
	h1, s1 := secant(above)
	switch {
	case last == 1:
		return s0
	case i == 0:
		h1, s1 = secant(1)
		return endSlope(h0, h1, s0, s1)
	case i == last:
		h0, s0 = secant(last - 2)
		return endSlope(h1, h0, s1, s0)
	case s0*s1 > 0:
		w0, w1 := 2*h1+h0, h1+2*h0
		return (w0 + w1) / (w0/s0 + w1/s1)
	}
	return 0
}

// endSlope is the slope at an end, of the parabola through three points unless that would overshoot.
func endSlope(h0, h1, s0, s1 float64) float64 {
	d := ((2*h0+h1)*s0 - h0*s1) / (h0 + h1)
	switch {
	case d*s0 <= 0:
		return 0
	case s0*s1 <= 0 && math.Abs(d) > 3*math.Abs(s0):
		return 3 * s0
	}
	return d
}

// Fault says what is wrong with a curve and what to do about it; empty if nothing is.
func (c *Curve) Fault() (fault, remedy string) {
	numbers := slices.Concat([]float64{c.At, c.Value, c.Exponent, c.Range[0], c.Range[1]}, c.Coefficients,
		c.Temperatures, c.Values)
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return "a curve needs finite numbers", ""
		}
	}
	if !(c.Range[0] > 0 && c.Range[1] > c.Range[0]) {
		return fmt.Sprintf("range from %g K to %g K is not valid", c.Range[0], c.Range[1]),
			"give a lower and a higher " +
				"temperature, both above 0 K"
	}
	switch c.Law {
	case TableLaw:
		if len(c.Temperatures) != len(c.Values) || len(c.Temperatures) < 2 || !ascending(c.Temperatures) ||
			c.Range != [2]float64{c.Temperatures[0], c.Temperatures[len(c.Temperatures)-1]} {
			return "a table needs at least two rows with ascending temperatures", ""
		}
	case PowerLaw, ExponentialLaw:
		if !(c.At > 0) {
			return fmt.Sprintf("reference temperature %g K must be above 0 K", c.At), ""
		}
	case PolynomialLaw:
		if len(c.Coefficients) == 0 {
			return "a polynomial needs coefficients", ""
		}
	default:
		return "no such law", ""
	}
	if v, t := c.lowest(); !(v > 0) || math.IsInf(v, 0) {
		return fmt.Sprintf("is %.3g at %.4g K, but must be positive throughout its range", v, t),
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

// OutOfRange lists temperatures of the stack outside the range of a temperature-dependent property: a line for each
// material and each face's law.
func (s *Stack) OutOfRange() []string {
	low, high, _ := s.References()
	low, high = min(low, s.Ambient), max(high, s.Ambient)
	if t := s.Transient.Initial; t > 0 {
		low, high = math.Min(low, t), math.Max(high, t)
	}
	var lines []string
	for f := range s.Boundary {
		b := &s.Boundary[f]
		if b.TemperatureDependent() && b.Law != nil &&
			(b.Temperature < b.Law.Range[0] || b.Temperature > b.Law.Range[1]) {
			lines = append(lines,
				fmt.Sprintf("boundary.%s: h is valid for surface temperatures from %.4g K to %.4g K, but its ambient "+
					"is %.4g K; outside the range, the values at its ends are used", Face(f), b.Law.Range[0],
					b.Law.Range[1], b.Temperature))
		}
	}
	for i := range s.Materials {
		m := &s.Materials[i]
		from, to, any := m.Range()
		if any && (low < from || high > to) {
			lines = append(lines,
				fmt.Sprintf("material %s: its properties are valid from %.4g K to %.4g K, but the stack has "+
					"temperatures from %.4g K to %.4g K; outside the range, the values at its ends are used",
					faults.Shorten(m.Name),
					from, to, low, high))
		}
	}
	if from, to, any := s.leakageRange(); any && (low < from || high > to) {
		lines = append(lines,
			fmt.Sprintf("leakage: its laws are valid from %.4g K to %.4g K, but the stack has temperatures from %.4g "+
				"K to %.4g K; outside the range, the values at its ends are used", from, to, low, high))
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
