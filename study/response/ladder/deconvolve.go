package ladder

import (
	"fmt"
	"math"
)

// Deconvolve finds the spectrum of time constants of a step response: Z at times t that ascend evenly on a logarithmic
// axis, and total, its value after all time.
//
// With z = ln t the derivative of the response is the convolution of the spectrum with exp(z - exp(z)), which JESD51-14
// inverts by Bayes' theorem, iterated (W. H. Richardson, J. Opt. Soc. Am. 62 (1972) 55; L. B. Lucy, Astron. J. 79
// (1974) 745). In place of the derivative the growth of Z from each time to the next is taken, of which a time constant
// tau has the part exp(-t/tau) - exp(-t'/tau): nothing is differentiated, and the resistances add up to the total at
// every iteration.
//
// Time constants lie on the grid of the times. The result is positive, as the spectrum of a driving point is; growth
// that is not positive counts as none.
func Deconvolve(t, z []float64, total float64, iterations int) (*Foster, error) {
	n := len(t)
	if n < 2 || len(z) != n || !(total > 0) || math.IsInf(total, 0) {
		return nil, fmt.Errorf("a response of %d values at %d times that ends at %g K/W has no spectrum", len(z), n,
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

// growthOf is that up to the first time, from each time to the next, and after the last, in all the total.
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

// partsOf has in row i, column k the part of its resistance that time constant t[k] adds between times i-1 and i.
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

// firsts has for each row the column from which on it counts: long after a time constant nothing of its growth is left.
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

// significant leaves out what adds nothing that a plot could show, and at the slow end what is below the accuracy of
// responses: there the least growth, over a long time, would stand for a capacitance without bounds. The resistance
// goes to what is left.
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
