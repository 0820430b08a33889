package stepping

import (
	"context"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/solution"
)

// idleShare of the heat that the faces would exchange with a stack at ambient temperature counts as no flow.
const idleShare = 1e-6

// Balance of heat in W. The imbalance refers to the largest flow, so that a stack heated by its boundaries alone has
// one too; and at least to a small share of what the faces would exchange with a stack at ambient temperature, so that
// a stack in which nothing flows has none. It is the sum of b - A x over all cells, as b and the heat of the faces are
// formed with the conductances that A holds.
func (e *Engine) Balance(power, leaking, stored float64) solution.Energy {
	b := solution.Energy{In: power + leaking, Stored: stored, ByFace: e.Outflow()}
	b.Scale = math.Max(math.Abs(b.In), math.Abs(stored))
	for _, w := range b.ByFace {
		b.Out += w
		b.Scale = math.Max(b.Scale, math.Abs(w))
	}
	if s := e.meshed; s != nil {
		b.Coolant = s.Sys.CoolantHeat(s.X)
	}
	for _, w := range b.Coolant {
		b.Out += w
		b.Scale = math.Max(b.Scale, math.Abs(w))
	}
	b.Scale = math.Max(b.Scale, idleShare*e.Exchanged)
	if b.Scale > 0 {
		b.ImbalanceRel = math.Abs(b.In-b.Out-b.Stored) / b.Scale
	}
	return b
}

// leaking is what powers that follow the temperature add in W.
func (e *Engine) leaking() float64 {
	if s := e.meshed; s != nil && s.Outer != nil && s.Outer.Leakage != nil {
		return s.Outer.Watts
	}
	return 0
}

// scaled is a steady power times the factor that it was solved with, which is 1 unless there is no solution.
func (e *Engine) scaled(power float64) float64 {
	if s := e.meshed; s != nil && s.Outer != nil && s.Outer.Leakage != nil {
		return s.Outer.Scale * power
	}
	return power
}

// lastGain finds the gain at the end of a transient, where it is not known yet.
func (e *Engine) lastGain(ctx context.Context, o *driver.Options) {
	s := e.meshed
	if s == nil || s.Outer == nil || s.Outer.Leakage == nil || s.Outer.Runaway || ctx.Err() != nil {
		return
	}
	if err := s.SteadyGain(ctx, o); err != nil {
		s.Outer.Gain = 0 // a failure shows in the system
	}
}
