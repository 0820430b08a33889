package gpusolve

import (
	"math"
)

// idleShare of the heat that the faces would exchange with a stack at ambient temperature counts as no flow.
const idleShare = 1e-6

// balance of heat in W. The imbalance refers to the largest flow, so that a stack heated by its boundaries alone has one too; and at least to
// a small share of what the faces would exchange with a stack at ambient temperature, so that a stack in which nothing flows has none.
// It is the sum of b - A x over all cells, as b and the heat of the faces are formed with the conductances that A holds.
func (e *engine) balance(power, stored float64) Energy {
	b := Energy{In: power, Stored: stored, ByFace: e.faceHeat()}
	b.Scale = math.Max(math.Abs(power), math.Abs(stored))
	for _, w := range b.ByFace {
		b.Out += w
		b.Scale = math.Max(b.Scale, math.Abs(w))
	}
	if s, ok := e.thermal.(*meshed); ok {
		b.Coolant = s.coolantHeat()
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
