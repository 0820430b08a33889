package stepping

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/meshed"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// march is a run of TR-BDF2 in progress.
type march struct {
	course
	opts   driver.Job
	plan   *AdaptiveOptions
	ladder ladder
	stateNumbers
	interval
	script
	solution.Stepping

	time      float64 // s
	lastStep  float64 // s
	dt        float64 // s, of the operator's stages
	continued bool    // driven is that of the step before, taken under the same power
	lastError float64 // K, of the last step
	trend     float64 // 1/s: of the logarithm of the error over the cube of the length, 0 where it is not known
	endFlows  flows
	midFlows  flows
	heat      heat
	moments   []float64 // that are still to be reported
	since     int       // iterations when the last moment was reported
	reporting bool      // moments are reported
	pass      int       // through the period of a periodic state, from 1
}

// stateNumbers number the states: the present one, the two stages of the step, the first stage of the next step, the
// start of a stage, and a spare one for the estimate and for fields between steps. steady is the steady state, -1 where
// it is not needed.
type stateNumbers struct{ now, mid, end, ahead, driven, spare, steady int }

// interval is one of constant power.
type interval struct {
	power   float64 // W
	last    bool    // no power changes after it
	fresh   bool    // no step of it was accepted
	resumed bool    // it was entered before a checkpoint
}

// script holds the rungs of the steps that were accepted while recording. Afterwards the run repeats these steps
// without estimating their error.
type script struct {
	recording bool
	rungs     []int
	line      int // that is next
}

// run steps to the end, and reports it.
func (r *march) run(ctx context.Context) error {
	if err := r.advance(ctx); err != nil {
		return err
	}
	return r.finish()
}

// advance steps through the intervals of constant power.
func (r *march) advance(ctx context.Context) error {
	for r.time < r.plan.Until && !r.Steady {
		if !r.resumed {
			if err := r.enter(ctx, r.intervalEnd(r.Mesh, r.time)); err != nil {
				return err
			}
		}
		r.resumed = false
		for !r.ladder.done() && !r.Steady {
			if err := r.step(ctx); err != nil {
				return err
			}
			if r.ranAway {
				return nil
			}
		}
	}
	return nil
}

// finish reports the end, unless that has been done.
func (r *march) finish() error {
	if n := len(r.steps); r.Steps > 0 && (n == 0 || r.steps[n-1].Time < r.time*(1-together)) {
		r.System.Show(r.now, r.driven)
		return r.report(r.time)
	}
	return nil
}

// enter starts an interval of constant power from the present time to end.
func (r *march) enter(ctx context.Context, end float64) (err error) {
	if r.power, err = r.System.Load(r.time, end); err != nil {
		return err
	}
	if r.time > 0 {
		r.Changes++
	}
	r.ladder.enter(r.time, end)
	r.fresh, r.continued, r.lastError = true, false, math.Inf(1)
	r.last = math.IsInf(r.Mesh.Power.NextChange(r.time), 1)
	if r.plan.ToSteady > 0 && r.last {
		return r.findSteady(ctx)
	}
	return nil
}

// findSteady solves for the steady state under the present power.
func (r *march) findSteady(ctx context.Context) error {
	if err := r.retime(meshed.Eternity); err != nil {
		return err
	}
	r.System.Combine(r.steady, 1, r.now, 0, r.now)
	out, err := r.solve(ctx, r.steady, r.now)
	switch {
	case err != nil:
	case out.Reason == krylov.Runaway:
		err = fmt.Errorf("%w: there is no steady state to end at; a steady solve finds the largest power that has one",
			ErrRunaway)
	case !out.Converged:
		err = fmt.Errorf("%w: the steady state to end at was not reached: %s", ErrUnsettled,
			methods.ReasonText(out.Reason))
	}
	if err != nil {
		return err
	}
	return r.arrived()
}

