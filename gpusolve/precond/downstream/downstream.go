// Package downstream is the method for stacks with liquid cooling, whose operator is not symmetric. It is BiCGSTAB with
// a multigrid cycle on the whole operator, coolant included (package multigrid). It also bounds the error in K.
package downstream

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"fmt"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/method"
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

// central joins a cycle, which has upwind differences throughout, with a correction where the operator has central
// ones. Before and after the cycle, the equations of the coolant are solved along every line as they are, in FP64.
type central struct {
	sys         ops.System
	z, t        ops.Vector // FP64
	short, part ops.Vector // FP32: what the cycle takes and gives
}

func newCentral(s ops.System) (*central, error) {
	c := &central{sys: s}
	var err error
	for _, v := range []*ops.Vector{&c.z, &c.t} {
		if *v, err = s.New64(); err != nil {
			return nil, err
		}
	}
	for _, v := range []*ops.Vector{&c.short, &c.part} {
		if *v, err = s.New32(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// apply sets z = M^-1 r.
func (c *central) apply(p *Preconditioner, z, r ops.Vector) {
	c.sys.Fill(c.z, 0)
	p.parts.residual(c.t, r, nil)
	p.parts.sweep(c.z, c.t)
	c.residual(p, r)
	p.parts.narrow(c.short, c.t)
	p.Cycle.Apply(c.part, c.short)
	p.parts.add(c.z, c.part)
	c.residual(p, r)
	p.parts.sweep(c.z, c.t)
	p.parts.narrow(z, c.z)
}

// residual sets t = r - A z.
func (c *central) residual(p *Preconditioner, r ops.Vector) {
	c.sys.Apply(c.t, c.z)
	p.parts.residual(c.t, r, c.t)
}

// Definition of the method: multigrid, as users know it, for stacks with coolant.
func Definition() method.Definition {
	d := multigrid.Definition()
	d.New = func(a ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
		s, ok := a.(ops.System)
		if !ok {
			return nil, fmt.Errorf("%w: coolant needs the geometry of a stack", precond.ErrRefused)
		}
		if set.Text("solver") == "pcg" {
			return nil, fmt.Errorf("%w: conjugate gradients need a symmetric matrix, and coolant makes it lose its "+
				"symmetry; remove solver=pcg", precond.ErrRefused)
		}
		return method.Made(New(s))
	}
	d.Memory = func(s precond.Shape, _ precond.Settings) precond.Need { return memory(s) }
	d.General = true
	d.Solver = method.Solver{
		New: func(a ops.Operator, m *precond.Instance, _ precond.Settings) (krylov.Solver, error) {
			return newSolver(a.(ops.System), m)
		},
		Memory: func(s precond.Shape, _ precond.Settings) int64 { return krylov.BiCGSTABMemory(s) + s.Vector(3*8+4) },
	}
	return d
}

// memory adds to multigrid, whose levels count coolant, what central differences take: vectors around the cycle, and
// factors of lines.
func memory(s precond.Shape) precond.Need {
	n := multigrid.Memory(s)
	if s.Mesh == nil {
		return n
	}
	more := int64(0)
	for _, c := range s.Mesh.Cavities {
		if c.Of.Central {
			more = max(more, s.Vector(2*8+2*4)) + 3*8*s.Sheet()
		}
	}
	n.SetUp += more
	n.Held += more
	return n
}
