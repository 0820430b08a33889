package krylov

import "math"

// contraction observes how fast max|z| falls. With z = M^-1 r close to the error e and the error falling by rho per
// iteration, the rest of the geometric series gives max|e| <= max|z| / (1 - rho).
type contraction struct {
	previous float64
	rates    [3]float64 // the last ones
	n        int
}

// cautious is assumed in place of every one of the last rates that was not yet observed, and usual is the least that
// counts: z may underrate the error where the preconditioner is at its worst.
const cautious, usual = 0.7, 0.5

// add takes the next max|z|; first says that the iteration has just been started again.
func (c *contraction) add(z float64, first bool) {
	if !first && c.previous > 0 {
		c.rates[c.n%len(c.rates)] = z / c.previous
		c.n++
	}
	c.previous = z
}

// rate is the largest of the last observations: the steps of conjugate gradients are uneven, and a lucky one must not
// end the solve.
func (c *contraction) rate() float64 {
	rho := usual
	if c.n < len(c.rates) {
		rho = cautious
	}
	for _, r := range c.rates[:min(c.n, len(c.rates))] {
		rho = math.Max(rho, r)
	}
	return math.Min(rho, 0.99)
}

func (c *contraction) estimate(z float64) float64 { return z / (1 - c.rate()) }
