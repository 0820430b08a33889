// Package downstream is the preconditioner of stacks that coolant flows through, whose operator is not symmetric. It joins three parts, each applied to the
// residual that the one before leaves:
//
//	the coolant     its own equations, exactly: a tridiagonal system along every line, solved downstream and back
//	the solids      a cycle of multigrid on a symmetric operator, in which coolant is a ground (host.Relaxed)
//	the transport   a coarse operator on blocks of cells, in which heat is carried from block to block, exactly
//
// and the coolant once more. What solids conduct is the cycle's; how far heat given off upstream warms what lies downstream is seen by the coarse operator.
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
	sys         ops.System
	relaxed     ops.System
	cycle       *multigrid.Cycle
	parts       operations
	z, t        ops.Vector // FP64
	short, part ops.Vector // FP32: what the cycle takes and gives
}

var _ precond.Refresher = (*Preconditioner)(nil)

// New sets the parts up. Executors that do not know coolant are refused.
func New(s ops.System) (*Preconditioner, error) {
	p := &Preconditioner{sys: s}
	var err error
	if p.relaxed, p.parts, err = on(s); err != nil {
		return nil, err
	}
	plan := multigrid.Choose(s.Mesh())
	plan.Smoother = multigrid.LineChebyshev2
	if p.cycle, err = multigrid.NewPlanned(p.relaxed, plan); err != nil {
		return nil, err
	}
	for _, v := range []*ops.Vector{&p.z, &p.t} {
		if *v, err = s.New64(); err != nil {
			return nil, err
		}
	}
	for _, v := range []*ops.Vector{&p.short, &p.part} {
		if *v, err = s.New32(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Name is that of its largest part.
func (p *Preconditioner) Name() string { return p.cycle.Name() }

// Details of the parts.
func (p *Preconditioner) Details() string {
	return fmt.Sprintf("%s; %d lines of coolant solved downstream; transport over %d blocks", p.cycle.Details(), p.lines(), p.parts.blocks())
}

// Refresh follows changed coefficients.
func (p *Preconditioner) Refresh() error {
	if err := p.parts.refresh(p.relaxed); err != nil {
		return err
	}
	return p.cycle.Refresh()
}

// Apply sets z = M^-1 r.
func (p *Preconditioner) Apply(z, r ops.Vector) {
	p.sys.Fill(p.z, 0)
	p.parts.subtract(p.t, r, nil)
	p.parts.sweep(p.z, p.t)
	p.residual(r)
	p.parts.narrow(p.short, p.t)
	p.cycle.Apply(p.part, p.short)
	p.parts.add(p.z, p.part)
	p.residual(r)
	p.parts.transport(p.z, p.t)
	p.residual(r)
	p.parts.sweep(p.z, p.t)
	p.parts.narrow(z, p.z)
}

// residual sets t = r - A z.
func (p *Preconditioner) residual(r ops.Vector) {
	p.sys.Apply(p.t, p.z)
	p.parts.subtract(p.t, r, p.t)
}

// lines is the number of lines of coolant.
func (p *Preconditioner) lines() int {
	n := 0
	for _, v := range p.sys.Mesh().Cavities {
		for _, wet := range v.Lines {
			if wet {
				n++
			}
		}
	}
	return n
}
