// Package downstream is the method for stacks that coolant flows through, whose operator is not symmetric: BiCGSTAB with a cycle of multigrid on the whole
// operator, coolant included (package multigrid), and a bound on the error in K.
package downstream

//go:generate go run thermsim/tools/ptxgen/gen -I ../../kernels

import (
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/multigrid"
)

// Preconditioner of a mesh's system with coolant.
type Preconditioner struct {
	*multigrid.Cycle
	bound operations
	lines int // of coolant
}

var _ precond.Refresher = (*Preconditioner)(nil)

// New sets the cycle up. Executors that do not know coolant are refused.
func New(s ops.System) (*Preconditioner, error) {
	p := new(Preconditioner)
	var err error
	if p.bound, err = on(s); err != nil {
		return nil, err
	}
	for _, v := range s.Mesh().Cavities {
		for _, wet := range v.Lines {
			if wet {
				p.lines++
			}
		}
	}
	plan := multigrid.Choose(s.Mesh())
	plan.Smoother = multigrid.LineChebyshev2
	clear(plan.Weighted) // weights follow couplings of neighbours alone
	p.Cycle, err = multigrid.NewPlanned(s, plan)
	return p, err
}

// Details of the parts.
func (p *Preconditioner) Details() string {
	return fmt.Sprintf("%s; %d lines of coolant solved downstream", p.Cycle.Details(), p.lines)
}
