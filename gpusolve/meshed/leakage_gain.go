package meshed

import (
	"context"
	"errors"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
)

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
	s.place()
	return s.Failure()
}

func (s *System) applied(y, x ops.Vector) error {
	s.Sys.Apply(y, x)
	return s.Sys.Err()
}

// place finds the leaking cell in which the mode is largest.
func (s *System) place() {
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

// Eternity is a time step in s in which no capacity holds anything.
const Eternity = 1e60

// SteadyGain is the gain of the steady equations in a transient. A stack without a way out for its heat has none: what
// leaks there runs away.
func (s *System) SteadyGain(ctx context.Context, o *driver.Options) error {
	if !s.mesh.Grounded() {
		s.Sys.Combine(s.Outer.mode, 1, s.X, 0, s.X)
		s.place()
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
