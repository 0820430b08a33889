package krylov

//go:generate go run thermsim/tools/ptxgen/gen -I ../cuda/kernels

import (
	"context"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// BiCGSTAB is the stabilised method of bi-conjugate gradients (van der Vorst 1992) with the preconditioner on the
// right, for systems that need not be symmetric. An iteration costs two products with A and two applications of the
// preconditioner. Preconditioning from the right leaves the residual what it is, so that rules on its norm mean what
// they say.
//
// The recursion breaks down where the residual becomes orthogonal to the shadow residual, or to its own image; it also
// drifts away from the true residual. In each case the true residual is computed and the recursion starts again from
// it, with a new shadow, as long as that helps.
type BiCGSTAB struct {
	sys     ops.Operator
	scalars ops.Workspace
	ops     Operations
	pre     precond.Preconditioner
	// the true residual in FP64, where the recursion starts again from it, and in FP32
	work, single             ops.Vector
	r, shadow, p, v, t, wide ops.Vector // FP64
	in, out                  ops.Vector // FP32: what the preconditioner takes and gives
	fromZero                 bool
	watch                    func(iteration int, errorK float64)

	recorded [2]Recorded // the halves of an iteration
	warm     bool        // their kernels are loaded
}

var _ Solver = (*BiCGSTAB)(nil)

// NewBiCGSTAB makes the vectors.
func NewBiCGSTAB(s ops.Operator, m precond.Preconditioner) (*BiCGSTAB, error) {
	w, err := s.NewWorkspace()
	if err != nil {
		return nil, err
	}
	k, err := On(w)
	if err != nil {
		return nil, err
	}
	c := &BiCGSTAB{sys: s, ops: k, scalars: w, pre: m}
	for _, v := range []*ops.Vector{&c.work, &c.r, &c.shadow, &c.p, &c.v, &c.t, &c.wide} {
		if *v, err = s.New64(); err != nil {
			return nil, err
		}
	}
	for _, v := range []*ops.Vector{&c.single, &c.in, &c.out} {
		if *v, err = s.New32(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *BiCGSTAB) Close() {
	for n := range c.recorded {
		c.recorded[n].Drop()
	}
	c.sys.Release(c.work, c.single, c.r, c.shadow, c.p, c.v, c.t, c.wide, c.in, c.out)
	c.scalars.Close()
}

func (c *BiCGSTAB) Name() string { return "bicgstab" }

func (c *BiCGSTAB) StartFromZero() { c.fromZero = true }

func (c *BiCGSTAB) Watch(f func(iteration int, errorK float64)) { c.watch = f }

// stabilisedRun is the state of one solve.
type stabilisedRun struct {
	*BiCGSTAB
	rule   Rule
	b      ops.Source
	x      ops.Vector
	until  func(r ops.Vector, size float64) bool // in place of the rule, where not nil
	result Outcome
}

// Solve improves x until the rule is met. There is no estimate in K: rules in K count as never met.
func (c *BiCGSTAB) Solve(ctx context.Context, rule Rule, b ops.Source, x ops.Vector) Outcome {
	s := &stabilisedRun{BiCGSTAB: c, rule: rule, b: b, x: x}
	s.result.ErrorK = math.NaN()
	best := math.Inf(1)
	start := x
	if c.fromZero {
		start, c.fromZero = nil, false
	}
	broken := false // the last start ended in a breakdown
	for restart := 0; ; restart++ {
		s.result.Norms = c.sys.Residual(c.work, c.single, b, start)
		start = x
		if restart == 0 {
			s.result.Start = Start{s.result.Norms, math.NaN(), math.NaN(), false}
		}
		if c.sys.Err() != nil {
			s.result.Reason = Failed
			return s.result
		}
		if s.result.judge(rule, restart, best, func() bool { return false }) {
			if broken && s.result.Reason == Stagnation {
				s.result.Reason = Breakdown
			}
			return s.result
		}
		best = math.Min(best, s.result.Norms.Residual)
		reason, stop := s.iterate(ctx, c.work)
		if stop {
			s.result.Reason = reason
			s.result.Norms = c.sys.Residual(c.work, c.single, b, x)
			if c.sys.Err() != nil {
				s.result.Reason = Failed
			}
			return s.result
		}
		broken = reason == Breakdown
	}
}

// Improve runs the recursion from the true residual r of x, whose norms are given, until a half or a whole iteration
// leaves a recursive residual that is right, or until the recursion breaks down. It returns the number of iterations.
func (c *BiCGSTAB) Improve(ctx context.Context, most int, norms ops.Norms, r, x ops.Vector,
	right func(r ops.Vector, size float64) bool) int {
	s := &stabilisedRun{BiCGSTAB: c, rule: Rule{MaxIter: most}, x: x, until: right}
	s.result.Norms = norms
	s.iterate(ctx, r)
	return s.result.Iterations
}

// Correction returns M^-1 r32, an FP32 vector that the next operation overwrites.
func (c *BiCGSTAB) Correction(r32 ops.Vector) ops.Vector {
	c.pre.Apply(c.out, r32)
	return c.out
}

// Widen sets the FP64 vector y to y32.
func (c *BiCGSTAB) Widen(y, y32 ops.Vector) { c.ops.Widen(y, y32) }

// Shares below which a product of two vectors is taken for zero, relative to their lengths.
const orthogonal = 1e-14

// iterate runs the recursion from the true residual until the recursive residual meets the rule, after a half or a
// whole iteration, or the recursion breaks down, which is no reason to stop.
func (s *stabilisedRun) iterate(ctx context.Context, from ops.Vector) (why Reason, stop bool) {
	s.ops.Begin(s.r, s.shadow, s.p, s.in, from)
	first := s.ops.StabilisedScalars()
	shadow := math.Sqrt(first.Rho)
	half, rest := s.iteration(s.x)
	for {
		switch {
		case s.result.Iterations >= s.rule.MaxIter:
			return Limit, true
		case ctx.Err() != nil:
			return Interrupted, true
		}
		half()
		s.result.Iterations++
		ended := s.met(math.Sqrt(s.ops.StabilisedScalars().SS))
		if !ended {
			rest()
		}
		if s.watch != nil {
			s.watch(s.result.Iterations, s.result.ErrorK)
		}
		if ended {
			return 0, false
		}
		sc := s.ops.StabilisedScalars()
		size := math.Sqrt(sc.RR)
		switch {
		case math.IsNaN(size) || math.IsInf(size, 0):
			return Breakdown, true
		case s.met(size):
			return 0, false
		case sc.Step == 0 || sc.Omega == 0,
			math.Abs(sc.Rho) <= orthogonal*shadow*size,
			math.Abs(sc.TS) <= orthogonal*math.Sqrt(sc.TT*sc.SS):
			return Breakdown, false
		}
	}
}

// met applies the rule to the norm of the recursive residual. It also ends the iteration far below rounding errors.
func (s *stabilisedRun) met(size float64) bool {
	switch {
	case math.IsNaN(size):
		return false
	case size <= s.result.Norms.Floor/4:
		return true
	case s.until != nil:
		return s.until(s.r, size)
	case s.rule.ATol > 0:
		return size <= s.rule.ATol
	case s.rule.RTol > 0:
		return size <= s.rule.RTol*s.result.Norms.Source
	}
	return false
}

func (c *BiCGSTAB) Prepare(_ Rule, x ops.Vector) { c.iteration(x) }

// iteration returns what the halves of an iteration ask of the device, recorded where they can be.
func (c *BiCGSTAB) iteration(x ops.Vector) (half, rest func()) {
	if _, ok := c.sys.(Recorder); ok && !c.warm {
		c.multiply(c.t) // brings the kernels that recording must not load
		c.warm = true
	}
	half = c.recorded[0].Repeat(c.sys, c.pre, x, false, func() {
		c.image(c.v)
		c.ops.FirstStep(x, c.r, c.in, c.shadow, c.v, c.out)
	})
	rest = c.recorded[1].Repeat(c.sys, c.pre, x, false, func() {
		c.image(c.t)
		c.ops.SecondStep(x, c.r, c.shadow, c.t, c.out)
		c.ops.NextDirection(c.p, c.in, c.r, c.v)
	})
	return half, rest
}

// image sets y = A M^-1 in.
func (c *BiCGSTAB) image(y ops.Vector) {
	c.pre.Apply(c.out, c.in)
	c.multiply(y)
}

// multiply sets y = A out.
func (c *BiCGSTAB) multiply(y ops.Vector) {
	if s, ok := c.sys.(interface{ ApplySingle(y, x32 ops.Vector) bool }); ok && s.ApplySingle(y, c.out) {
		return
	}
	c.ops.Widen(c.wide, c.out)
	c.sys.Apply(y, c.wide)
}

// Operations are those of BiCGSTAB with right preconditioning, on a workspace. Vectors are FP64; those whose
// names end in 32, on the preconditioner's two sides, are FP32. Scalars stay on the device under fixed names.
type Operations interface {
	// Begin sets r, shadow, p and p32 to from, which may be of any precision, and Rho = r.r.
	Begin(r, shadow, p, p32, from ops.Vector)
	// Widen sets y = y32.
	Widen(y, y32 ops.Vector)
	// FirstStep sets RV = shadow.v and Step = Rho/RV, 0 where that means nothing. With y = M^-1 p and v = A y it then
	// sets x += Step y, r -= Step v, r32 = r and SS = r.r with the new r.
	FirstStep(x, r, r32, shadow, v, y32 ops.Vector)
	// SecondStep sets TS = t.r, TT = t.t and Omega = TS/TT, 0 where that means nothing. With z = M^-1 r and t = A z it
	// then sets x += Omega z, r -= Omega t and RR = r.r with the new r. At last Turn = (shadow.r / Rho) (Step / Omega)
	// and Rho = shadow.r.
	SecondStep(x, r, shadow, t, z32 ops.Vector)
	// NextDirection sets p = r + Turn (p - Omega v) and p32 = p.
	NextDirection(p, p32, r, v ops.Vector)
	// StabilisedScalars waits for the device and reads them.
	StabilisedScalars() StabilisedScalars
}

// StabilisedScalars of an iteration.
type StabilisedScalars struct{ Rho, RV, SS, TS, TT, RR, Step, Omega, Turn float64 }

// On gives the operations on a workspace.
func On(w ops.Workspace) (Operations, error) { return precond.On(w, "BiCGSTAB", onHost, onGPU) }
