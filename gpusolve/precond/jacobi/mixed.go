package jacobi

import (
	"errors"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Mixed is the diagonal, or nothing, for krylov.Mixed: what CUTh-Solver's other parts are worth without its preconditioner.
type Mixed struct {
	sys    ops.MixedPrecision
	d      ops.Vector // FP32; nil for the identity
	name   string
	mode   krylov.Mode
	matrix ops.Stored
}

var _ precond.Preconditioner = (*Mixed)(nil)

// NewMixed reads the settings of krylov.MixedKeys.
func NewMixed(s ops.Space, name string, set precond.Settings) (*Mixed, error) {
	sys, ok := s.(ops.MixedPrecision)
	if !ok {
		return nil, errors.New("this device has no operations in mixed precision")
	}
	mode, err := krylov.ModeOf(set.Text("precision"))
	if err != nil {
		return nil, err
	}
	p := &Mixed{sys: sys, name: name, mode: mode}
	if p.matrix, err = krylov.Store(s, set.Text("format"), mode.Copies()); err != nil {
		return nil, err
	}
	if name == "none" {
		return p, nil
	}
	diagonal, ok := s.(ops.Diagonal)
	if !ok {
		return nil, errors.New("this device has no diagonal operations")
	}
	if p.d, err = s.New32(); err == nil {
		diagonal.InverseDiagonal(p.d)
	}
	return p, err
}

// Solver is the iteration in the precisions asked for.
func (p *Mixed) Solver(s ops.Space) (krylov.Solver, error) {
	return krylov.NewMixed(s, p, p.matrix, p.mode)
}

// Name is that of the method.
func (p *Mixed) Name() string { return p.name }

// Details is empty: nothing was chosen.
func (p *Mixed) Details() string { return "" }

// Apply sets z = d r.
func (p *Mixed) Apply(z, r ops.Vector) { p.sys.MixedScale(z, p.d, r) }
