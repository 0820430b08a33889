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
	parts *parts
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
	p.Cycle, err = multigrid.NewPlanned(s, plan)
	return p, err
}

// Details of the parts.
func (p *Preconditioner) Details() string {
	return fmt.Sprintf("%s; %d lines of coolant solved downstream", p.Cycle.Details(), p.parts.lines())
}
