package plausibility

import "thermsim/stack"

// coolants looks for flows beyond the range of the correlations.
func (j *judge) coolants() {
	for i := range j.s.Layers {
		y := &j.s.Layers[i]
		c := y.Coolant
		if c == nil {
			continue
		}
		h := j.s.Hydraulics(y)
		switch {
		case c.Channels == nil:
			j.inertia(y)
		case h.Reynolds > stack.LeastTurbulent:
			j.warn(Coolant, c.Pos, "take a lower flow, or give h for this one", "the Reynolds number in layer %s is "+
				"%.4g: beyond %d flow in channels is turbulent, and correlations are less sure",
				y.Name, h.Reynolds, stack.LeastTurbulent)
		case h.Reynolds > stack.MostLaminar:
			j.warn(Coolant, c.Pos, "take a lower flow, or give h for this one",
				"the Reynolds number in layer %s is %.4g: between %d and %d flow in channels is neither laminar nor "+
					"turbulent for sure, and friction and h are interpolated",
				y.Name, h.Reynolds, stack.MostLaminar, stack.LeastTurbulent)
		}
	}
}

// inertia looks for flows past pins and in media that Darcy's law is too low for.
func (j *judge) inertia(y *stack.Layer) {
	if re := j.s.PoreReynolds(y); re > stack.MostDarcy {
		j.warn(Coolant, y.Coolant.Pos, "give the permeability measured at this flow", "the Reynolds number in layer "+
			"%s by the root of the permeability is %.3g: beyond about %d inertia adds to Darcy's law, and the "+
			"pressure drop is larger",
			y.Name, re, stack.MostDarcy)
	}
}

// boiling looks for coolant that gets as hot as it boils; layers have the range of coolant where that is known.
func (j *judge) boiling(layers []Range) {
	for i := range j.s.Layers {
		y := &j.s.Layers[i]
		if c := y.Coolant; c != nil && c.Fluid.Boiling > 0 && layers[i].Coolant >= c.Fluid.Boiling {
			j.warn(Coolant, c.Pos, "raise the flow", "the coolant in layer %s reaches %s and boils at %s, which is "+
				"not modelled", y.Name, celsius(layers[i].Coolant), celsius(c.Fluid.Boiling))
		}
	}
}
