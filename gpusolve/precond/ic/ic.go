// Package ic preconditions with an incomplete Cholesky factor of a grid's matrix, in natural order: level 0 or 1 of fill.
//
// The triangular solves go along wavefronts; see docs/ic.md for what that costs on flat grids. Kernels is their GPU side, made of ic.cu.
package ic

//go:generate go run thermsim/tools/ptxgen/gen -I ../../kernels

import (
	"errors"
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Keys are the settings of the method.
func Keys() []precond.Key {
	return []precond.Key{
		{Name: "order", Kind: precond.Integer, Default: "1", Min: 0, Max: 1, Doc: "level of fill: 0 keeps the matrix's own pattern, 1 adds six diagonals"},
		{Name: "shift", Kind: precond.Number, Default: "0", Min: 0, Max: 10, Doc: "share of the diagonal that is added before the factorisation"},
	}
}

type incomplete struct {
	triangles Triangles
	details   string
}

var _ precond.Preconditioner = (*incomplete)(nil)

// New factorises the system's matrix.
func New(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	how := Options{Order: set.Int("order"), Shift: set.Float("shift")}
	forms, ok := s.(ops.Forms)
	if !ok {
		return nil, errNoDevice
	}
	a, err := forms.Diagonals()
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
	return &incomplete{t, details}, nil
}

var errNoDevice = fmt.Errorf("%w: this device has no incomplete factorisations", precond.ErrRefused)

// explain tells what to do about a matrix that has no factor.
func explain(err error, how Options) error {
	var m *Misfit
	if !errors.As(err, &m) {
		return err
	}
	remedy := "choose another preconditioner"
	if m.Reason == NotPositive {
		remedy = fmt.Sprintf("add a share of the diagonal with shift=%g, or choose another preconditioner", max(0.001, 4*how.Shift))
	}
	return fmt.Errorf("%w: incomplete factorisation of order %d: %w; %s", precond.ErrRefused, how.Order, m, remedy)
}

func (p *incomplete) Name() string    { return "ic" }
func (p *incomplete) Details() string { return p.details }

func (p *incomplete) Apply(z, r ops.Vector) { p.triangles.Solve(z, r) }
