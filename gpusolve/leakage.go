package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
)

// leaking is a system whose power may follow the temperature. All mesh systems are.
type leaking interface {
	mixing
	// Leak puts the leakage into A and driven sources, linear around the state x and times a scale: the derivative is taken off the diagonal. Outside the
	// range of a law the derivative is zero, or with ends that at the end. RefreshAt takes the leakage out.
	Leak(x ops.Vector, scale float64, ends bool) error
	// Unleak takes it out.
	Unleak() error
}

// leakage is the part of the iteration that follows powers. With K the conductances, and power q f(T) in the cells, it is Newton's method,
//
//	(K - D) x' = b + q f(x) - D x,   D = diag(q f'(x))
//
// Methods are made for K alone, which is positive definite whatever leaks: D has few eigenvalues of weight in K^-1 D, which conjugate gradients deal with.
//
// Where f is convex and the start is colder than the solution, the states rise towards it and never pass it. A state at which K - D is not positive definite,
// which conjugate gradients notice, then proves that there is no solution.
type leakage struct {
	on       leaking
	of       *mesh.Leakage
	drawn    []powermap.Drawing // the powers of a steady state
	scale    float64            // on all powers
	cautious bool               // systems are solved far enough to keep the states below the solution

	mode, next, held, lost ops.Vector // eigenvector of the gain, and what it takes to find it
	stable                 ops.Vector // the last state with a solution
	plane                  []float64

	checkedAt float64 // largest rise in K when the gain was last looked at in a transient
	solution.Leakage
}

// Bounds of what looks for the gain and the largest power.
const (
	mostGains   = 40
	gainWithin  = 1e-4 // of the gain, from one estimate to the next
	gainSolve   = 1e-2 // part of the residual that its solves leave
	mostScales  = 24
	enoughGain  = 0.9 // from which on a breakdown is that of the leakage: estimates of the gain are from below
	scaleWithin = 2.5e-4
	cautiousCut = 1e-3 // part of the residual that a cautious solve leaves
)

