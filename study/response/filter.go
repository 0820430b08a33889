package response

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// A step response is computed from its Laplace transform at real s. The transform of the response of a thermal network,
// times s, is
//
//	H(s) = sum R/(1 + s tau)          its step response  Z(t) = sum R (1 - exp(-t/tau))
//
// over time constants tau, all of them real and positive. Suppose that weights w at the shifts s = sigma/t satisfy this
// condition.
//
//	sum w/(1 + sigma tau/t)  =  (1 + e) (1 - exp(-t/tau)),   |e| <= bound, for every tau/t from 0 to infinity
//
// Then sum w H(sigma/t) approximates Z(t) with the same relative bound if all R are positive, that is, for driving
// points. Between two inputs, |R| of a mode is at most the geometric mean of its contributions to the two driving
// points, and so is the error: bound sqrt(Z11 Z22). Shifts that ascend by a fixed ratio serve all times that do so too,
// with the same weights. D. P. Gaver (Oper. Res. 14 (1966) 444) and H. Stehfest (Commun. ACM 13 (1970) 47) have weights
// for evenly spaced s; on a logarithmic axis such sums are known from geoelectrics as digital filters (D. Guptasarma,
// Geophysics 47 (1982) 1575).
type filter struct {
	first int       // index of the first weight, in shifts from 1/t plus the offset
	w     []float64 // of ascending shifts
}

const (
	shiftsPerDecade = 5
	phases          = 4 // times between two shifts
	timesPerDecade  = shiftsPerDecade * phases
	// Shifts from 1/10t to 160/t are weighted.
	below, above = shiftsPerDecade, 11
	// damping limits the weights if larger ones do not improve the accuracy.
	damping = 1e-9
	// FilterBound is the largest relative error of the inversion for driving points. Tests verify it.
	FilterBound = 1e-4
)

// filters contains the weights for times at p/phases of the interval between two shifts, for every p.
var filters = sync.OnceValue(func() [phases]filter {
	var all [phases]filter
	for p := range all {
		all[p] = newFilter(float64(p) / phases)
	}
	return all
})

// sigma is shift j times a time at the given offset after a shift.
func sigma(j int, offset float64) float64 {
	return math.Pow(10, (float64(j)+offset)/shiftsPerDecade)
}

// newFilter fits the weights by least squares of the relative error, at time constants from far below to far above the
// time.
func newFilter(offset float64) filter {
	f := filter{first: -below}
	const decades, perDecade = 7, 50
	rows, n := 2*decades*perDecade+1, below+above+1
	a, b := mat.NewDense(rows+n, n, nil), mat.NewVecDense(rows+n, nil)
	largest := make([]float64, n)
	for i := range rows {
		tau := math.Pow(10, float64(i)/perDecade-decades)
		for j := range n {
			v := 1 / (1 + sigma(f.first+j, offset)*tau) / -math.Expm1(-1/tau)
			a.Set(i, j, v)
			largest[j] = max(largest[j], v)
		}
		b.SetVec(i, 1)
	}
	for j := range n {
		a.Set(rows+j, j, damping*largest[j]*math.Sqrt(float64(rows)))
	}
	var qr mat.QR
	qr.Factorize(a)
	w := mat.NewVecDense(n, nil)
	_ = qr.SolveVecTo(w, false, b) // the error only reports the condition, which the damping bounds
	f.w = w.RawVector().Data
	return f
}

// span is a range of times on the filter's grid: time n is start times 10^(n/timesPerDecade).
type span struct {
	start float64
	count int
}

// newSpan covers the times from one to the other.
func newSpan(from, to float64) span {
	return span{from, int(math.Ceil(timesPerDecade*math.Log10(to/from)-1e-6)) + 1}
}

func (t span) at(n int) float64 {
	return t.start * math.Pow(10, float64(n)/timesPerDecade)
}

// shifts are the shifts for the times, ascending.
func (t span) shifts() []float64 {
	last := (t.count - 1) / phases
	s := make([]float64, below+last+above+1)
	for j := range s {
		s[j] = math.Pow(10, float64(j-below-last)/shiftsPerDecade) / t.start
	}
	return s
}

// response computes the response at all times from the transforms at the shifts.
func (t span) response(h []float64) []float64 {
	z := make([]float64, t.count)
	last := (t.count - 1) / phases
	all := filters()
	for n := range z {
		f := &all[n%phases]
		first := last - n/phases // index in h of the lowest shift for this time
		for j, w := range f.w {
			z[n] += w * h[first+j]
		}
	}
	return z
}
