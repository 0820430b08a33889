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

// AdaptiveOptions describe a run with adaptive time steps.
type AdaptiveOptions struct {
	// Tol is the largest error in K that a step may make, as estimated; DefaultStepTol where 0.
	Tol float64
	// Until is the time in s at which the run ends.
	Until float64
	// ToSteady ends the run earlier, once every cell is within this many K of the steady state under the final power; 0
	// for a run to Until. With it, Until may be infinite where the powers stop changing.
	ToSteady float64
	// At are the moments in s at which OnStep is called, ascending, followed by the end of the run; nil selects the end
	// of every step. Steps do not end there: the states are interpolated.
	At []float64
	// Initial, OnStep and Regions are those of TransientOptions. The field that OnStep is given holds until it returns.
	Initial solution.Field
	OnStep  func(step solution.Step, f solution.Field) error
	Regions *reduction.Regions
	// Checkpoints are those of TransientOptions. They count steps that were taken, not moments that were reported.
	Checkpoints *Checkpoints
}

// ErrUnsettled is the error of a run that does not reach its end.
var ErrUnsettled = errors.New("not converged")

// DefaultStepTol is the largest error in K of a time step by default.
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

// Check refuses invalid options.
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
		return fmt.Errorf("%w: a transient needs an end; give a time, or a distance to the steady state",
			solution.ErrOption)
	case a.ToSteady > 0 && !m.Grounded():
		return solution.ErrSingular
	case a.ToSteady > 0 && math.IsInf(a.Until, 1) && m.Power.NextChange(m.Power.LastChange()) < math.Inf(1):
		return fmt.Errorf("%w: the powers are periodic, so there is no steady state to end at; give an end time, "+
			"or request the periodic state", solution.ErrOption)
	}
	for i, t := range a.At {
		if !(t > 0) || t > a.Until*(1+together) || i > 0 && !(t > a.At[i-1]) {
			return fmt.Errorf("%w: the field is requested at %g s; times must ascend, after 0 and up to the "+
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
	if e.leakage() != nil {
		e.meshed.Measure() // the last solve was for the step after
	}
	e.lastGain(ctx, &r.opts.Options)
	s := r.solution(&r.opts.Options, 1, 2*r.Steps, err != nil)
	s.Energy = r.heat.mean(r.time, e)
	s.Stepping, s.Dt = &r.Stepping, r.lastStep
	return r.result(s, err)
}

// TR-BDF2 with gamma = 2 - sqrt 2 takes a step of C x' = p - K x from x0 to x1 = x(h). The trapezoidal rule leads to z
// = x(gamma h), and BDF2 from x0 and z to x1. See Bank et al., IEEE Trans. Electron Devices 32 (1985) 1992, and Hosea
// and Shampine, Appl. Numer. Math. 20 (1996) 21. Both stages have the operator of a backward-Euler step of d h with d =
// gamma/2. A step is two of these:
//
//	y  from x0,                          z = 2 y - x0
//	x1 from (1 + sqrt 2) y - sqrt 2 x0.
//
// y is x(d h) to first order: the trapezoidal rule over gamma h in the form of the midpoint rule. Where K and p are
// constant over a step the two are the same; where K depends on temperature the steps are those of Alexander's SDIRK2
// (SIAM J. Numer. Anal. 14 (1977) 1006), which has the same d, order 2 and stability function.
const (
	stageShare  = 1 - math.Sqrt2/2 // d: the backward-Euler steps over h
	drivenMid   = 1 + math.Sqrt2
	drivenStart = -math.Sqrt2
)

// The estimate of a step's error is that of the companion of order 3 that Hosea and Shampine embed, filtered by their
// (1 + d h K/C)^-1 for what is stiff. Let y1 be the first stage of the next step, taken with the same power and length.
// The estimate is:
//
//	s ((1 + 2 d) y + (1 - 2 d) y1 - x0 - x1),   s = (1/6 - (sqrt 2 - 1)/2) / d^3.
//
// It is the only combination of the four whose terms up to h^2 vanish; s makes the term of h^3 that of the error. It
// costs a solve; plainError costs none.
const (
	estimateScale = (1./6 - (math.Sqrt2-1)/2) / (stageShare * stageShare * stageShare)
	estimateMid   = (1 + 2*stageShare) * estimateScale
	estimateNext  = (1 - 2*stageShare) * estimateScale
)

// Stages end d h after the start of a step and at its end. changeToEnd and changeAhead are the times from the first to
// the second and from the second to the first of the next step, over those between the two stages before.
const (
	changeToEnd = (1 - stageShare) / stageShare
	changeAhead = stageShare / (1 - stageShare)
)

// within gives the weights of x0, y and x1 for the state a share of a step after its start: the combination that is
// exact to second order, as the step is, and that joins the ends.
func within(share float64) (start, mid, end float64) {
	mid = share * (1 - share) / (stageShare * (1 - 2*stageShare))
	end = share - stageShare*mid
	return 1 - mid - end, mid, end
}

// ladder gives the lengths of steps: a unit of time times a power of two, so that few different operators have to be
// set up. Steps begin at multiples of their length after the start of an interval of constant power, and end with the
// interval.
type ladder struct {
	unit  float64 // s; 0 where the intervals have no common one, and each is its own
	rung  int     // the length of steps is unit 2^rung
	first int     // the rung that the first step of the last interval came to

	start, end float64 // s, of the interval
	own        float64 // s, its unit
	at         float64 // steps from the start, a whole number
}

const (
	lowestRung = -60
	// together is the difference, relative to the time, up to which moments are one.
	together = 1e-9
	// finest is how many times shorter a common unit of intervals may be than the shortest of them.
	finest = 64
)

// newLadder takes the moments at which intervals begin and end, ascending; without any it begins with a first length.
func newLadder(moments []float64, first float64) ladder {
	if len(moments) < 2 {
		return ladder{unit: first}
	}
	shortest, unit := math.Inf(1), 0.0
	for i, t := range moments[1:] {
		length := t - moments[i]
		shortest = math.Min(shortest, length)
		unit = common(unit, length, together*t)
	}
	if unit*finest < shortest {
		unit = 0
	}
	return ladder{unit: unit}
}

// common is the largest length of which two are multiples, within a tolerance.
func common(a, b, tolerance float64) float64 {
	for a > tolerance {
		rest := math.Mod(b, a)
		if a-rest <= tolerance {
			rest = 0
		}
		a, b = rest, a
	}
	return b
}

// enter begins an interval with steps of the length that the last one began with.
func (l *ladder) enter(start, end float64) {
	wanted := l.own * math.Ldexp(1, l.first)
	l.start, l.end, l.at = start, end, 0
	switch {
	case l.unit > 0:
		l.own = l.unit
	case l.own == 0 || math.Abs(end-start-l.own) > together*end:
		l.own = end - start
		if wanted > 0 {
			l.first = int(math.Ceil(math.Log2(wanted / l.own)))
		}
	}
	l.rung = l.first
	l.fit()
}

// step is the length of steps.
func (l *ladder) step() float64 { return l.own * math.Ldexp(1, l.rung) }

// time is where the next step starts.
func (l *ladder) time() float64 { return l.start + l.at*l.step() }

// next is where it ends: exactly at the end of the interval where it is the last.
func (l *ladder) next() float64 {
	t := l.start + (l.at+1)*l.step()
	if math.Abs(t-l.end) <= together*math.Abs(l.end) {
		return l.end
	}
	return t
}

// done says that the interval is over.
func (l *ladder) done() bool { return l.time() >= l.end-together*math.Abs(l.end) }

// halve halves the next step a number of times.
func (l *ladder) halve(times int) {
	l.rung -= times
	l.at *= math.Ldexp(1, times)
}

// double makes it longer, if a step of twice the length begins here and ends within the interval.
func (l *ladder) double() bool {
	if math.Mod(l.at, 2) != 0 || l.time()+2*l.step() > l.end*(1+together) {
		return false
	}
	l.rung++
	l.at /= 2
	return true
}

// fit makes the next step no longer than what is left of the interval.
func (l *ladder) fit() {
	for l.rung > lowestRung && l.time()+l.step() > l.end*(1+together) {
		l.halve(1)
	}
}
