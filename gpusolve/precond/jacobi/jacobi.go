// Package jacobi preconditions with the diagonal of A, or with nothing at all. Both are baselines: on fine grids they
// need thousands of iterations.
package jacobi

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

type scaling struct {
	ops  Operations
	d    ops.Vector // nil for the identity
	name string
}

var _ precond.Refresher = (*scaling)(nil)

// New computes 1/diag(A).
func New(s ops.Operator) (precond.Preconditioner, error) {
	diagonal, err := On(s)
	if err != nil {
		return nil, err
	}
	d, err := s.New32()
	if err != nil {
		return nil, err
	}
	diagonal.InverseDiagonal(d)
	return &scaling{diagonal, d, "jacobi"}, nil
}

// None is plain conjugate gradients.
func None(s ops.Operator) (precond.Preconditioner, error) {
	diagonal, err := On(s)
	if err != nil {
		return nil, err
	}
	return &scaling{diagonal, nil, "none"}, nil
}

// Refresh computes 1/diag(A) again.
func (p *scaling) Refresh() error {
	if p.d != nil {
		p.ops.InverseDiagonal(p.d)
	}
	return nil
}

func (p *scaling) Name() string          { return p.name }
func (p *scaling) Details() string       { return "" }
func (p *scaling) Apply(z, r ops.Vector) { p.ops.Scale(z, p.d, r) }
