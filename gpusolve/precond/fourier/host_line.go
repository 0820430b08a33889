package fourier

import "slices"

// line turns pairs of real rows of one axis into coefficients of the basis functions and back. Two rows share one
// complex transform. A worker has its own.
//
// Sines are cosines of a row that is reversed or has every other sign changed:
//
//	sin(pi (k+1) (i+1/2) / n)   = (-1)^i cos(pi (n-1-k) (i+1/2) / n)
//	sin(pi (k+1/2) (i+1/2) / n) = (-1)^k cos(pi (k+1/2) (n-1-i+1/2) / n)
type line struct {
	ends Ends
	cosine
	spare []float64 // stands in for the second row of a pair
}

// cosine is a cosine transform of pairs of rows.
type cosine interface {
	// forward turns values into the coefficients c of value = sum of c times cosine.
	forward(a, b []float64)
	inverse(a, b []float64)
}

func newLine(n int, ends Ends) *line {
	l := &line{ends: ends, spare: make([]float64, n)}
	switch {
	case ends == Adiabatic || ends == Held:
		l.cosine = newWholeCosine(n)
	case n%2 == 0:
		l.cosine = newEvenHalfCosine(n)
	default:
		l.cosine = newOddHalfCosine(n)
	}
	return l
}

// forward turns values of rows a and b into coefficients of the basis functions. A nil b is none.
func (l *line) forward(a, b []float64) {
	if b == nil {
		b = l.nothing()
	}
	switch l.ends {
	case Held:
		alternate(a, b)
		l.cosine.forward(a, b)
		slices.Reverse(a)
		slices.Reverse(b)
	case HeldLow:
		slices.Reverse(a)
		slices.Reverse(b)
		l.cosine.forward(a, b)
		alternate(a, b)
	default:
		l.cosine.forward(a, b)
	}
}

// inverse is the way back.
func (l *line) inverse(a, b []float64) {
	if b == nil {
		b = l.nothing()
	}
	switch l.ends {
	case Held:
		slices.Reverse(a)
		slices.Reverse(b)
		l.cosine.inverse(a, b)
		alternate(a, b)
	case HeldLow:
		alternate(a, b)
		l.cosine.inverse(a, b)
		slices.Reverse(a)
		slices.Reverse(b)
	default:
		l.cosine.inverse(a, b)
	}
}

// nothing is a row of zeros. What rounding left there must not grow from one transform to the next.
func (l *line) nothing() []float64 {
	clear(l.spare)
	return l.spare
}

// alternate changes every other sign.
func alternate(rows ...[]float64) {
	for _, r := range rows {
		for i := 1; i < len(r); i += 2 {
			r[i] = -r[i]
		}
	}
}
