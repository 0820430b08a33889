// Package mixed solves by conjugate gradients in mixed precision, with copies of the matrix in several precisions
// between which the iteration changes. The methods chebyshev, jacobi and none use it.
//
// Source: Wang et al., "CUTh-Solver", 2026; package chebyshev has the full title.
//
// Kernels, Quaddiag and Csr are the GPU side, made of mixed.cu, quaddiag.cu and csr.cu.
package mixed

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"context"
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/solution"
)

// Solver solves by conjugate gradients in mixed precision after Wang et al., CUTh-Solver (2026), section IV-D: the
// preconditioner in low precision, the early stage with FP32 entries, the late stage in FP64, and between the two a
// restart from the true residual ("hot restart"). The fixed modes are its ablations.
type Solver struct {
	operator ops.Operator
	work     ops.Workspace
	sys      Operations
	pre      precond.Preconditioner
	matrix   func() Stored
	mode     Mode

	x       ops.Vector // in fixed low precision; nil where the caller's x is iterated itself
	r, q, p ops.Vector
	rIn, z  ops.Vector // what the preconditioner takes and gives; rIn is r where precisions agree
	exact   ops.Vector // true residual, FP64
	single  ops.Vector // the same in FP32
	trial   ops.Vector // x in FP64, in fixed low precision

	fromZero bool
	recorded [2]krylov.Recorded // an iteration by stage
	watch    func(iteration int, errorK float64)
	error    krylov.Estimate
	log      solution.PrecisionLog
}

var _ krylov.Solver = (*Solver)(nil)

// NewSolver makes the vectors. matrix returns what holds mode.Copies() of A as it stands; it may be another after a
// refresh of the preconditioner.
func NewSolver(s ops.Operator, m precond.Preconditioner, matrix func() Stored, mode Mode) (*Solver, error) {
	w, err := s.NewWorkspace()
	if err != nil {
		return nil, err
	}
	sys, err := On(w)
	if err != nil {
		return nil, err
	}
	c := &Solver{operator: s, work: w, sys: sys, pre: m, matrix: matrix, mode: mode,
		log: solution.PrecisionLog{Mode: mode.String()}}
	vector := func(v *ops.Vector, p Precision) {
		if err == nil {
			*v, err = sys.NewVector(matrix(), p)
		}
	}
	for _, v := range []*ops.Vector{&c.r, &c.q, &c.p} {
		vector(v, mode.Vectors())
	}
	vector(&c.z, mode.Inner())
	vector(&c.exact, Double)
	vector(&c.single, Single)
	if mode >= FixedSingle {
		vector(&c.x, mode.Vectors())
		vector(&c.trial, Double)
	}
	c.rIn = c.r
	if mode == Adaptive {
		vector(&c.rIn, Single)
	}
	if err != nil {
		return nil, err
	}
	// Kernels are loaded before an iteration is recorded.
	sys.Scale(c.z, nil, c.rIn)
	return c, s.Err()
}

func (c *Solver) Close() {
	c.recorded[0].Drop()
	c.recorded[1].Drop()
	if c.rIn != c.r {
		c.sys.Release(c.rIn)
	}
	c.sys.Release(c.r, c.q, c.p, c.z, c.exact, c.single, c.x, c.trial)
	c.work.Close()
}

func (c *Solver) Name() string { return "pcg" }

func (c *Solver) StartFromZero() { c.fromZero = true }

func (c *Solver) Watch(f func(iteration int, errorK float64)) { c.watch = f }

// Prepare records the iterations of both stages.
func (c *Solver) Prepare(_ krylov.Rule, x ops.Vector) {
	c.iteration(x, true)
	if c.mode == Adaptive {
		c.iteration(x, false)
	}
}

// entries that the iteration multiplies with.
func (c *Solver) entries(late bool) Precision {
	if c.mode == Adaptive && !late {
		return Single
	}
	return c.mode.Vectors()
}

// step is an iteration: a preconditioned residual, a direction, an update.
func (c *Solver) step(x ops.Vector, late, first bool) {
	c.pre.Apply(c.z, c.rIn)
	c.sys.Dot(c.r, c.z, first)
	c.sys.Turn(c.p, c.z)
	c.sys.Curve(c.matrix(), c.entries(late), c.q, c.p)
	var single ops.Vector
	if c.mode == Adaptive {
		single = c.rIn
	}
	if c.x != nil {
		x = c.x
	}
	c.sys.Update(x, c.r, single, c.p, c.q)
}

// iteration returns what one iteration asks of the device, recorded where it can be.
func (c *Solver) iteration(x ops.Vector, late bool) func() {
	i := 0
	if late {
		i = 1
	}
	return c.recorded[i].Repeat(c.operator, c.pre, x, false, func() { c.step(x, late, false) })
}

