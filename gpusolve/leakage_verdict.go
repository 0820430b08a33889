package gpusolve

import (
	"context"
	"math"

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
func (s *meshed) judgeLeakage(ctx context.Context, o *Options, rule krylov.Rule, out krylov.Outcome) (krylov.Outcome,
	error) {
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

// largestFactor brackets the largest factor on all powers with which there is a solution, and leaves that solution in
// x. It starts from the last one, and first from the temperatures without power: for colder starts the iteration is
// monotone.
func (s *meshed) largestFactor(ctx context.Context, o *Options, rule krylov.Rule, out *krylov.Outcome) (float64,
	error) {
	l := s.outer.leakage
	low, high := 0.0, 1.0
	l.scale = low
	s.source.SetPower(powermap.Scaled(l.drawn, low))
	start, err := s.settleCold(ctx, o, rule)
	if err != nil {
		return 0, err
	}
	out.Iterations += start.Iterations
	s.sys.Combine(l.stable, 1, s.x, 0, s.x)
	for n := 0; n < mostScales && high-low > scaleWithin*high && ctx.Err() == nil; n++ {
		l.scale = (low + high) / 2
		s.source.SetPower(powermap.Scaled(l.drawn, l.scale))
		s.sys.Combine(s.x, 1, l.stable, 0, l.stable)
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
			s.sys.Combine(l.stable, 1, s.x, 0, s.x)
		} else {
			high = l.scale
		}
	}
	l.scale = low
	s.source.SetPower(powermap.Scaled(l.drawn, low))
	s.sys.Combine(s.x, 1, l.stable, 0, l.stable)
	return low, s.failure()
}

// judgeStep says of a time step whether the temperatures run away: where the matrix of the step is not positive
// definite, which is a step longer than the growth takes, and where they have left the range of a law while the steady
// gain is 1 or more. The outcome of a step that was solved stays converged.
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
		s.sys.Combine(s.x, 1, s.old, 0, s.old)
		s.measure()
	}
	return out, s.failure()
}
