package stack

import "math"

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

// pieceError is the largest relative error of pieces that stand for a power law or a polynomial, most how many there
// may be.
const pieceError, mostPieces = 1e-12, 4096

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
	for ; n < mostPieces; n *= 2 {
		if c.missBy(c.equalPieces(n)) <= pieceError {
			break
		}
	}
	return c.equalPieces(n)
}

func (c *Curve) tablePieces() []Piece {
	slopes := monotoneSlopes(c.Temperatures, c.Values)
	var all []Piece
	for i := 1; i < len(c.Temperatures); i++ {
		all = append(all, hermite(c.Temperatures[i-1], c.Temperatures[i], c.Values[i-1], c.Values[i], slopes[i-1],
			slopes[i]))
	}
	return all
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

// monotoneSlopes are those of F. N. Fritsch and J. Butland, A method for constructing local monotone piecewise cubic
// interpolants, SIAM J. Sci. Stat. Comput. 5 (1984) 300: the weighted harmonic mean of the secants on either side, 0 at
// an extremum, and at the ends the three-point formula that keeps the shape. The interpolant is monotone wherever the
// points are.
func monotoneSlopes(t, v []float64) []float64 {
	n := len(t)
	h, secant := make([]float64, n-1), make([]float64, n-1)
	for i := range secant {
		h[i] = t[i+1] - t[i]
		secant[i] = (v[i+1] - v[i]) / h[i]
	}
	s := make([]float64, n)
	if n == 2 {
		s[0], s[1] = secant[0], secant[0]
		return s
	}
	for i := 1; i < n-1; i++ {
		if secant[i-1]*secant[i] > 0 {
			w0, w1 := 2*h[i]+h[i-1], h[i]+2*h[i-1]
			s[i] = (w0 + w1) / (w0/secant[i-1] + w1/secant[i])
		}
	}
	s[0] = endSlope(h[0], h[1], secant[0], secant[1])
	s[n-1] = endSlope(h[n-2], h[n-3], secant[n-2], secant[n-3])
	return s
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
