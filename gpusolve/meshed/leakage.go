package meshed

import (
	"context"
	"errors"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
)

// Leakage is the part of the iteration for temperature-dependent power. With the conductances K and the power q f(T) in
// the cells, it is Newton's method:
//
//	(K - D) x' = b + q f(x) - D x,   D = diag(q f'(x)).
//
// Methods are made for K alone, which is positive definite with any leakage. Few eigenvalues of K^-1 D are large, and
// conjugate gradients resolve these.
//
// Where f is convex and the start is colder than the solution, the states rise towards it and never pass it. A state at
// which K - D is not positive definite, which conjugate gradients detect, then proves that there is no solution. With
// coolant K is an M-matrix that is not symmetric, and the proof is that K - D is none, which shows where a bound on the
// error is looked for (package downstream).
type Leakage struct {
	on       ops.System
	of       *mesh.Leakage
	drawn    []powermap.Drawing // the powers of a steady state
	Scale    float64            // on all powers
	cautious bool               // systems are solved far enough to keep the states below the solution

	mode, next, held, lost ops.Vector // eigenvector of the gain, and what it takes to find it
	stable                 ops.Vector // the last state with a solution
	plane                  []float64

	checkedAt float64 // largest rise in K when the gain was last looked at in a transient
	solution.Leakage
}

// cautiousCut is the part of the residual that a cautious solve leaves.
const cautiousCut = 1e-3

