package stepping

import (
	"context"
	"math"
	"time"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/meshed"
	"thermsim/gpusolve/solution"
)

// idleShare of the heat that the faces would exchange with a stack at ambient temperature counts as no flow.
const idleShare = 1e-6

// Balance of heat in W. The imbalance is relative to the largest flow, so that it is defined for a stack heated only by
// its boundaries. The reference is at least a small share of the heat that the faces would exchange with a stack at
// ambient temperature, so that a stack without flows has no imbalance. It is the sum of b - A x over all cells, as b
// and the heat of the faces are formed with the conductances that A holds.
func (e *Engine) Balance(power, leaking, stored float64) solution.Energy {
	b := solution.Energy{In: power + leaking, Stored: stored, ByFace: e.Outflow()}
	if s := e.meshed; s != nil {
		b.Coolant = s.Sys.CoolantHeat(s.X)
	}
	return e.balanced(b)
}

// balanced adds up what leaves.
func (e *Engine) balanced(b solution.Energy) solution.Energy {
	b.Scale = math.Max(math.Abs(b.In), math.Abs(b.Stored))
	for _, out := range [][]float64{b.ByFace[:], b.Coolant} {
		for _, w := range out {
			b.Out += w
			b.Scale = math.Max(b.Scale, math.Abs(w))
		}
	}
	b.Scale = math.Max(b.Scale, idleShare*e.Exchanged)
	if b.Scale > 0 {
		b.ImbalanceRel = math.Abs(b.In-b.Out-b.Stored) / b.Scale
	}
	return b
}

// leakage is that of a mesh's system, nil without leakage.
func (e *Engine) leakage() *meshed.Leakage {
	if s := e.meshed; s != nil && s.Outer != nil {
		return s.Outer.Leakage
	}
	return nil
}

func (e *Engine) leaking() float64 {
	if l := e.leakage(); l != nil {
		return l.Watts
	}
	return 0
}

// scaled is a steady power times the factor that it was solved with, which is 1 unless there is no solution.
func (e *Engine) scaled(power float64) float64 {
	if l := e.leakage(); l != nil {
		return l.Scale * power
	}
	return power
}

// lastGain finds the gain at the end of a transient, where it is not known yet.
func (e *Engine) lastGain(ctx context.Context, o *driver.Options) {
	l := e.leakage()
	if l == nil || l.Runaway || ctx.Err() != nil {
		return
	}
	if err := e.meshed.SteadyGain(ctx, o); err != nil {
		l.Gain = 0 // a failure shows in the system
	}
}

// mostDoubts bounds the solves that follow because the heat balance contradicts the one before; slightest is the
// relative imbalance from which on it is asked.
const (
	mostDoubts = 4
	slightest  = 1e-8
)

// settleSteady settles a steady state until the heat balance bears out the estimate of the error. Conjugate gradients
// with a weak preconditioner may not have seen the slowest mode of a stack with hardly any cooling, and then take a
// residual for small that the balance shows to be large. The next solve has to be stricter by as much as the estimate
// was too small, and its own estimate is raised by as much. The time of the solve, from start, ends before the heat
// through the faces is read.
func (e *Engine) settleSteady(ctx context.Context, o driver.Options, power float64, watch driver.Watch,
	start time.Time) (krylov.Outcome, solution.Energy, error) {
	var before krylov.Outcome
	raised := 1.0
	for doubts := 0; ; doubts++ {
		out, err := e.Settle(ctx, &o, 1, watch)
		if err != nil {
			return out, solution.Energy{}, err
		}
		e.Timing.Solve = time.Since(start)
		out.Iterations += before.Iterations
		balance := e.Balance(e.scaled(power), e.leaking(), 0)
		short := e.short(&o, out, balance)
		if !(short > 1) || doubts == mostDoubts {
			if out.Reason == krylov.Tolerance {
				out.ErrorK *= raised
			}
			return out, balance, nil
		}
		o.Tol = out.ErrorK / (2 * short)
		raised *= 2 * short
		before = out
	}
}

// short is by what factor the heat balance shows the estimate of a linear solve to be too small, or the imbalance is
// above its limit; 0 where there is nothing to improve.
func (e *Engine) short(o *driver.Options, out krylov.Outcome, balance solution.Energy) float64 {
	if e.meshed == nil || e.meshed.Outer != nil || out.Reason != krylov.Tolerance || o.RTol > 0 || o.ATol > 0 ||
		!(out.ErrorK > 0) || !(balance.ImbalanceRel > slightest) {
		return 0
	}
	s := &solution.Solution{Status: solution.Status{EstimatedErrorK: out.ErrorK}, Energy: balance}
	return math.Max(solution.LeastErrorK(e.Mesh, s)/out.ErrorK, balance.ImbalanceRel/solution.ImbalanceLimit(e.Mesh, s))
}

// flows of heat in a stage, in W.
type flows struct {
	leaking, held float64
	faces         [6]float64
	coolant       []float64
}

// flows are those of the state that is shown.
func (e *Engine) flows(held float64) flows {
	f := flows{leaking: e.leaking(), held: held, faces: e.Outflow()}
	if s := e.meshed; s != nil {
		f.coolant = s.Sys.CoolantHeat(s.X)
	}
	return f
}

// heat is what went where over a run, in J. A step adds its stages as the scheme weighs them, d of the second and 1 - d
// of the first, so that what is stored is what went in less what went out, as far as the stages were solved.
type heat struct {
	in, stored, leaked float64
	faces              [6]float64
	coolant            []float64
}

// add takes a step of h s with a power in W.
func (q *heat) add(h, power float64, mid, end *flows) {
	q.in += h * power
	q.addStage((1-stageShare)*h, mid)
	q.addStage(stageShare*h, end)
}

func (q *heat) addStage(h float64, f *flows) {
	q.leaked += h * f.leaking
	q.stored += h * f.held
	for i, w := range f.faces {
		q.faces[i] += h * w
	}
	if q.coolant == nil && f.coolant != nil {
		q.coolant = make([]float64, len(f.coolant))
	}
	for i, w := range f.coolant {
		q.coolant[i] += h * w
	}
}

// mean is the balance of the means over the run in W.
func (q *heat) mean(length float64, e *Engine) solution.Energy {
	if length <= 0 {
		return solution.Energy{}
	}
	b := solution.Energy{In: (q.in + q.leaked) / length, Stored: q.stored / length}
	for i, j := range q.faces {
		b.ByFace[i] = j / length
	}
	for _, j := range q.coolant {
		b.Coolant = append(b.Coolant, j/length)
	}
	return e.balanced(b)
}
