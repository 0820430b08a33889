// Package downstream is the method for stacks that coolant flows through, whose operator is not symmetric: BiCGSTAB with a cycle of multigrid on the whole
// operator, coolant included (package multigrid), and a bound on the error in K.
package downstream

import (
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/multigrid"
)

// Preconditioner of a mesh's system with coolant.
type Preconditioner struct {
	*multigrid.Cycle
	parts   *parts
	central *central // nil where all differences are upwind ones
}

var _ precond.Refresher = (*Preconditioner)(nil)

// New sets the cycle up. Executors that do not know coolant are refused.
func New(s ops.System) (*Preconditioner, error) {
	p := new(Preconditioner)
	var ok bool
	if p.parts, ok = onHost(s); !ok {
		return nil, fmt.Errorf("%w: stacks with coolant are solved on the processor; choose --device cpu", precond.ErrRefused)
	}
	plan := multigrid.Choose(s.Mesh())
	plan.Smoother = multigrid.LineChebyshev2
	var err error
	if p.Cycle, err = multigrid.NewPlanned(s, plan); err != nil {
		return nil, err
	}
	if len(p.parts.streams) > 0 {
		p.central, err = newCentral(s)
	}
	return p, err
}

// Details of the parts.
func (p *Preconditioner) Details() string {
	return fmt.Sprintf("%s; %d lines of coolant solved downstream", p.Cycle.Details(), p.parts.lines())
}

// Refresh follows changed coefficients.
func (p *Preconditioner) Refresh() error {
	p.parts.factor()
	return p.Cycle.Refresh()
}

// Apply sets z = M^-1 r.
func (p *Preconditioner) Apply(z, r ops.Vector) {
	if p.central != nil {
		p.central.apply(p, z, r)
		return
	}
	p.Cycle.Apply(z, r)
}