// run is the state of one solve.
type run struct {
	*Solver
	rule    krylov.Rule
	b       ops.Source
	x       ops.Vector
	out     krylov.Outcome
	start   float64 // ||b - A x|| at the start
	target  float64 // of ||b - A x||
	claim   float64 // estimate in K at which the true residual is looked at
	lift    float64 // of r and x in FP16
	late    bool
	checked float64 // the true residual at the last check
	least   float64 // of the recursive residual, in fixed low precision
	leastAt int
}

func (c *Solver) Solve(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector) krylov.Outcome {
	s := &run{Solver: c, rule: rule, b: b, x: x, late: c.mode != Adaptive, checked: math.Inf(1), least: math.Inf(1)}
	s.out.ErrorK = math.NaN()
	s.out.Start = krylov.Start{ErrorK: math.NaN(), PlainK: math.NaN()}
	if rule.Continued {
		c.error.Continue(c.pre)
	} else {
		c.error.Begin(c.pre)
	}
	c.log.Solves++
	from := x
	if c.fromZero {
		from, c.fromZero = nil, false
	}
	best := math.Inf(1)
	for restart := 0; ; restart++ {
		s.out.Norms = c.operator.Residual(c.exact, c.single, b, from)
		from = x
		if restart == 0 {
			s.out.Start.Norms = s.out.Norms
		}
		if s.verdict(restart, best) {
			return s.error.Supported(s.out)
		}
		best = math.Min(best, s.out.Norms.Residual)
		// max|z| goes up and down: a claim that did not stand must not be made again one iteration later.
		s.claim = rule.Tol * math.Pow(4, -float64(restart))
		if restart == 0 {
			s.begin()
		} else if !s.late { // a rule in K seemed to be met with FP32 entries
			s.enter(solution.Switch{Iteration: s.out.Iterations, Reason: solution.NearEnd,
				Recursive: s.out.Norms.Residual, True: s.out.Norms.Residual})
		}
		s.load()
		reason, stop := s.iterate(ctx)
		if c.x != nil {
			return s.finish(reason, stop)
		}
		if stop {
			s.out.Reason = reason
			s.out.Norms = c.operator.Residual(c.exact, c.single, b, x)
			if c.sys.Err() != nil {
				s.out.Reason = krylov.Failed
			}
			return s.error.Supported(s.out)
		}
	}
}

// begin fixes what the rule means for this right-hand side.
func (s *run) begin() {
	n := s.out.Norms
	s.start = n.Residual
	s.target = s.rule.ATol
	if s.target <= 0 {
		s.target = s.rule.RTol * n.Source
	}
}

// load starts the recursion at the true residual.
func (s *run) load() {
	s.loadResidual()
	if s.Solver.x != nil {
		s.sys.Convert(s.Solver.x, s.x, s.lift)
	}
}

// loadResidual makes r the true residual. In FP16 it is brought to [4, 8) by a power of two.
func (s *run) loadResidual() {
	s.lift = 1
	if s.mode == FixedHalf {
		s.sys.Dot(s.exact, s.exact, true)
		_, e := math.Frexp(s.sys.Scalars().MaxZ)
		s.lift = math.Ldexp(1, 3-e)
	}
	s.sys.Convert(s.r, s.exact, s.lift)
	if s.mode == Adaptive {
		s.sys.Convert(s.rIn, s.single, 1)
	}
}

// trueErrorMet applies the preconditioner to the true residual.
func (s *run) trueErrorMet() bool {
	s.loadResidual()
	s.pre.Apply(s.z, s.rIn)
	s.sys.Dot(s.r, s.z, true)
	s.out.ErrorK = s.error.Of(s.sys.Scalars().MaxZ / s.lift)
	return s.rule.InKelvin() && s.out.ErrorK <= s.rule.Tol
}

// verdict judges the true residual, just computed.
func (s *run) verdict(restart int, best float64) (done bool) {
	n := s.out.Norms
	end := func(converged bool, why krylov.Reason) bool {
		s.out.Converged, s.out.Reason = converged, why
		if finite(n.Residual) && (math.IsNaN(s.out.ErrorK) || why != krylov.Tolerance) {
			s.trueErrorMet() // the recursive residual does not represent the true one
		}
		return true
	}
	switch {
	case s.sys.Err() != nil:
		return end(false, krylov.Failed)
	case !finite(n.Residual):
		return end(false, krylov.Divergence)
	case reached(s.rule, n):
		return end(true, krylov.Tolerance)
	case restart > 0 && s.rule.InKelvin() && s.trueErrorMet():
		return end(true, krylov.Tolerance)
	case restart > 0 && n.Residual <= krylov.FloorFactor*n.Floor:
		return end(true, krylov.Attainable)
	case restart > 1 && n.Residual > best/2 || restart > krylov.MaxRestarts:
		return end(false, krylov.Stagnation)
	}
	return false
}

// reached says whether a true residual meets the rule.
func reached(r krylov.Rule, n ops.Norms) bool {
	switch {
	case n.Residual == 0:
		return true
	case r.ATol > 0:
		return n.Residual <= r.ATol
	}
	return r.RTol > 0 && n.Residual <= r.RTol*n.Source
}

func finite(v float64) bool { return v-v == 0 }
