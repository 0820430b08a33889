package ladder

import (
	"fmt"
	"math"
)

// Deconvolve computes the spectrum of time constants of a step response: Z at times t that are evenly spaced on a
// logarithmic axis, and total, its steady-state value.
//
// With z = ln t the derivative of the response is the convolution of the spectrum with exp(z - exp(z)), which JESD51-14
// inverts by Bayes' theorem, iterated (W. H. Richardson, J. Opt. Soc. Am. 62 (1972) 55; L. B. Lucy, Astron. J. 79
// (1974) 745). Instead of the derivative, the increase of Z from each time to the next is used, to which a time
// constant tau contributes exp(-t/tau) - exp(-t'/tau). This avoids differentiation, and the resistances add up to the
// total at every iteration.
//
// Time constants lie on the grid of the times. The result is positive, like the spectrum of a driving point; negative
// increases are set to zero.
func Deconvolve(t, z []float64, total float64, iterations int) (*Foster, error) {
	n := len(t)
	if n < 2 || len(z) != n || !(total > 0) || math.IsInf(total, 0) {
		return nil, fmt.Errorf("invalid response: %d values at %d times with the steady-state value %g K/W", len(z), n,
			total)
	}
	for i := range t {
		if !(t[i] > 0) || i > 0 && !(t[i] > t[i-1]) || z[i]-z[i] != 0 {
			return nil, fmt.Errorf("times and values of a response must be finite numbers, and times positive and "+
				"ascending: Z(%g s) = %g K/W", t[i], z[i])
		}
	}
	growth, parts := growthOf(z, total), partsOf(t)
	from := firsts(parts, n)
	f := &Foster{R: make([]float64, n), Tau: append([]float64(nil), t...)}
	for k := range f.R {
		f.R[k] = total / float64(n)
	}
	gain := make([]float64, n)
	for range iterations {
		clear(gain)
		for i, g := range growth {
			row, r, into := parts[i*n+from[i]:(i+1)*n], f.R[from[i]:], gain[from[i]:]
			sum := 0.0
			for k, part := range row {
				sum += part * r[k]
			}
			if !(sum > 0) {
				continue
			}
			q := g / sum
			for k, part := range row {
				into[k] += part * q
			}
		}
		for k := range f.R {
			f.R[k] *= gain[k]
		}
	}
	return f.significant(), nil
}

// growthOf are the increases up to the first time, between times, and after the last one; their sum is the total.
func growthOf(z []float64, total float64) []float64 {
	growth := make([]float64, len(z)+1)
	sum, last := 0.0, 0.0
	for i := range growth {
		next := total
		if i < len(z) {
			next = z[i]
		}
		growth[i] = max(0, next-last)
		last = max(last, next)
		sum += growth[i]
	}
	for i := range growth {
		growth[i] *= total / sum
	}
	return growth
}

// partsOf contains in row i, column k the fraction of its resistance that time constant t[k] adds between times i-1 and
// i.
func partsOf(t []float64) []float64 {
	n := len(t)
	parts := make([]float64, (n+1)*n)
	for k, tau := range t {
		left := 1.0
		for i := range n {
			next := math.Exp(-t[i] / tau)
			parts[i*n+k] = left - next
			if i > 0 { // without the cancellation of 1 - (1 - small)
				parts[i*n+k] = -math.Exp(-t[i-1]/tau) * math.Expm1((t[i-1]-t[i])/tau)
			} else {
				parts[k] = -math.Expm1(-t[0] / tau)
			}
			left = next
		}
		parts[n*n+k] = left
	}
	return parts
}

// firsts is, for each row, the first column that is not negligible: long after a time constant its contribution
// vanishes.
func firsts(parts []float64, n int) []int {
	const nothing = 1e-20
	from := make([]int, n+1)
	for i := range from {
		for from[i] < n-1 && parts[i*n+from[i]] < nothing {
			from[i]++
		}
	}
	return from
}

// significant removes negligible time constants, and at the slow end those below the accuracy of responses: there the
// smallest increase, over a long time, would represent an unbounded capacitance. Their resistance is distributed to the
// others.
func (f *Foster) significant() *Foster {
	const negligible, accuracy = 1e-9, 1e-4
	total := f.Total()
	s := &Foster{}
	for k, r := range f.R {
		if r > negligible*total {
			s.R, s.Tau = append(s.R, r), append(s.Tau, f.Tau[k])
		}
	}
	tail := 0.0
	for n := len(s.R) - 1; n > 0 && tail+s.R[n] < accuracy*total; n-- {
		tail += s.R[n]
		s.R, s.Tau = s.R[:n], s.Tau[:n]
	}
	left := s.Total()
	for k := range s.R {
		s.R[k] *= total / left
	}
	return s
}
