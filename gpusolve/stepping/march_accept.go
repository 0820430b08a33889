package stepping

import (
	"math"

	"thermsim/gpusolve/solution"
)

// accept makes the end of a step the present state, and tells the moments up to it.
func (r *march) accept(errorK float64) error {
	h, t0, t1 := r.ladder.step(), r.time, r.ladder.next()
	estimated := r.estimated()
	r.heat.add(h, r.power, &r.midFlows, &r.endFlows)
	r.Steps++
	r.lastStep = h
	r.LargestErrorK = math.Max(r.LargestErrorK, errorK)
	r.LongestS = math.Max(r.LongestS, h)
	if r.ShortestS == 0 || h < r.ShortestS {
		r.ShortestS = h
	}
	r.grow = 8*errorK <= growBelow*r.plan.Tol
	if r.fresh {
		if r.fresh, r.ladder.first = false, r.ladder.rung; r.grow {
			r.ladder.first++
		}
	}
	if r.recording {
		r.rungs = append(r.rungs, r.ladder.rung)
	}
	r.line++
	r.ladder.at++
	r.System.Show(r.end, r.driven)
	r.time = t1
	if r.telling {
		if top := r.Hottest() + r.Ambient; top > r.PeakK {
			r.PeakK, r.PeakS = top, t1
		}
		if err := r.moment(t0, t1, h); err != nil {
			return err
		}
	}
	r.now, r.end = r.end, r.now
	r.mid, r.ahead = r.ahead, r.mid
	r.midFlows = flows{}
	if r.ready = !r.ranAway && estimated; r.ready {
		r.System.Show(r.mid, r.now)
		r.midFlows = r.flows(r.System.Held())
		r.System.Show(r.now, r.driven)
	}
	if err := r.arrived(); err != nil || r.ranAway {
		return err
	}
	return r.keepState()
}

// moment tells those in (t0, t1] that are asked for, while the state at t1 is in end and that before in now.
func (r *march) moment(t0, t1, h float64) error {
	if r.plan.At == nil {
		return r.tell(t1)
	}
	for len(r.moments) > 0 && r.moments[0] <= t1*(1+together) {
		t := r.moments[0]
		r.moments = r.moments[1:]
		if math.Abs(t-t1) <= together*t1 {
			if err := r.tell(t); err != nil {
				return err
			}
			continue
		}
		start, mid, end := within((t - t0) / h)
		r.System.Combine(r.spare, start, r.now, mid, r.mid)
		r.System.Combine(r.spare, 1, r.spare, end, r.end)
		r.System.Show(r.spare, r.now)
		err := r.tell(t)
		r.System.Show(r.end, r.driven)
		if err != nil {
			return err
		}
	}
	return nil
}

// tell keeps the state that is shown as that of a moment, and shows it.
func (r *march) tell(t float64) error {
	leaking := r.endFlows.leaking
	step := solution.Step{Time: t, Iterations: r.iterations - r.since, Converged: r.allConverged,
		PowerW:   r.power + leaking,
		LeakageW: leaking}
	r.since = r.iterations
	return r.course.tell(step, r.plan.OnStep, r.plan.Regions)
}
