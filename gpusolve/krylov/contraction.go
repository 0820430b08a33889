package krylov

import "math"

// contraction observes how fast max|z| falls. With z = M^-1 r close to the error e and the error falling by rho per
// iteration, the rest of the geometric series gives max|e| <= max|z| / (1 - rho).
type contraction struct {
	previous float64
	rates    [3]float64 // the last ones, 0 where not yet known
	n        int
}

// unknownRate is assumed until two values of max|z| were seen.
const unknownRate = 0.5

// add takes the next max|z|; first says that the iteration has just been started again.
func (c *contraction) add(z float64, first bool) {
	if !first && c.previous > 0 {
		c.rates[c.n%len(c.rates)] = z / c.previous
		c.n++
	}
	c.previous = z
}

// rate is the largest of the last observations: the steps of conjugate gradients are uneven, and a lucky one must not end the solve.
func (c *contraction) rate() float64 {
	if c.n == 0 {
		return unknownRate
	}
	rho := 0.0
	for _, r := range c.rates[:min(c.n, len(c.rates))] {
		rho = math.Max(rho, r)
	}
	return math.Min(rho, 0.99)
}

func (c *contraction) estimate(z float64) float64 { return z / (1 - c.rate()) }
