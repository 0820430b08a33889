package jacobi

import (
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Mixed is the diagonal, or nothing, for mixed.Solver: what CUTh-Solver's other parts are worth without its
// preconditioner.
type Mixed struct {
	work   ops.Workspace
	sys    mixed.Operations // on work
	d      ops.Vector       // FP32; nil for the identity
	name   string
	mode   mixed.Mode
	matrix mixed.Stored
}

// NewMixed reads the settings of mixed.Keys.
func NewMixed(s ops.Operator, name string, set precond.Settings) (*Mixed, error) {
	w, err := s.NewWorkspace()
	if err != nil {
		return nil, err
	}
	sys, err := mixed.On(w)
	if err != nil {
		return nil, err
	}
	mode, err := mixed.ModeOf(set.Text("precision"), false)
	if err != nil {
		return nil, err
	}
	p := &Mixed{work: w, sys: sys, name: name, mode: mode}
	if p.matrix, err = mixed.Store(s, sys, set.Text("format"), mode.Copies()); err != nil {
		return nil, err
	}
	if name == "none" {
		return p, nil
	}
	diagonal, err := On(s)
	if err != nil {
		return nil, err
	}
	if p.d, err = s.New32(); err == nil {
		diagonal.InverseDiagonal(p.d)
	}
	return p, err
}

// Matrix is what the Krylov iteration multiplies with, Mode its precisions.
func (p *Mixed) Matrix() mixed.Stored { return p.matrix }

// Mode is the Krylov iteration's.
func (p *Mixed) Mode() mixed.Mode { return p.mode }

// Name is that of the method.
func (p *Mixed) Name() string { return p.name }

// Details is empty: nothing was chosen.
func (p *Mixed) Details() string { return "" }

// Apply sets z = d r.
func (p *Mixed) Apply(z, r ops.Vector) { p.sys.Scale(z, p.d, r) }
