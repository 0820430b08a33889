// Package krylov holds the Krylov solvers. A solver is an operator, a preconditioner and a stopping rule.
package krylov

import (
	"context"
	"errors"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Rule says when a solution is good enough. The first positive field of ATol, RTol and Tol counts.
type Rule struct {
	ATol    float64 // ||b - A x|| in W
	RTol    float64 // ||b - A x|| / ||b||
	Tol     float64 // estimated largest error in K
	MaxIter int
	// InTime marks one of many steps of time, whose start is close to the solution.
	InTime bool
	// Reduction, where positive, ends the solve early: once ||b - A x|| has fallen to this part of what it was at the
	// start, by the word of the recursion. It is for solves in a sequence whose operator changes from one to the next.
	// The other rules end it too, without a look at the true residual.
	Reduction float64
	// Continued says that the operator has changed only a little since the last solve: what was learnt of it still
	// holds, except for a few per cent.
	Continued bool
}

// InKelvin says that the error in K ends the solve, so that the iteration looks at z.
func (r Rule) InKelvin() bool { return r.ATol <= 0 && r.RTol <= 0 && r.Reduction <= 0 }

// Solver improves x until a rule is met. It keeps its vectors from solve to solve.
type Solver interface {
	// Name of the method, as reports print it.
	Name() string
	// Prepare readies the iteration for a vector and the kind of rule, so that solves do not pay for it.
	Prepare(rule Rule, x ops.Vector)
	// StartFromZero declares that x is zero in the next Solve, which spares it a product with A.
	StartFromZero()
	// Watch reports to f, at every iteration, how many are done and the error estimate in K, NaN where there is none. f
	// may be nil.
	Watch(f func(iteration int, errorK float64))
	// Solve solves A x = b from x.
	Solve(ctx context.Context, rule Rule, b ops.Source, x ops.Vector) Outcome
	// Close gives back the solver's vectors, not the operator's or the preconditioner's.
	Close()
}

// Outcome of a solve.
type Outcome struct {
	Iterations int
	Norms      ops.Norms // of the true residual at the end
	ErrorK     float64   // estimate of the largest error, NaN where the solver gives none or nothing was iterated yet
	Converged  bool
	Reason     Reason
	Start      Start
}

// Start is what a solve began with.
type Start struct {
	Norms  ops.Norms
	ErrorK float64 // estimate of the largest error, NaN where the solver gives none
	PlainK float64 // the same as far as the operator is known, without caution
	Raised bool    // ErrorK was raised to end no solve, and says nothing of the error
}

// Reason why a solve ended.
type Reason int

// The reasons.
const (
	Tolerance   Reason = iota // the rule is met
	Attainable                // the residual is down to rounding errors
	Limit                     // MaxIter
	Stagnation                // restarts no longer help, above rounding errors
	Breakdown                 // a product that must be positive was not
	Interrupted               // the context ended
	Failed                    // the device: see System.Err
	Divergence                // the residual is no number, or has grown beyond all measure
	Direct                    // no iteration was needed
	Drift                     // the recursive residual meets the rule and the true one does not, in fixed low precision
	Unsettled                 // the properties of the materials and the temperatures that they follow did not settle
	Runaway                   // temperature-dependent power grows faster than the heat that leaves
)

// PCG is the method of preconditioned conjugate gradients (PCG) with its vectors, made once and used for any number of
// right-hand sides. The iteration allocates nothing.
//
// The recursive residual of conjugate gradients goes on falling below the rounding errors of b - A x. So when the rule
// seems to be met, the true residual is computed; where the two differ, the iteration starts again from it.
type PCG struct {
	sys      ops.Operator
	krylov   ops.Workspace
	pre      precond.Preconditioner
	r, q     ops.Vector // in the executor's working precision
	r32      ops.Vector // r in FP32
	z, p     ops.Vector // FP32
	fromZero bool
	recorded Recorded // one iteration
	watch    func(iteration int, errorK float64)
	error    Estimate
	dt       float64              // s, of the operator
	others   map[float64]Estimate // of the operators with other dt
}

func (c *PCG) Name() string { return "pcg" }

func (c *PCG) StartFromZero() { c.fromZero = true }

func (c *PCG) Watch(f func(iteration int, errorK float64)) { c.watch = f }

// ErrNotSymmetric refuses operators that conjugate gradients would fail on.
var ErrNotSymmetric = errors.New("conjugate gradients need a symmetric matrix, and this one is not")

// NewPCG makes the vectors. An operator that is not symmetric is refused with ErrNotSymmetric.
func NewPCG(s ops.Operator, m precond.Preconditioner) (*PCG, error) {
	if !s.Symmetric() {
		return nil, ErrNotSymmetric
	}
	w, err := s.NewWorkspace()
	if err != nil {
		return nil, err
	}
	c := &PCG{sys: s, krylov: w, pre: m}
	for _, v := range []*ops.Vector{&c.r, &c.q} {
		if *v, err = s.NewWork(); err != nil {
			return nil, err
		}
	}
	if c.r32, err = s.Single(c.r); err != nil {
		return nil, err
	}
	if c.z, err = s.New32(); err != nil {
		return nil, err
	}
	c.p, err = w.NewDirection()
	return c, err
}

func (c *PCG) Close() {
	c.recorded.Drop()
	if c.r32 != c.r {
		c.sys.Release(c.r32)
	}
	c.sys.Release(c.r, c.q, c.z)
	c.krylov.Close()
}

// run is the state of one solve.
type run struct {
	*PCG
	rule Rule
	b    ops.Source
	x    ops.Vector
	out  Outcome
	// recursive is the norm of the residual that the iteration ended with, by the recursion; 0 before there was one.
	recursive float64
	applied   bool // z and its scalars are those of the true residual
}

// stands is how much larger than the recursive residual the true one may be for what was found of the recursive one to
// hold. What rounding has added, at right angles to it, is then below a twentieth of it.
const stands = 1.001

// wild is a growth of the residual that no condition number explains.
const wild = 1e10

func (c *PCG) Solve(ctx context.Context, rule Rule, b ops.Source, x ops.Vector) Outcome {
	s := &run{PCG: c, rule: rule, b: b, x: x}
	s.out.ErrorK = math.NaN()
	s.out.Start = Start{ErrorK: math.NaN(), PlainK: math.NaN()}
	if rule.Continued {
		c.error.Continue(c.pre)
	} else {
		c.error.Begin(c.pre)
	}
	best := math.Inf(1)
	start := x
	if c.fromZero {
		start, c.fromZero = nil, false
	}
	broken := false // the last start ended in a breakdown
	for restart := 0; ; restart++ {
		s.out.Norms = c.sys.Residual(c.r, c.r32, b, start)
		start = x
		if restart == 0 {
			s.out.Start.Norms = s.out.Norms
		}
		if done := s.verdict(restart, best); done {
			if broken && s.out.Reason == Stagnation {
				s.out.Reason = Breakdown
			}
			return s.error.Supported(s.out)
		}
		best = math.Min(best, s.out.Norms.Residual)
		reason, stop := s.iterate(ctx)
		broken = reason == Breakdown
		c.krylov.Settle(x, c.p)
		if !stop && rule.Reduction > 0 {
			s.out.Converged, s.out.Reason = true, Tolerance
			return s.out
		}
		if !stop && s.exact() {
			s.out.Converged, s.out.Reason, s.out.Norms.Residual = true, Tolerance, s.recursive
			return s.out
		}
		if stop {
			s.out.Reason = reason
			s.out.Norms = c.sys.Residual(c.r, c.r32, b, x)
			if c.sys.Err() != nil {
				s.out.Reason = Failed
			}
			return s.error.Supported(s.out)
		}
	}
}

// exact says that few steps in FP64, far above rounding errors, have met the rule of a time step: the recursive
// residual is then the true one.
func (s *run) exact() bool {
	const few, far = 16, 1 << 10
	return s.rule.InTime && s.ruleInKelvin() && s.r32 != s.r && s.out.Iterations <= few &&
		s.recursive > far*s.out.Norms.Floor && s.out.ErrorK <= s.rule.Tol && s.sys.Err() == nil
}

// verdict judges the true residual, just computed.
func (s *run) verdict(restart int, best float64) (done bool) {
	if s.sys.Err() != nil {
		s.out.Reason = Failed
		return true
	}
	done = s.out.judge(s.rule, restart, best, s.trueErrorMet)
	if done && (math.IsNaN(s.out.ErrorK) || s.out.Reason != Tolerance && !s.ruleInKelvin()) {
		s.trueErrorMet() // the recursive residual does not represent the true one
	}
	return done
}

func (s *run) ruleInKelvin() bool { return s.rule.InKelvin() }

// trueErrorMet judges the true residual: by what the iteration has found where its own residual is the same, else by
// applying the preconditioner.
func (s *run) trueErrorMet() bool {
	if !s.ruleInKelvin() || math.IsNaN(s.out.ErrorK) || s.out.Norms.Residual > stands*s.recursive {
		s.precondition(true)
		s.applied = true
		s.out.ErrorK = s.error.Of(s.krylov.Scalars().MaxZ)
	}
	return s.out.ErrorK <= s.rule.Tol
}

// iterate runs conjugate gradients from the residual in r until the recursive residual meets the rule. stop is true
// when the solve must end.
//
// The device is asked for its scalars once per iteration: behind the preconditioner where the rule looks at z, behind
// the update where it looks at r. On a GPU each such question empties the pipeline.
func (s *run) iterate(ctx context.Context) (why Reason, stop bool) {
	again := s.iteration(s.x, s.ruleInKelvin())
	if !s.applied {
		s.precondition(true)
	}
	s.applied = false
	if !s.ruleInKelvin() {
		s.advance(s.x)
		s.out.Iterations++
	}
	for first := true; ; first = false {
		sc := s.krylov.Scalars()
		moved := !first || !s.ruleInKelvin()
		s.estimate(sc, first)
		if s.recursive = s.out.Norms.Residual; moved {
			s.recursive = math.Sqrt(sc.RR)
		}
		if s.watch != nil {
			s.watch(s.out.Iterations, s.error.Plain(sc.MaxZ))
		}
		switch {
		case sc.RZ == 0:
			return 0, false
		case !(sc.RZ > 0) || math.IsInf(sc.RZ, 0) || moved && (!(sc.PQ > 0) || math.IsInf(sc.PQ, 0)):
			// where A is definite, the true residual may help
			return Breakdown, moved && sc.PQ < 0 || s.rule.Reduction > 0
		case s.recursive > wild*math.Max(s.out.Norms.Residual, s.out.Norms.Source):
			return Divergence, true
		case s.met(sc, moved):
			return 0, false
		case s.out.Iterations >= s.rule.MaxIter:
			return Limit, true
		case ctx.Err() != nil:
			return Interrupted, true
		case s.lastStep():
			return 0, false
		}
		again()
		s.out.Iterations++
	}
}

// lastStep takes one more step where that is expected to meet the rule of a time step. It spares the preconditioner,
// which would only confirm it. Devices whose residuals are FP32 record whole iterations, and look at each.
func (s *run) lastStep() bool {
	if !s.rule.InTime || !s.ruleInKelvin() || s.r32 == s.r {
		return false
	}
	expected := s.error.Next()
	if !(expected <= s.rule.Tol) {
		return false
	}
	s.advance(s.x)
	s.out.Iterations++
	sc := s.krylov.Scalars()
	if s.recursive, s.out.ErrorK = math.Sqrt(sc.RR), math.NaN(); sc.PQ > 0 {
		s.out.ErrorK = expected
		s.error.Moved(sc.PQ)
	}
	return true
}

// estimate takes the scalars in the order in which an iteration makes them: with a rule in K the update comes first.
func (s *run) estimate(sc ops.Scalars, first bool) {
	kelvin := s.ruleInKelvin()
	if kelvin && !first {
		s.error.Moved(sc.PQ)
	}
	s.error.Residual(sc.MaxZ, sc.RZ, first)
	if !kelvin {
		s.error.Moved(sc.PQ)
	}
	s.out.ErrorK = s.error.Value()
	if first && math.IsNaN(s.out.Start.PlainK) {
		s.out.Start.ErrorK, s.out.Start.PlainK = s.out.ErrorK, s.error.Plain(sc.MaxZ)
		s.out.Start.Raised = s.error.Raised()
	}
}

// precondition applies the preconditioner and, with it, sets Beta.
func (c *PCG) precondition(first bool) {
	c.pre.Apply(c.z, c.r32)
	c.krylov.Dot(c.r32, c.z, first)
}

// advance moves x along the next direction.
func (c *PCG) advance(x ops.Vector) {
	c.krylov.DirectionApply(c.p, c.z, c.q)
	c.krylov.Update(x, c.r, c.r32, c.p, c.z, c.q)
}

// Prepare readies the iteration for a vector and the kind of rule, so that solves do not pay for it.
func (c *PCG) Prepare(rule Rule, x ops.Vector) { c.iteration(x, rule.InKelvin()) }

// Iterate launches the work of n iterations after a Solve, reading of scalars included, to measure its cost. x is not
// meaningful afterwards.
func (c *PCG) Iterate(rule Rule, x ops.Vector, n int) {
	again := c.iteration(x, rule.InKelvin())
	for range n {
		again()
		c.krylov.Scalars()
	}
}

// iteration returns what one iteration asks of the device, recorded where it can be.
func (c *PCG) iteration(x ops.Vector, kelvin bool) func() {
	return c.recorded.Repeat(c.sys, c.pre, x, kelvin, func() {
		if kelvin {
			c.advance(x)
			c.precondition(false)
			return
		}
		c.precondition(false)
		c.advance(x)
	})
}

// met applies the rule to the scalars of an iteration. It also ends the iteration where the recursive residual has
// fallen so far below rounding errors that going on means nothing.
func (s *run) met(sc ops.Scalars, moved bool) bool {
	r := math.Sqrt(sc.RR)
	switch {
	case moved && r <= s.out.Norms.Floor/4:
		return true
	case s.rule.Reduction > 0 && (moved && r <= s.rule.Reduction*s.out.Start.Norms.Residual || s.rule.ATol <= 0 &&
		s.rule.RTol <= 0 && s.out.ErrorK <= s.rule.Tol):
		return true
	case s.rule.ATol > 0:
		return moved && r <= s.rule.ATol
	case s.rule.RTol > 0:
		return moved && r <= s.rule.RTol*s.out.Norms.Source
	}
	return s.out.ErrorK <= s.rule.Tol
}

// FloorFactor: a residual below this multiple of its estimated rounding error cannot be improved.
const FloorFactor = 4

// MaxRestarts bounds the fresh starts from the true residual.
const MaxRestarts = 10

// judge decides from the norms of the true residual, just computed, whether a solve is done. restart counts the fresh
// starts, best is the smallest true residual before this one; trueErrorMet estimates the error in K from this residual.
func (o *Outcome) judge(rule Rule, restart int, best float64, trueErrorMet func() bool) (done bool) {
	n := o.Norms
	end := func(converged bool, why Reason) bool {
		o.Converged, o.Reason = converged, why
		return true
	}
	switch {
	case math.IsNaN(n.Residual) || math.IsInf(n.Residual, 0):
		return end(false, Breakdown)
	case n.Residual == 0:
		o.ErrorK = 0
		return end(true, Tolerance)
	case rule.ATol > 0 && n.Residual <= rule.ATol:
		return end(true, Tolerance)
	case rule.ATol <= 0 && rule.RTol > 0 && n.Residual <= rule.RTol*n.Source:
		return end(true, Tolerance)
	case restart > 0 && rule.InKelvin() && trueErrorMet():
		return end(true, Tolerance)
	case restart > 0 && n.Residual <= FloorFactor*n.Floor:
		return end(true, Attainable)
	case restart > 1 && n.Residual > best/2 || restart > MaxRestarts:
		return end(false, Stagnation)
	}
	return false
}

// Recorder is a Space that repeats a sequence of operations at less cost than asking for each again.
type Recorder interface {
	// Record notes the operations that body asks for, without doing them, and returns a function that does, and one
	// that gives its memory back.
	Record(body func()) (replay, forget func(), err error)
}

// Recorded is an iteration on one vector, noted by devices that can repeat it at less cost.
type Recorded struct {
	x          ops.Vector
	kelvin     bool // where the rule looks at z
	generation int  // of the preconditioner
	again      func()
	forget     func()
}

// Repeat returns body, recorded where the device can, unless the same was asked for before.
func (r *Recorded) Repeat(a ops.Operator, m precond.Preconditioner, x ops.Vector, kelvin bool, body func()) func() {
	generation := generationOf(m)
	if r.again != nil && r.x == x && r.kelvin == kelvin && r.generation == generation {
		return r.again
	}
	r.Drop()
	*r = Recorded{x: x, kelvin: kelvin, generation: generation, again: body}
	if device, ok := a.(Recorder); ok {
		if replay, forget, err := device.Record(body); err == nil {
			r.again, r.forget = replay, forget
		}
	}
	return r.again
}

// Drop gives the recording back.
func (r *Recorded) Drop() {
	if r.forget != nil {
		r.forget()
	}
	*r = Recorded{}
}

func generationOf(m precond.Preconditioner) int {
	if g, ok := m.(interface{ Generation() int }); ok {
		return g.Generation()
	}
	return 0
}

// PCGMemory is what NewPCG takes in bytes. The processor and matrices keep r and A p in FP64 beside an FP32 copy of r;
// a mesh's system on a GPU keeps both in FP32, and the direction in two buffers.
func PCGMemory(s precond.Shape) int64 {
	if s.GPU && s.Assembled {
		return s.Vector(4 * 5)
	}
	return s.Vector(2*8 + 3*4)
}

// BiCGSTABMemory is what NewBiCGSTAB takes.
func BiCGSTABMemory(s precond.Shape) int64 { return s.Vector(7*8 + 3*4) }
