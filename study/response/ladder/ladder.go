// Package ladder turns the step response of a thermal impedance into networks: the spectrum of time constants (a Foster
// network), the ladder that has the same impedance (a Cauer network), and its structure function. JESD51-14, annex B,
// names the steps; V. Székely, "Identification of RC networks by deconvolution: chances and limits", IEEE Trans.
// Circuits Syst. I 45 (1998) 244, has their theory.
package ladder

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Foster is a series of resistances, each with a capacitance beside it: Z(t) = sum R (1 - exp(-t/Tau)), Z(s) = sum R/(1
// + s Tau).
type Foster struct {
	R   []float64 `json:"R_K_per_W"`
	Tau []float64 `json:"tau_s"`
}

// Cauer is a ladder: C[0] from the input to ground, R[0] to the next node, C[1] from there to ground, and so on; the
// last resistance ends at ground.
//
//	Z(s) = 1/(s C[0] + 1/(R[0] + 1/(s C[1] + 1/(R[1] + ...))))
type Cauer struct {
	R []float64 `json:"R_K_per_W"`
	C []float64 `json:"C_J_per_K"`
}

// Step is the response to a step of 1 W at time 0, in K/W.
func (f *Foster) Step(t float64) float64 {
	z := 0.0
	for k, r := range f.R {
		z -= r * math.Expm1(-t/f.Tau[k])
	}
	return z
}

// At is the impedance at a real s in 1/s.
func (f *Foster) At(s float64) float64 {
	z := 0.0
	for k, r := range f.R {
		z += r / (1 + s*f.Tau[k])
	}
	return z
}

// At is the impedance at a real s in 1/s. It is summed from the far end, where all terms are positive: no digits are
// lost.
func (c *Cauer) At(s float64) float64 {
	z := 0.0
	for k := len(c.R) - 1; k >= 0; k-- {
		z = 1 / (s*c.C[k] + 1/(c.R[k]+z))
	}
	return z
}

// Total is the resistance of the whole network in K/W.
func (f *Foster) Total() float64 {
	sum := 0.0
	for _, r := range f.R {
		sum += r
	}
	return sum
}

// distinct is the network with its time constants ascending, and those that differ by rounding alone as one.
func (f *Foster) distinct() (*Foster, error) {
	const rounding = 1e-9
	order := make([]int, len(f.R))
	for k := range order {
		order[k] = k
		if r, tau := f.R[k], f.Tau[k]; !(r > 0) || !(tau > 0) || math.IsInf(r, 0) || math.IsInf(tau, 0) {
			return nil, fmt.Errorf("a resistance of %g K/W with a time constant of %g s: both must be positive", r, tau)
		}
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("a network without resistances")
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f.Tau[a], f.Tau[b]) })
	d := &Foster{}
	for _, k := range order {
		if n := len(d.R); n > 0 && f.Tau[k] <= d.Tau[n-1]*(1+rounding) {
			d.R[n-1] += f.R[k]
			continue
		}
		d.R, d.Tau = append(d.R, f.R[k]), append(d.Tau, f.Tau[k])
	}
	return d, nil
}
