package meshed

import (
	"context"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/powermap"
)

// Bounds of what looks for the largest power.
const (
	mostScales  = 24
	scaleWithin = 2.5e-4
	enoughGain  = 0.9 // from which on a breakdown is that of the leakage: estimates of the gain are from below
)

// judgeLeakage says what has become of a system whose powers follow the temperature, after the iteration ended in some
// way.
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

// broke says that conjugate gradients broke down because of the leakage: of a gain well below 1 they do not.
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

// judgeStep says of a time step whether the temperatures run away: where the matrix of the step is not positive
// definite, which is a step longer than the growth takes, and where they have left the range of a law while the steady
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
