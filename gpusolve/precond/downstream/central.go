package downstream

import "thermsim/gpusolve/ops"

// central joins a cycle, which has upwind differences throughout, with what makes up for that where the operator has
// central ones: before and behind it, the coolant's own equations are solved along every line as they are, in FP64.
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