// newLeakage prepares the iteration over leakage.
func newLeakage(sys ops.System, transient bool) (*Leakage, error) {
	l := &Leakage{on: sys, of: sys.Mesh().Leakage, Scale: 1, checkedAt: math.Inf(-1)}
	l.From, l.To = l.of.Range()
	vectors := []*ops.Vector{&l.mode, &l.next, &l.held, &l.lost}
	if !transient {
		vectors = append(vectors, &l.stable)
	}
	for _, v := range vectors {
		var err error
		if *v, err = sys.New64(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// put linearizes the leakage at a state.
func (l *Leakage) put(x ops.Vector) error {
	if l == nil {
		return nil
	}
	return l.on.Leak(x, l.Scale, false)
}

// Measure evaluates the leakage of the state.
func (s *System) Measure() {
	l := s.Outer.Leakage
	m := s.mesh
	if l.plane == nil {
		l.plane = make([]float64, m.NX()*m.NY())
	}
	state := l.of.State(m.NX(), func(n int) []float64 {
		s.plane(l.of.Planes[n].Plane, s.X, l.plane)
		for c := range l.plane {
			l.plane[c] += m.Stack.Ambient
		}
		return l.plane
	})
	l.Watts, l.Outside = l.Scale*state.Watts, state.Outside
}

// Bounds of the power iteration.
const (
	mostGains  = 40
	gainWithin = 1e-4 // of the gain, from one estimate to the next
	gainSolve  = 1e-2 // part of the residual that its solves leave

	// With coolant K is not symmetric, and the quotient's error that of the vector.
	cooledWithin = 1e-5
	cooledSolve  = 1e-6
)

// gain finds the loop gain at the state x, the largest eigenvalue g of K^-1 D, by power iteration with Rayleigh's
// quotient, whose error is the square of that of the vector where K is symmetric. Where a law has ended its slope at
// the end counts: the clamp must not hide a runaway. K - D is singular where g is 1.
func (s *System) gain(ctx context.Context, o *driver.Options) error {
	l := s.Outer.Leakage
	on := l.on
	l.Gain = 0
	if _, top := on.Inner(s.X, s.X); top > 0 {
		on.Combine(l.mode, 1/top, s.X, 0, s.X)
	} else {
		on.Fill(l.mode, 1)
	}
	rule := o.Rule(s.Pre, 1)
	rule.Tol, rule.ATol, rule.RTol = 0, 0, gainSolve
	within := gainWithin
	if s.mesh.Cooled() {
		rule.RTol, within = cooledSolve, cooledWithin
	}
	for range mostGains {
		// D v = K v - (K - D) v, with the D that the diagonal holds.
		if err := errors.Join(on.Unleak(), s.applied(l.held, l.mode), on.Leak(s.X, l.Scale, true),
			s.applied(l.lost, l.mode), on.Unleak()); err != nil {
			return err
		}
		on.Combine(l.lost, 1, l.held, -1, l.lost)
		held, _ := on.Inner(l.mode, l.held)
		lost, _ := on.Inner(l.mode, l.lost)
		last := l.Gain
		l.Gain = lost / held
		if !(l.Gain > 0) || math.Abs(l.Gain-last) <= within*l.Gain {
			break
		}
		on.Combine(l.next, l.Gain, l.mode, 0, l.mode)
		source := s.Sys.SourceOf(l.lost)
		out := s.Solver.Solve(ctx, rule, source, l.next)
		source.Close()
		if out.Reason == krylov.Interrupted || out.Reason == krylov.Failed {
			break
		}
		_, top := on.Inner(l.next, l.next)
		if !(top > 0) {
			break
		}
		on.Combine(l.mode, 1/top, l.next, 0, l.next)
	}
	s.locate()
	return s.Failure()
}

func (s *System) applied(y, x ops.Vector) error {
	s.Sys.Apply(y, x)
	return s.Sys.Err()
}

// locate finds the leaking cell in which the mode is largest.
func (s *System) locate() {
	l := s.Outer.Leakage
	most := -1.0
	nx := s.mesh.NX()
	for n := range l.of.Planes {
		p := &l.of.Planes[n]
		s.plane(p.Plane, l.mode, l.plane)
		for c, v := range l.plane {
			if a := math.Abs(v); a > most && l.of.Leaks(p, c) {
				most, l.I, l.J, l.K = a, c%nx, c/nx, p.Plane
			}
		}
	}
}

// Eternity is a time step in s that makes the capacities negligible.
const Eternity = 1e60

// SteadyGain is the gain of the steady equations in a transient. A stack without a heat-flow path to ambient has no
// steady state: its leakage runs away.
func (s *System) SteadyGain(ctx context.Context, o *driver.Options) error {
	if !s.mesh.Grounded() {
		s.Sys.Combine(s.Outer.mode, 1, s.X, 0, s.X)
		s.locate()
		return s.Failure()
	}
	if err := errors.Join(s.Sys.Refresh(Eternity), s.Sys.RefreshAt(s.X, nil), s.Pre.Refresh()); err != nil {
		return methods.Blame(err)
	}
	err := s.gain(ctx, o)
	s.Outer.made = false
	if again := errors.Join(s.Sys.Refresh(s.dt), s.Sys.RefreshAt(s.X, s.old), s.Pre.Refresh()); again != nil &&
		err == nil {
		return methods.Blame(again)
	}
	return err
}

// Bounds of the search for the largest power.
const (
	mostScales  = 24
	scaleWithin = 2.5e-4
	enoughGain  = 0.9 // from which on a breakdown is that of the leakage: estimates of the gain are from below
)

// judgeLeakage finds the outcome of a system with leakage after its iteration has ended.
func (s *System) judgeLeakage(ctx context.Context, o *driver.Options, rule krylov.Rule,
	out krylov.Outcome) (krylov.Outcome, error) {
	l := s.Outer.Leakage
	if out.Reason == krylov.Interrupted || out.Reason == krylov.Failed {
		return out, s.Failure()
	}
	s.Measure()
	if s.dt > 0 {
		return s.judgeStep(ctx, o, out)
	}
	if err := s.gain(ctx, o); err != nil {
		return out, err
	}
	l.Runaway = l.Gain >= 1 || l.broke(out)
	if !l.Runaway {
		return out, nil
	}
	if !l.cautious {
		// A start hotter than the solution may have led past it.
		out, err := s.again(ctx, o, rule, out, nil)
		if err != nil {
			return out, err
		}
		return s.judgeLeakage(ctx, o, rule, out)
	}
	report := l.Leakage
	factor, err := s.largestFactor(ctx, o, rule, &out)
	if err != nil {
		return out, err
	}
	s.Measure()
	report.Factor, report.Watts = factor, l.Watts
	l.Leakage = report
	out.Converged = false
	if out.Reason = krylov.Runaway; ctx.Err() != nil {
		out.Reason = krylov.Interrupted
	}
	return out, s.Failure()
}

// broke says that conjugate gradients broke down because of the leakage, which does not happen for a gain well below 1.
func (l *Leakage) broke(out krylov.Outcome) bool {
	return out.Reason == krylov.Breakdown && l.Gain > enoughGain
}

// largestFactor brackets the largest factor on all powers with which there is a solution, and leaves that solution in
// x. It starts from the last one, and first from the temperatures without power: for colder starts the iteration is
// monotone.
func (s *System) largestFactor(ctx context.Context, o *driver.Options, rule krylov.Rule, out *krylov.Outcome) (float64,
	error) {
	l := s.Outer.Leakage
	low, high := 0.0, 1.0
	l.Scale = low
	s.source.SetPower(powermap.Scaled(l.drawn, low))
	start, err := s.settleCold(ctx, o, rule)
	if err != nil {
		return 0, err
	}
	out.Iterations += start.Iterations
	s.Sys.Combine(l.stable, 1, s.X, 0, s.X)
	for n := 0; n < mostScales && high-low > scaleWithin*high && ctx.Err() == nil; n++ {
		l.Scale = (low + high) / 2
		s.source.SetPower(powermap.Scaled(l.drawn, l.Scale))
		s.Sys.Combine(s.X, 1, l.stable, 0, l.stable)
		trial, err := s.iterate(ctx, o, rule, nil)
		out.Iterations += trial.Iterations
		if err != nil {
			return 0, err
		}
		holds := trial.Converged
		if s.Measure(); holds && l.Outside > 0 {
			if err := s.gain(ctx, o); err != nil {
				return 0, err
			}
			holds = l.Gain < 1
		}
		if holds {
			low = l.Scale
			out.Norms, out.ErrorK = trial.Norms, trial.ErrorK
			s.Sys.Combine(l.stable, 1, s.X, 0, s.X)
		} else {
			high = l.Scale
		}
	}
	l.Scale = low
	s.source.SetPower(powermap.Scaled(l.drawn, low))
	s.Sys.Combine(s.X, 1, l.stable, 0, l.stable)
	return low, s.Failure()
}

// judgeStep detects thermal runaway in a time step. There are two signs: the matrix of the step is not positive
// definite, as the step is longer than the growth takes; or temperatures have left the range of a law while the steady
// gain is 1 or more. The outcome of a step that was solved stays converged.
func (s *System) judgeStep(ctx context.Context, o *driver.Options, out krylov.Outcome) (krylov.Outcome, error) {
	l := s.Outer.Leakage
	broken, top := out.Reason == krylov.Breakdown, s.Sys.Max(s.X)
	if !broken && (l.Outside == 0 || math.Abs(top-l.checkedAt) <= drifts) {
		return out, s.Failure()
	}
	l.checkedAt = top
	if err := s.SteadyGain(ctx, o); err != nil {
		return out, err
	}
	if l.Runaway = l.broke(out) || l.Gain >= 1 || !s.mesh.Grounded(); !l.Runaway {
		return out, s.Failure()
	}
	out.Reason = krylov.Runaway
	if l.Time = s.To; broken {
		l.Time = s.From
		s.Sys.Combine(s.X, 1, s.old, 0, s.old)
		s.Measure()
	}
	return out, s.Failure()
}
