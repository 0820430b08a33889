// Package ilu preconditions with incomplete factors L D U of a grid's matrix, in natural order: level 0 or 1 of fill.
// Of a symmetric matrix they are the Cholesky factors L D L^T.
//
// The triangular solves go along wavefronts; see docs/explanation/ilu.md for what that costs on flat grids. Kernels is
// their GPU side, made of ilu.cu.
package ilu

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"errors"
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

type incomplete struct {
	name      string
	triangles Triangles
	details   string
}

var _ precond.Preconditioner = (*incomplete)(nil)

// New factorises the system's matrix.
func New(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	return factored("ilu", s, set)
}

// NewCholesky factorises the system's matrix, which must be symmetric.
func NewCholesky(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	if !s.Symmetric() {
		return nil,
			fmt.Errorf("%w: incomplete Cholesky factors need a symmetric matrix, and this one is not; choose ilu",
				precond.ErrRefused)
	}
	return factored("ic", s, set)
}

func factored(name string, s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	how := Options{Order: set.Int("order"), Shift: set.Float("shift"), Double: set.Text("precision") == "fp64",
		Form: FormOf(set.Text("form"))}
	if how.Double && how.Form != ByTiles {
		return nil, fmt.Errorf("%w: form=%s solves in FP32; leave form or precision away", precond.ErrRefused,
			set.Text("form"))
	}
	a, beside, err := ops.NearDiagonals(s)
	if err != nil {
		if s.Err() == nil {
			err = fmt.Errorf("%w: %w", precond.ErrRefused, err)
		}
		return nil, err
	}
	defer a.Release()
	f, err := Factorise(s, a, how)
	if err != nil {
		return nil, explain(err, how)
	}
	defer f.Release()
	t, err := f.Triangles()
	if err != nil {
		return nil, err
	}
	details := fmt.Sprintf("order %d", how.Order)
	if how.Shift > 0 {
		details += fmt.Sprintf(", shift %g", how.Shift)
	}
	if beside > 0 {
		details += fmt.Sprintf(", without %d entries between planes two apart", beside)
	}
	if how.Double {
		details += ", FP64"
	}
	if how.Form != ByTiles {
		details += ", form " + set.Text("form")
	}
	return &incomplete{name, t, details}, nil
}

// explain tells what to do about a matrix that has no factor.
func explain(err error, how Options) error {
	var m *Misfit
	if !errors.As(err, &m) {
		return err
	}
	remedy := "choose another preconditioner"
	if m.Reason == NotPositive || m.Reason == NoPivot {
		remedy = fmt.Sprintf("add a share of the diagonal with shift=%g, or choose another preconditioner",
			max(0.001, 4*how.Shift))
	}
	return fmt.Errorf("%w: incomplete factorisation of order %d: %w; %s", precond.ErrRefused, how.Order, m, remedy)
}

func (p *incomplete) Name() string    { return p.name }
func (p *incomplete) Details() string { return p.details }

func (p *incomplete) Apply(z, r ops.Vector) { p.triangles.Solve(z, r) }
