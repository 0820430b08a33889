// Package ladder converts the step response of a thermal impedance into networks: the spectrum of time constants (a
// Foster network), the ladder with the same impedance (a Cauer network), and its structure function. The steps follow
// JESD51-14, annex B; V. Székely, "Identification of RC networks by deconvolution: chances and limits", IEEE Trans.
// Circuits Syst. I 45 (1998) 244, gives the theory.
package ladder

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Foster is a series of resistances, each with a parallel capacitance: Z(t) = sum R (1 - exp(-t/Tau)), Z(s) = sum R/(1
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

// At is the impedance at a real s in 1/s. It is summed from the far end with positive terms, so that no digits are
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

// distinct is the network in ascending order of time constants, with those merged that differ only by rounding.
func (f *Foster) distinct() (*Foster, error) {
	const rounding = 1e-9
	order := make([]int, len(f.R))
	for k := range order {
		order[k] = k
		if r, tau := f.R[k], f.Tau[k]; !(r > 0) || !(tau > 0) || math.IsInf(r, 0) || math.IsInf(tau, 0) {
			return nil, fmt.Errorf("got a resistance of %g K/W with a time constant of %g s; both must be positive", r,
				tau)
		}
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("the network has no resistances")
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

// errPrecision reports that no precision was sufficient.
var errPrecision = errors.New("the ladder of this network exceeds the precision limit")

const (
	bitsPerPole = 4 // at first
	maxBits     = 1 << 16
	// agreement is the largest relative deviation of the ladder's impedance from that of the network.
	agreement = 1e-9
)

// Cauer is the ladder with the same impedance. The continued fraction loses digits with every section, so its precision
// is increased until the impedance of the result agrees to 1e-9 at every time constant.
func (f *Foster) Cauer() (*Cauer, error) {
	d, err := f.distinct()
	if err != nil {
		return nil, err
	}
	for bits := uint(128 + bitsPerPole*len(d.R)); bits <= maxBits; bits *= 2 {
		if c := d.divide(bits); c != nil && c.agrees(d) {
			return c, nil
		}
	}
	return nil, errPrecision
}

// agrees compares the impedances between and around the time constants.
func (c *Cauer) agrees(f *Foster) bool {
	for _, tau := range f.Tau {
		for _, s := range [...]float64{0.1 / tau, 1 / tau, 10 / tau} {
			if want := f.At(s); !(math.Abs(c.At(s)-want) <= agreement*want) {
				return false
			}
		}
	}
	return true
}

// divide expands the impedance N(s)/D(s) into its continued fraction: C is the quotient of the leading terms of D and
// N, R that of N and the remainder of D. It is nil if the precision is insufficient.
func (f *Foster) divide(bits uint) *Cauer {
	n := len(f.R)
	unit := math.Sqrt(f.Tau[0] * f.Tau[n-1]) // of time
	num, den := f.fraction(bits, unit)
	c := &Cauer{}
	for k := n; k > 0; k-- {
		// den has degree k, num degree k-1.
		q := new(big.Float).SetPrec(bits).Quo(den[k], num[k-1])
		subtract(den[1:k+1], num[:k], q, bits)
		r := new(big.Float).SetPrec(bits)
		if den[k-1].Sign() <= 0 {
			return nil
		}
		r.Quo(num[k-1], den[k-1])
		subtract(num[:k], den[:k], r, bits)
		capacity, _ := q.Float64()
		resistance, _ := r.Float64()
		if !(capacity > 0) || !(resistance > 0) || math.IsInf(capacity, 0) || math.IsInf(resistance, 0) || k > 1 &&
			num[k-2].Sign() <= 0 {
			return nil
		}
		c.C, c.R = append(c.C, capacity*unit), append(c.R, resistance)
	}
	return c
}

// subtract takes q times b from a.
func subtract(a, b []*big.Float, q *big.Float, bits uint) {
	t := new(big.Float).SetPrec(bits)
	for i := range a {
		a[i].Sub(a[i], t.Mul(b[i], q))
	}
}

// fraction is N and D with D = prod (1 + s Tau), with coefficients in ascending order and s in 1/unit. Sections are
// added one by one: a factor 1 + s T in D changes N to N (1 + s T) + R D.
func (f *Foster) fraction(bits uint, unit float64) (num, den []*big.Float) {
	zero := func() *big.Float { return new(big.Float).SetPrec(bits) }
	n := len(f.R)
	for range n {
		num, den = append(num, zero()), append(den, zero())
	}
	den = append(den, zero())
	den[0].SetInt64(1)
	t, r, p := zero(), zero(), zero()
	for k := range f.R {
		t.Quo(zero().SetFloat64(f.Tau[k]), zero().SetFloat64(unit))
		r.SetFloat64(f.R[k])
		for i := k; i >= 0; i-- { // degrees k-1 of num and k of den before
			if i > 0 {
				num[i].Add(num[i], p.Mul(num[i-1], t))
			}
			num[i].Add(num[i], p.Mul(den[i], r))
		}
		for i := k + 1; i > 0; i-- {
			den[i].Add(den[i], p.Mul(den[i-1], t))
		}
	}
	return num, den
}

// Structure is the structure function of a ladder: the cumulative heat capacity as a function of the thermal resistance
// from the junction, and its derivative, with one value for each section. Materials in series appear as plateaus of the
// derivative: in a column of cross-section A it is c k A^2, with the volumetric heat capacity c and the conductivity k
// (JESD51-14, annex B).
type Structure struct {
	R []float64 `json:"R_sum_K_per_W"` // cumulative, the middle of each section
	C []float64 `json:"C_sum_J_per_K"` // cumulative, likewise
	K []float64 `json:"K_W2s_per_K2"`  // dC/dR of each section
}

// Structure returns the structure function of the ladder.
func (c *Cauer) Structure() *Structure {
	s := &Structure{}
	r, heat := 0.0, 0.0
	for k := range c.R {
		s.R, s.C, s.K = append(s.R, r+c.R[k]/2), append(s.C, heat+c.C[k]), append(s.K, c.C[k]/c.R[k])
		r, heat = r+c.R[k], heat+c.C[k]
	}
	return s
}

// Within removes the far sections that together have less than a fraction of the total resistance, and adds their
// resistance to the last remaining one. The impedance changes by no more than that fraction. A spectrum that is smeared
// by its measurement ends in sections with almost no resistance and unbounded capacitances.
func (c *Cauer) Within(part float64) *Cauer {
	total := 0.0
	for _, r := range c.R {
		total += r
	}
	rest, n := 0.0, len(c.R)
	for n > 1 && rest+c.R[n-1] < part*total {
		n--
		rest += c.R[n]
	}
	w := &Cauer{append([]float64(nil), c.R[:n]...), append([]float64(nil), c.C[:n]...)}
	w.R[n-1] += rest
	return w
}
