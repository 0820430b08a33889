package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// AdaptiveOptions describe a run whose steps follow the temperatures.
type AdaptiveOptions struct {
	// Tol is the largest error in K that a step may make, as estimated; DefaultStepTol where 0.
	Tol float64
	// Until is the time in s at which the run ends.
	Until float64
	// ToSteady ends it before, once no cell is further than this many K from the steady state under the last power of
	// all; 0 for a run to Until. With it, Until may be infinite where the powers stop changing.
	ToSteady float64
	// At are the moments in s that OnStep is told, ascending, and after them the end; nil stands for the end of every
	// step. Steps do not end there: the states are interpolated.
	At []float64
	// Initial, OnStep and Regions are those of TransientOptions. The field that OnStep is given holds until it returns.
	Initial Field
	OnStep  func(step Step, f Field) error
	Regions *reduction.Regions
	// Checkpoints are those of TransientOptions. They count steps that were taken, not moments that were told.
	Checkpoints *Checkpoints
}

// ErrUnsettled is that of a run that does not get where it is to go.
var ErrUnsettled = errors.New("not converged")

// DefaultStepTol is the largest error in K of a step in time unless told otherwise.
const DefaultStepTol = 0.01

// adaptive is a checked run.
func adaptive(ctx context.Context, m *mesh.Mesh, o job, a *AdaptiveOptions) (*Solution, error) {
	r := newMarch(m, o, a, 0)
	e, err := newEngine(m, &r.opts, mostMoments, stageShare*r.ladder.step())
	if err != nil {
		return nil, err
	}
	defer e.dev.Bind()()
	start := time.Now()
	err = r.open(e, a.Initial)
	if err != nil {
		e.Close()
		return nil, err
	}
	err = r.run(ctx)
	e.timing.Solve = time.Since(start)
	return r.conclude(ctx, err)
}

// check refuses what leads nowhere.
func (a *AdaptiveOptions) check(m *mesh.Mesh) error {
	if a.Tol == 0 {
		a.Tol = DefaultStepTol
	}
	switch {
	case !(a.Tol > 0) || math.IsInf(a.Tol, 0):
		return fmt.Errorf("%w: steps in time with an error of %g K; it must be positive", ErrOption, a.Tol)
	case !(a.Until > 0):
		return fmt.Errorf("%w: a transient until %g s; the time must be positive", ErrOption, a.Until)
	case !(a.ToSteady >= 0) || math.IsInf(a.ToSteady, 0):
		return fmt.Errorf("%w: a transient to within %g K of the steady state; it must be positive", ErrOption,
			a.ToSteady)
	case a.ToSteady == 0 && math.IsInf(a.Until, 1):
		return fmt.Errorf("%w: a transient without an end; give a time, or how close to the steady state it ends",
			ErrOption)
	case a.ToSteady > 0 && !m.Grounded():
		return ErrSingular
	case a.ToSteady > 0 && math.IsInf(a.Until, 1) && m.Power.NextChange(m.Power.LastChange()) < math.Inf(1):
		return fmt.Errorf("%w: the powers repeat themselves for ever, so there is no steady state to end at; give a "+
			"time, or ask for the periodic state", ErrOption)
	}
	for i, t := range a.At {
		if !(t > 0) || t > a.Until*(1+together) || i > 0 && !(t > a.At[i-1]) {
			return fmt.Errorf("%w: the field is asked for at %g s; moments must ascend, after 0 and up to the "+
				"end at %g s", ErrOption, t, a.Until)
		}
	}
	return nil
}

// conclude gathers the solution after a run that ended with an error or nil. The engine is closed with it, or where
// there is none.
func (r *march) conclude(ctx context.Context, err error) (*Solution, error) {
	e := r.engine
	r.system.show(r.now, r.driven)
	if s := e.meshed; s != nil && s.outer != nil && s.outer.leakage != nil {
		s.measure() // the last solve was for the step after
	}
	e.lastGain(ctx, &r.opts.Options)
	out := r.out
	if d := e.direct; d != nil && r.Steps > 0 {
		out = d.conclude(&r.opts.Options, 1)
		r.errorK = out.ErrorK * float64(2*r.Steps)
	}
	if !r.allConverged {
		out.Converged, out.Reason = false, r.firstFailure.Reason
	}
	s := e.solution(out)
	s.Status.IterationsTotal, s.Status.EstimatedErrorK = r.iterations, r.errorK
	switch {
	case r.ranAway:
		s.Status.Converged, s.Status.Reason = false, solution.ReasonRunaway
	case err != nil:
		s.Status.Converged, s.Status.Reason = false, solution.ReasonInterrupted
	}
	s.Energy = r.heat.mean(r.time, e.exchanged)
	s.Steps, s.Stepping = r.steps, &r.Stepping
	s.Dt = r.lastStep
	if solution.AtRest(r.mesh, s) {
		s.Energy.ImbalanceRel = 0
	}
	s.Heed(r.mesh)
	if failed := e.failure(); failed != nil {
		e.Close()
		return nil, failed
	}
	return s, err
}
