package stepping

import (
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// course is a run in time with what it has come to.
type course struct {
	*Engine
	steps        []solution.Step // grows with what is finished: nobody knows whether the last step is ever reached
	out          krylov.Outcome
	iterations   int
	errorK       float64 // sum of the estimates
	allConverged bool
	firstFailure krylov.Outcome
	ranAway      bool // the last step is the last of all
}

// count adds a solve.
func (c *course) count(out krylov.Outcome) {
	c.iterations += out.Iterations
	c.errorK += out.ErrorK
}

// judge notes the first solve that failed to converge.
func (c *course) judge(out krylov.Outcome) {
	if !out.Converged && c.allConverged {
		c.allConverged, c.firstFailure = false, out
	}
}

// tell keeps a finished step, and shows it with its field, whose statistics of regions are taken before.
func (c *course) tell(step solution.Step, onStep func(solution.Step, solution.Field) error,
	regions *reduction.Regions) error {
	f := c.Field()
	if c.team == nil && onStep != nil && regions != nil && solution.ReducerOf(f) != nil {
		values, err := solution.Reduce(f, regions)
		if err != nil {
			return err
		}
		step.MaxK = values.Hottest()
		f = &fields.Seen{Of: f, Regions: regions, Values: values}
	}
	if _, seen := f.(*fields.Seen); !seen || !regions.PlanePeaks {
		step.MaxK = c.Hottest() + c.Ambient
	}
	c.steps = append(c.steps, step)
	switch {
	case c.team != nil:
		return c.team.Tell(onStep, step, f.(team.Shared))
	case onStep == nil:
		return nil
	}
	return onStep(step, f)
}

// solution reports the last finished step, and the first solve that failed to converge if any did. The direct solver is
// judged by its residual, as one of so many systems, for all of so many solves.
func (c *course) solution(o *driver.Options, systems, solves int, interrupted bool) *solution.Solution {
	out := c.out
	if d := c.Direct; d != nil && solves > 0 {
		out = d.Conclude(o, systems)
		c.errorK = out.ErrorK * float64(solves)
	}
	if !c.allConverged {
		out.Converged, out.Reason = false, c.firstFailure.Reason
	}
	s := c.Engine.solution(out)
	s.Status.IterationsTotal, s.Status.EstimatedErrorK = c.iterations, c.errorK
	switch {
	case c.ranAway:
		s.Status.Converged, s.Status.Reason = false, solution.ReasonRunaway
	case interrupted:
		s.Status.Converged, s.Status.Reason = false, solution.ReasonInterrupted
	}
	s.Steps = c.steps
	return s
}

// result is the solution with the balance of its heat, of a run that ended with an error or nil. The engine is closed
// with it, or where there is none.
func (c *course) result(s *solution.Solution, err error) (*solution.Solution, error) {
	if solution.AtRest(c.Mesh, s) {
		s.Energy.ImbalanceRel = 0
	}
	s.Heed(c.Mesh)
	if failed := c.Failure(); failed != nil {
		c.Close()
		return nil, failed
	}
	return s, err
}
