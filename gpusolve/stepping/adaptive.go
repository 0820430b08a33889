package stepping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/driver"
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
	Initial solution.Field
	OnStep  func(step solution.Step, f solution.Field) error
	Regions *reduction.Regions
	// Checkpoints are those of TransientOptions. They count steps that were taken, not moments that were told.
	Checkpoints *Checkpoints
}

// ErrUnsettled is that of a run that does not get where it is to go.
var ErrUnsettled = errors.New("not converged")

// DefaultStepTol is the largest error in K of a step in time unless told otherwise.
const DefaultStepTol = 0.01

// Adaptive is a checked run.
func Adaptive(ctx context.Context, m *mesh.Mesh, o driver.Job, a *AdaptiveOptions) (*solution.Solution, error) {
	r := newMarch(m, o, a, 0)
	e, err := Open(m, &r.opts, mostMoments, stageShare*r.ladder.step())
	if err != nil {
		return nil, err
	}
	defer e.Dev.Bind()()
	start := time.Now()
	err = r.open(e, a.Initial)
	if err != nil {
		e.Close()
		return nil, err
	}
	err = r.run(ctx)
	e.Timing.Solve = time.Since(start)
	return r.conclude(ctx, err)
}

// Check refuses what leads nowhere.
func (a *AdaptiveOptions) Check(m *mesh.Mesh) error {
	if a.Tol == 0 {
		a.Tol = DefaultStepTol
	}
	switch {
	case !(a.Tol > 0) || math.IsInf(a.Tol, 0):
		return fmt.Errorf("%w: steps in time with an error of %g K; it must be positive", solution.ErrOption, a.Tol)
	case !(a.Until > 0):
		return fmt.Errorf("%w: a transient until %g s; the time must be positive", solution.ErrOption, a.Until)
	case !(a.ToSteady >= 0) || math.IsInf(a.ToSteady, 0):
		return fmt.Errorf("%w: a transient to within %g K of the steady state; it must be positive", solution.ErrOption,
			a.ToSteady)
	case a.ToSteady == 0 && math.IsInf(a.Until, 1):
		return fmt.Errorf("%w: a transient without an end; give a time, or how close to the steady state it ends",
			solution.ErrOption)
	case a.ToSteady > 0 && !m.Grounded():
		return solution.ErrSingular
	case a.ToSteady > 0 && math.IsInf(a.Until, 1) && m.Power.NextChange(m.Power.LastChange()) < math.Inf(1):
		return fmt.Errorf("%w: the powers repeat themselves for ever, so there is no steady state to end at; give a "+
			"time, or ask for the periodic state", solution.ErrOption)
	}
	for i, t := range a.At {
		if !(t > 0) || t > a.Until*(1+together) || i > 0 && !(t > a.At[i-1]) {
			return fmt.Errorf("%w: the field is asked for at %g s; moments must ascend, after 0 and up to the "+
				"end at %g s", solution.ErrOption, t, a.Until)
		}
	}
	return nil
}

// conclude gathers the solution after a run that ended with an error or nil. The engine is closed with it, or where
// there is none.
func (r *march) conclude(ctx context.Context, err error) (*solution.Solution, error) {
	e := r.Engine
	r.System.Show(r.now, r.driven)
	if s := e.meshed; s != nil && s.Outer != nil && s.Outer.Leakage != nil {
		s.Measure() // the last solve was for the step after
	}
	e.lastGain(ctx, &r.opts.Options)
	s := r.solution(&r.opts.Options, 1, 2*r.Steps, err != nil)
	s.Energy = r.heat.mean(r.time, e.Exchanged)
	s.Stepping, s.Dt = &r.Stepping, r.lastStep
	return r.result(s, err)
}
