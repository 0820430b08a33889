package stackfile

import "math"

// Range of a number that is chosen or fitted. It is divided evenly; in the logarithm if it is positive and at least a
// decade.
type Range struct{ Low, High float64 }

// Logarithmic reports whether the logarithm of the number is used.
func (r Range) Logarithmic() bool { return r.Low > 0 && r.High >= 10*r.Low }

// At is the number at a part u of the range, or beyond it.
func (r Range) At(u float64) float64 {
	if r.Logarithmic() {
		return r.Low * math.Pow(r.High/r.Low, u)
	}
	return r.Low + u*(r.High-r.Low)
}

// Part is the inverse of At.
func (r Range) Part(x float64) float64 {
	if r.Logarithmic() {
		return math.Log(x/r.Low) / math.Log(r.High/r.Low)
	}
	return (x - r.Low) / (r.High - r.Low)
}

// Slope is the derivative of At.
func (r Range) Slope(u float64) float64 {
	if r.Logarithmic() {
		return r.At(u) * math.Log(r.High/r.Low)
	}
	return r.High - r.Low
}