// arrived finds the distance to the steady state. A run takes at least one step, so that it has an end to report even
// where it begins in the steady state.
func (r *march) arrived() error {
	if r.steady < 0 || !r.last {
		return nil
	}
	r.System.Combine(r.spare, 1, r.steady, -1, r.now)
	r.RestK = r.System.Largest(r.spare)
	r.Steady = r.Steps > 0 && r.RestK <= r.plan.ToSteady
	return r.Failure()
}

// retime sets the operator up for another stage length.
func (r *march) retime(dt float64) error {
	if dt == r.dt {
		return nil
	}
	r.dt = dt
	r.Setups++
	return r.System.Retime(dt)
}

const (
	// marchStates is the number of states of a march. One to the steady state has another, numbered next.
	marchStates = 6
	// mostMoments limits the number of power changes that determine a common unit of the steps.
	mostMoments = 1000
	// solveShare is the part of the error of a step that a solve may leave.
	solveShare = 0.05
	// growBelow is the part of the tolerance below which a longer step must be expected to stay.
	growBelow = 0.8
	// firstShare of the heat capacity over the conductance to the faces is what the first step begins with at most.
	firstShare = 1e-3
	// shortestShare of the time is the shortest useful step.
	shortestShare = 1e-13
)

// newMarch plans a run with more states in addition to its own.
func newMarch(m *mesh.Mesh, o driver.Job, a *AdaptiveOptions, more int64) *march {
	r := &march{course: course{allConverged: true, steps: []solution.Step{}}, opts: o, plan: a,
		stateNumbers: stateNumbers{steady: -1}, reporting: true}
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

// open sets the engine and the initial state.
func (r *march) open(e *Engine, start solution.Field) error {
	r.Engine = e
	resumes, err := r.begin(r.plan.Checkpoints, start)
	if err != nil {
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
	if resumes {
		return r.goOn()
	}
	return nil
}

func (r *march) restart() {
	r.time, r.line, r.moments = 0, 0, r.plan.At
}

// step takes one step, which it shortens where the error requires that.
func (r *march) step(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.scripted() {
		r.follow()
	} else {
		for times := 1; r.grows(times) && r.ladder.double(); {
			times++
		}
	}
	for {
		r.ladder.fit()
		if r.ladder.step() < shortestShare*r.ladder.next() {
			return fmt.Errorf("%w: steps of %g s at %g s still have errors above %g K; allow larger ones", ErrUnsettled,
				r.ladder.step(), r.time, r.plan.Tol)
		}
		errorK, err := r.attempt(ctx)
		if err != nil {
			return err
		}
		if r.ranAway || errorK <= r.plan.Tol || r.scripted() && !math.IsInf(errorK, 1) {
			return r.accept(errorK)
		}
		r.Rejected++
		r.continued = false
		r.ladder.halve(shorter(errorK / r.plan.Tol))
	}
}

// scripted says that the steps are given.
func (r *march) scripted() bool { return !r.recording && r.line < len(r.rungs) }

// follow goes to the rung of the script.
func (r *march) follow() {
	for r.ladder.rung < r.rungs[r.line] && r.ladder.double() {
	}
	if above := r.ladder.rung - r.rungs[r.line]; above > 0 {
		r.ladder.halve(above)
	}
}

// estimated says that the error of a step is needed.
func (r *march) estimated() bool { return !r.scripted() || r.reporting }

// shorter is how many times to halve a step whose error exceeds the tolerance by a factor.
func shorter(excess float64) int {
	if math.IsNaN(excess) || math.IsInf(excess, 0) {
		return 3
	}
	return max(1, min(6, int(math.Ceil(math.Log2(excess)/3))))
}

// attempt solves the stages of a step, and the first one of the next, and estimates the error in K. It is infinite
// where a stage has no solution.
func (r *march) attempt(ctx context.Context) (errorK float64, err error) {
	h := r.ladder.step()
	if err := r.retime(stageShare * h); err != nil {
		return 0, err
	}
	s := r.System
	s.Combine(r.mid, 1, r.now, 0, r.now)
	if r.continued {
		r.guessNext(r.mid, h/r.lastStep, [4]int{r.end, r.ahead, r.driven, r.now})
	}
	if ok, err := r.stage(ctx, r.mid, r.now, &r.midFlows); !ok || err != nil {
		return math.Inf(1), err
	}
	continued := r.continued
	r.drive(h)
	if ok, err := r.stage(ctx, r.end, r.driven, &r.endFlows); !ok || err != nil {
		return math.Inf(1), err
	}
	if r.ranAway || !r.estimated() {
		return 0, nil
	}
	if continued {
		if errorK = r.plainError(h); errorK <= r.plan.Tol {
			return errorK, r.Failure()
		}
	}
	out := r.out
	r.guessNext(r.ahead, 1, [4]int{r.now, r.mid, r.driven, r.end})
	if ok, err := r.stage(ctx, r.ahead, r.end, nil); !ok || err != nil {
		return math.Inf(1), err
	}
	r.out = out
	r.sum(r.spare, []float64{estimateMid, estimateNext, -estimateScale, -estimateScale},
		[]int{r.mid, r.ahead, r.now, r.end})
	return s.Largest(r.spare), r.Failure()
}

// drive sets the start of the second stage, and guesses its end: the heat flow changes further as it did from the end
// of the step before to the first stage.
func (r *march) drive(h float64) {
	if r.Direct == nil {
		change, before := 0.0, 0.0
		if r.continued {
			change = changeToEnd
			before = change * h / r.lastStep
		}
		r.sum(r.end, []float64{drivenMid + 1 + change, drivenStart - 1 - change - before, before},
			[]int{r.mid, r.now, r.driven})
	}
	r.System.Combine(r.spare, drivenMid, r.mid, drivenStart, r.now)
	r.driven, r.spare = r.spare, r.driven
}

// plainError is the estimate in K before it is filtered, of a step of h that continues the one before. The filter makes
// no value larger than the largest before, so it is needed only where this one exceeds the tolerance.
func (r *march) plainError(h float64) float64 {
	slope := h / r.lastStep // of the heat at the start, over the change of the last stage
	r.sum(r.ahead, []float64{1 - 2*stageShare, 2*stageShare - drivenStart + slope, -slope, -drivenMid},
		[]int{r.end, r.now, r.spare, r.mid})
	return math.Abs(estimateScale) * r.System.Largest(r.ahead)
}

// guessNext guesses the first stage of the step that follows another one, for which the heat of its two stages changes
// further. The step has ratio times the length of that one, whose start, first stage, start of the second and end are
// given.
func (r *march) guessNext(dst int, ratio float64, step [4]int) {
	if r.Direct != nil {
		return
	}
	change := ratio * ratio * changeAhead
	r.sum(dst, []float64{1 + ratio + change, -ratio - change, -change, change},
		[]int{step[3], step[2], step[1], step[0]})
}

// sum sets a state to a weighted sum of two others or more.
func (r *march) sum(dst int, weights []float64, of []int) {
	if s := r.meshed; s != nil && s.Sum(dst, weights, of) {
		return
	}
	r.System.Combine(dst, weights[0], of[0], weights[1], of[1])
	for n, x := range of[2:] {
		r.System.Combine(dst, 1, dst, weights[2+n], x)
	}
}

// stage solves a stage, and returns false where there is no solution.
func (r *march) stage(ctx context.Context, dst, from int, f *flows) (bool, error) {
	out, err := r.solve(ctx, dst, from)
	if err != nil {
		return false, err
	}
	if out.Reason == krylov.Runaway && !out.Converged {
		if s := r.meshed; s != nil {
			s.Outer.Runaway = false // a shorter step may have one
		}
		return false, nil
	}
	r.ranAway = out.Reason == krylov.Runaway
	if f != nil && r.reporting {
		*f = r.flows(r.System.Held())
	}
	r.out = out
	return true, r.Failure()
}

// solve solves a stage, and counts its effort.
func (r *march) solve(ctx context.Context, dst, from int) (krylov.Outcome, error) {
	if s := r.meshed; s != nil {
		s.From, s.To = r.time, r.ladder.next()
	}
	var watch driver.Watch
	if r.opts.Progress != nil {
		watch = func(it int, err float64) {
			r.opts.Progress(driver.Progress{Step: r.Steps, Iteration: it, ErrorK: err, Time: r.time,
				Until: r.plan.Until, Period: r.pass})
		}
		watch(0, math.NaN()) // direct solves have no iterations to watch
	}
	if err := ctx.Err(); err != nil { // solves that end at their first iteration do not look at it
		return krylov.Outcome{ErrorK: math.NaN(), Reason: krylov.Interrupted}, err
	}
	out, err := r.System.Stage(ctx, &r.opts.Options, dst, from, watch)
	r.Solves++
	r.count(out)
	if err == nil && out.Reason == krylov.Interrupted {
		err = ctx.Err()
	}
	if err == nil && out.Reason != krylov.Runaway {
		r.judge(out)
	}
	return out, err
}

// accept makes the end of a step the present state, and reports the moments up to it.
func (r *march) accept(errorK float64) error {
	h, t0, t1 := r.ladder.step(), r.time, r.ladder.next()
	r.heat.add(h, r.power, &r.midFlows, &r.endFlows)
	r.Steps++
	r.LargestErrorK = math.Max(r.LargestErrorK, errorK)
	r.LongestS = math.Max(r.LongestS, h)
	if r.ShortestS == 0 || h < r.ShortestS {
		r.ShortestS = h
	}
	r.trend = 0
	if q := h / r.lastStep; r.continued && r.lastError > 0 {
		r.trend = 2 * math.Log(errorK/(q*q*q*r.lastError)) / (r.lastStep + h)
	}
	r.lastStep, r.lastError = h, errorK
	if r.fresh {
		if r.fresh, r.ladder.first = false, r.ladder.rung; r.grows(1) {
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
	if r.reporting {
		if top := r.Hottest() + r.Ambient; top > r.PeakK {
			r.PeakK, r.PeakS = top, t1
		}
		if err := r.moment(t0, t1, h); err != nil {
			return err
		}
	}
	r.now, r.end = r.end, r.now
	r.mid, r.ahead = r.ahead, r.mid
	r.continued = true
	if err := r.arrived(); err != nil || r.ranAway {
		return err
	}
	return r.keepState()
}

// grows says whether the next step may be as many times twice as long as the last one. Its error is expected to have
// the third power of the length, to change further from the middle of a step to that of the next as it did before, and
// to have at least the second power.
func (r *march) grows(times int) bool {
	ratio := math.Ldexp(1, times)
	changed := math.Exp(r.trend * r.lastStep * (1 + ratio) / 2)
	return r.lastError*math.Max(ratio*ratio, ratio*ratio*ratio*changed) <= growBelow*r.plan.Tol
}

// moment reports the requested ones in (t0, t1], while the state at t1 is in end and that before in now.
func (r *march) moment(t0, t1, h float64) error {
	if r.plan.At == nil {
		return r.report(t1)
	}
	for len(r.moments) > 0 && r.moments[0] <= t1*(1+together) {
		t := r.moments[0]
		r.moments = r.moments[1:]
		if math.Abs(t-t1) <= together*t1 {
			if err := r.report(t); err != nil {
				return err
			}
			continue
		}
		start, mid, end := within((t - t0) / h)
		r.sum(r.spare, []float64{start, mid, end}, []int{r.now, r.mid, r.end})
		r.System.Show(r.spare, r.now)
		err := r.report(t)
		r.System.Show(r.end, r.driven)
		if err != nil {
			return err
		}
	}
	return nil
}

// report records the shown state as that of a moment, and reports it.
func (r *march) report(t float64) error {
	leaking := r.endFlows.leaking
	step := solution.Step{Time: t, Iterations: r.iterations - r.since, Converged: r.allConverged,
		PowerW:   r.power + leaking,
		LeakageW: leaking}
	r.since = r.iterations
	return r.course.report(step, r.plan.OnStep, r.plan.Regions)
}
