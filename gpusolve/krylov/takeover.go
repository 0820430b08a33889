package krylov

import "thermsim/gpusolve/precond"

// With is the same method with another preconditioner, on the same vectors: the former is spent.
func (c *PCG) With(m precond.Preconditioner) *PCG {
	d := *c
	d.pre, d.again, d.againX = m, nil, nil
	return &d
}
