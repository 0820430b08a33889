package krylov

import "thermsim/gpusolve/snapshot"

// mostSteps bounds the steps of conjugate gradients that an estimate may have kept.
const mostSteps = 1 << 28

// Snapshot takes what later solves with the same operator go by: what the estimate of the error has seen.
func (c *PCG) Snapshot(s *snapshot.Coder) {
	refreshes := c.error.operator
	c.error.snapshot(s)
	if s.Reading() {
		c.error.operator = refreshes
		if r, ok := c.pre.(interface{ Refreshes() int }); ok {
			c.error.operator = r.Refreshes() // the operator is that of the estimate
		}
	}
}

func (e *Estimate) snapshot(s *snapshot.Coder) {
	s.Float(&e.ritz.mu, &e.ritz.rest, &e.z, &e.top, &e.rz, &e.before, &e.rate.previous)
	s.Values(e.rate.rates[:])
	for _, list := range []*[]float64{&e.ritz.alpha, &e.ritz.beta, &e.mus} {
		s.Floats(list, mostSteps)
	}
	s.Int(&e.seen, &e.rate.n)
	s.Bool(&e.shown)
}
