package gpusolve

import (
	"context"
	"math"
)

// idleShare of the heat that the faces would exchange with a stack at ambient temperature counts as no flow.
const idleShare = 1e-6

// balance of heat in W. The imbalance refers to the largest flow, so that a stack heated by its boundaries alone has
// one too; and at least to a small share of what the faces would exchange with a stack at ambient temperature, so that
// a stack in which nothing flows has none. It is the sum of b - A x over all cells, as b and the heat of the faces are
// formed with the conductances that A holds.
func (e *engine) balance(power, leaking, stored float64) Energy {
	b := Energy{In: power + leaking, Stored: stored, ByFace: e.outflow()}
	b.Scale = math.Max(math.Abs(b.In), math.Abs(stored))
	for _, w := range b.ByFace {
		b.Out += w
		b.Scale = math.Max(b.Scale, math.Abs(w))
	}
	if s := e.meshed; s != nil {
		b.Coolant = s.sys.CoolantHeat(s.x)
	}
	for _, w := range b.Coolant {
		b.Out += w
		b.Scale = math.Max(b.Scale, math.Abs(w))
	}
	b.Scale = math.Max(b.Scale, idleShare*e.exchanged)
	if b.Scale > 0 {
		b.ImbalanceRel = math.Abs(b.In-b.Out-b.Stored) / b.Scale
	}
	return b
}

// leaking is what powers that follow the temperature add in W.
func (e *engine) leaking() float64 {
	if s := e.meshed; s != nil && s.outer != nil && s.outer.leakage != nil {
		return s.outer.Watts
	}
	return 0
}

// scaled is a steady power times the factor that it was solved with, which is 1 unless there is no solution.
func (e *engine) scaled(power float64) float64 {
	if s := e.meshed; s != nil && s.outer != nil && s.outer.leakage != nil {
		return s.outer.scale * power
	}
	return power
}

// lastGain finds the gain at the end of a transient, where it is not known yet.
func (e *engine) lastGain(ctx context.Context, o *Options) {
	s := e.meshed
	if s == nil || s.outer == nil || s.outer.leakage == nil || s.outer.Runaway || ctx.Err() != nil {
		return
	}
	if err := s.steadyGain(ctx, o); err != nil {
		s.outer.Gain = 0 // a failure shows in the system
	}
}
