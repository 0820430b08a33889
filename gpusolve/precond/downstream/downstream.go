// Package downstream is the method for stacks that coolant flows through, whose operator is not symmetric: BiCGSTAB
// with a cycle of multigrid on the whole operator, coolant included (package multigrid), and a bound on the error in K.
package downstream

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/multigrid"
)

// Preconditioner of a mesh's system with coolant.
type Preconditioner struct {
	*multigrid.Cycle
	parts   operations
	lines   int      // of coolant
	central *central // nil where all differences are upwind ones
}

var _ precond.Refresher = (*Preconditioner)(nil)

// New sets the cycle up. Executors that do not know coolant are refused.
func New(s ops.System) (*Preconditioner, error) {
	p := new(Preconditioner)
	var err error
	if p.parts, err = on(s); err != nil {
		return nil, err
	}
	anyCentral := false
	for _, v := range s.Mesh().Cavities {
		anyCentral = anyCentral || v.Of.Central
		for _, wet := range v.Lines {
			if wet {
				p.lines++
			}
		}
	}
	plan := multigrid.Choose(s.Mesh())
	plan.Smoother = multigrid.LineChebyshev2
	clear(plan.Weighted) // weights follow couplings of neighbours alone
	if p.Cycle, err = multigrid.NewPlanned(s, plan); err != nil {
		return nil, err
	}
	if anyCentral {
		p.central, err = newCentral(s)
	}
	return p, err
}

// Details of the parts.
func (p *Preconditioner) Details() string {
	return fmt.Sprintf("%s; %d lines of coolant solved downstream", p.Cycle.Details(), p.lines)
}

// Refresh follows changed coefficients.
func (p *Preconditioner) Refresh() error {
	if err := p.parts.factor(); err != nil {
		return err
	}
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
