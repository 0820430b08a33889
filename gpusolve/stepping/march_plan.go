package stepping

import (
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

const (
	// marchStates is the number of states of a march. One to the steady state has another, numbered next.
	marchStates = 6
	// mostMoments is the number of changes of the power that are looked at for a common unit of the steps.
	mostMoments = 1000
	// solveShare is the part of the error of a step that a solve may leave.
	solveShare = 0.05
	// growBelow is the part of the tolerance that twice the length is expected to stay below, 8 times the error.
	growBelow = 0.8
	// firstShare of the heat capacity over the conductance to the faces is what the first step begins with at most.
	firstShare = 1e-3
	// shortestShare of its time is a step that leads nowhere.
	shortestShare = 1e-13
)

// newMarch plans a run with so many states beside its own.
func newMarch(m *mesh.Mesh, o driver.Job, a *AdaptiveOptions, more int64) *march {
	r := &march{course: course{allConverged: true, steps: []solution.Step{}}, opts: o, plan: a,
		places: places{steady: -1}, telling: true}
	if r.opts.Tol <= 0 {
		r.opts.Tol = driver.DefaultTol
	}
	r.opts.Tol = solveShare * math.Min(r.opts.Tol, a.Tol)
	if r.opts.States = marchStates + more; a.ToSteady > 0 {
		r.opts.States++
	}
	r.Method, r.TolK = solution.MethodTRBDF2, a.Tol
	moments := changes(m, a.Until)
	natural := relaxation(m)
	if math.IsInf(natural, 1) {
		natural = moments[1] // there is an end: nothing else stops such a run
	}
	r.ladder = newLadder(moments, natural)
	r.ladder.enter(0, r.intervalEnd(m, 0))
	r.ladder.first = int(math.Floor(math.Log2(firstShare * natural / r.ladder.own)))
	r.ladder.enter(0, r.ladder.end)
	return r
}

// changes are the moments at which intervals of constant power begin, from 0 on, and the end where there is one.
func changes(m *mesh.Mesh, until float64) []float64 {
	moments := []float64{0}
	for t := 0.0; len(moments) < mostMoments; {
		if t = math.Min(m.Power.NextChange(t), until); math.IsInf(t, 1) {
			break
		}
		if moments = append(moments, t); t >= until {
			break
		}
	}
	return moments
}

// intervalEnd is the end of the interval of constant power that begins at t.
func (r *march) intervalEnd(m *mesh.Mesh, t float64) float64 {
	end := math.Min(m.Power.NextChange(t), r.plan.Until)
	if math.IsInf(end, 1) {
		const forever = 1 << 60 // steps of the unit
		end = t + forever*math.Max(r.ladder.unit, together)
	}
	return end
}

// open takes the engine, and the state to start from.
func (r *march) open(e *Engine, start solution.Field) error {
	r.Engine = e
	if err := r.start(start); err != nil {
		return err
	}
	r.now, r.mid, r.end, r.ahead, r.driven, r.spare = 0, 1, 2, 3, 4, 5
	if r.plan.ToSteady > 0 {
		r.steady = marchStates
	}
	r.Setups, r.dt = 1, stageShare*r.ladder.step()
	r.restart()
	if err := r.System.Hold(int(r.opts.States)); err != nil {
		return methods.Blame(err)
	}
	return r.goOn()
}

// restart goes back to time 0.
func (r *march) restart() {
	r.time, r.line, r.moments = 0, 0, r.plan.At
}