// newLeakage readies the iteration over powers.
func newLeakage(sys ops.System, transient bool) (*leakage, error) {
	on, ok := sys.(leaking)
	if !ok {
		return nil, fmt.Errorf("%w: this device cannot follow the temperature", ErrOption)
	}
	l := &leakage{on: on, of: sys.Mesh().Leakage, scale: 1, checkedAt: math.Inf(-1)}
	l.From, l.To = l.of.Range()
	vectors := []*ops.Vector{&l.mode, &l.next, &l.held, &l.lost}
	if !transient {
		vectors = append(vectors, &l.stable)
	}
	for _, v := range vectors {
		var err error
		if *v, err = on.New64(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// put makes the leakage that of a state.
func (l *leakage) put(x ops.Vector) error {
	if l == nil {
		return nil
	}
	return l.on.Leak(x, l.scale, false)
}

// measure takes what leaks in a state.
func (s *meshed) measure() {
	l := s.outer.leakage
	m := s.mesh
	if l.plane == nil {
		l.plane = make([]float64, m.NX()*m.NY())
	}
	state := l.of.State(m.NX(), func(n int) []float64 {
		s.sys.Plane(l.of.Planes[n].Plane, s.x, l.plane)
		for c := range l.plane {
			l.plane[c] += m.Stack.Ambient
		}
		return l.plane
	})
	l.Watts, l.Outside = l.scale*state.Watts, state.Outside
}

// gain finds the loop gain at the state x, the largest eigenvalue g of K^-1 D, by power iteration with Rayleigh's quotient, whose error is the square of that of
// the vector. Where a law has ended its slope at the end counts: the clamp must not hide a runaway. K - D is singular where g is 1.
func (s *meshed) gain(ctx context.Context, o *Options) error {
	l := s.outer.leakage
	on := l.on
	l.Gain = 0
	if _, top := on.Inner(s.x, s.x); top > 0 {
		on.Combine(l.mode, 1/top, s.x, 0, s.x)
	} else {
		on.Fill(l.mode, 1)
	}
	rule := o.rule(s.pre, 1)
	rule.Tol, rule.ATol, rule.RTol = 0, 0, gainSolve
	for range mostGains {
		// D v = K v - (K - D) v, with the D that the diagonal holds.
		if err := errors.Join(on.Unleak(), s.applied(l.held, l.mode), on.Leak(s.x, l.scale, true), s.applied(l.lost, l.mode), on.Unleak()); err != nil {
			return err
		}
		on.Combine(l.lost, 1, l.held, -1, l.lost)
		held, _ := on.Inner(l.mode, l.held)
		lost, _ := on.Inner(l.mode, l.lost)
		last := l.Gain
		l.Gain = lost / held
		if !(l.Gain > 0) || math.Abs(l.Gain-last) <= gainWithin*l.Gain {
			break
		}
		on.Combine(l.next, l.Gain, l.mode, 0, l.mode)
		source := s.sys.SourceOf(l.lost)
		out := s.solver.Solve(ctx, rule, source, l.next)
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
	return s.failure()
}

func (s *meshed) applied(y, x ops.Vector) error {
	s.sys.Apply(y, x)
	return s.sys.Err()
}

// place finds the leaking cell in which the mode is largest.
func (s *meshed) place() {
	l := s.outer.leakage
	most := -1.0
	nx := s.mesh.NX()
	for n := range l.of.Planes {
		p := &l.of.Planes[n]
		s.sys.Plane(p.Plane, l.mode, l.plane)
		for c, v := range l.plane {
			if a := math.Abs(v); a > most && l.of.Leaks(p, c) {
				most, l.I, l.J, l.K = a, c%nx, c/nx, p.Plane
			}
		}
	}
}

// judgeLeakage says what has become of a system whose powers follow the temperature, after the iteration ended in some way.
func (s *meshed) judgeLeakage(ctx context.Context, o *Options, rule krylov.Rule, out krylov.Outcome) (krylov.Outcome, error) {
	l := s.outer.leakage
	if out.Reason == krylov.Interrupted || out.Reason == krylov.Failed {
		return out, s.failure()
	}
	s.measure()
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
	report := l.Leakage
	factor, err := s.largestFactor(ctx, o, rule, &out)
	if err != nil {
		return out, err
	}
	s.measure()
	report.Factor, report.Watts = factor, l.Watts
	l.Leakage = report
	out.Converged = false
	if out.Reason = krylov.Runaway; ctx.Err() != nil {
		out.Reason = krylov.Interrupted
	}
	return out, s.failure()
}

// broke says that conjugate gradients broke down because of the leakage: of a gain well below 1 they do not.
func (l *leakage) broke(out krylov.Outcome) bool {
	return out.Reason == krylov.Breakdown && l.Gain > enoughGain
}

// largestFactor brackets the largest factor on all powers with which there is a solution, and leaves that solution in x. It starts from the last one: for colder
// starts the iteration is monotone.
func (s *meshed) largestFactor(ctx context.Context, o *Options, rule krylov.Rule, out *krylov.Outcome) (float64, error) {
	l := s.outer.leakage
	l.cautious = true
	s.sys.Fill(l.stable, 0)
	low, high := 0.0, 1.0
	for n := 0; n < mostScales && high-low > scaleWithin*high && ctx.Err() == nil; n++ {
		l.scale = (low + high) / 2
		s.source.SetPower(powermap.Scaled(l.drawn, l.scale))
		l.on.Combine(s.x, 1, l.stable, 0, l.stable)
		trial, err := s.iterate(ctx, o, rule, nil)
		out.Iterations += trial.Iterations
		if err != nil {
			return 0, err
		}
		holds := trial.Converged
		if s.measure(); holds && l.Outside > 0 {
			if err := s.gain(ctx, o); err != nil {
				return 0, err
			}
			holds = l.Gain < 1
		}
		if holds {
			low = l.scale
			out.Norms, out.ErrorK = trial.Norms, trial.ErrorK
			l.on.Combine(l.stable, 1, s.x, 0, s.x)
		} else {
			high = l.scale
		}
	}
	l.scale = low
	s.source.SetPower(powermap.Scaled(l.drawn, low))
	l.on.Combine(s.x, 1, l.stable, 0, l.stable)
	return low, s.failure()
}

// judgeStep says of a time step whether the temperatures run away: where the matrix of the step is not positive definite, which is a step longer than the
// growth takes, and where they have left the range of a law while the steady gain is 1 or more. The outcome of a step that was solved stays converged.
func (s *meshed) judgeStep(ctx context.Context, o *Options, out krylov.Outcome) (krylov.Outcome, error) {
	l := s.outer.leakage
	broken, top := out.Reason == krylov.Breakdown, s.sys.Max(s.x)
	if !broken && (l.Outside == 0 || math.Abs(top-l.checkedAt) <= drifts) {
		return out, s.failure()
	}
	l.checkedAt = top
	if err := s.steadyGain(ctx, o); err != nil {
		return out, err
	}
	if l.Runaway = l.broke(out) || l.Gain >= 1 || !s.mesh.Grounded(); !l.Runaway {
		return out, s.failure()
	}
	out.Reason = krylov.Runaway
	if l.Time = s.to; broken {
		l.Time = s.from
		l.on.Combine(s.x, 1, s.old, 0, s.old)
		s.measure()
	}
	return out, s.failure()
}

// eternity is a time step in s in which no capacity holds anything.
const eternity = 1e60

// steadyGain is the gain of the steady equations in a transient. A stack without a way out for its heat has none: what leaks there runs away.
func (s *meshed) steadyGain(ctx context.Context, o *Options) error {
	if !s.mesh.Grounded() {
		s.outer.on.Combine(s.outer.mode, 1, s.x, 0, s.x)
		s.place()
		return s.failure()
	}
	if err := errors.Join(s.sys.Refresh(eternity), s.sys.RefreshAt(s.x, nil), s.pre.Refresh()); err != nil {
		return blame(err)
	}
	err := s.gain(ctx, o)
	s.outer.made = false
	if again := errors.Join(s.sys.Refresh(s.dt), s.sys.RefreshAt(s.x, s.old), s.pre.Refresh()); again != nil && err == nil {
		return blame(again)
	}
	return err
}
