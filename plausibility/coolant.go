package plausibility

import "thermsim/stack"

// coolants looks for flows beyond the range of the laminar correlations.
func (j *judge) coolants() {
	for i := range j.s.Layers {
		y := &j.s.Layers[i]
		if y.Coolant == nil {
			continue
		}
		if re := j.s.Hydraulics(y).Reynolds; re > stack.MostLaminar {
			j.warn(Coolant, y.Coolant.Pos, "take a lower flow, or give h for this one", "the Reynolds number in layer %s is %.4g: beyond %d flow in channels is not laminar, and correlations are less sure",
				y.Name, re, stack.MostLaminar)
		}
	}
}

// boiling looks for coolant that gets as hot as it boils; layers have the range of coolant where that is known.
func (j *judge) boiling(layers []Range) {
	for i := range j.s.Layers {
		y := &j.s.Layers[i]
		if c := y.Coolant; c != nil && c.Fluid.Boiling > 0 && layers[i].Coolant >= c.Fluid.Boiling {
			j.warn(Coolant, c.Pos, "raise the flow", "the coolant in layer %s reaches %s and boils at %s, which is not modelled", y.Name, celsius(layers[i].Coolant), celsius(c.Fluid.Boiling))
		}
	}
}
