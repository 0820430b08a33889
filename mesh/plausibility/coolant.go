package plausibility

import "thermsim/stack"

// coolants checks for flows outside the range of the correlations.
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
			j.warn(Coolant, c.Pos, "reduce the flow, or give h for this flow", "layer %s: the Reynolds number is "+
				"%.4g; above %d the channel flow is turbulent and the correlations are less accurate",
				y.Name, h.Reynolds, stack.LeastTurbulent)
		case h.Reynolds > stack.MostLaminar:
			j.warn(Coolant, c.Pos, "reduce the flow, or give h for this flow",
				"layer %s: the Reynolds number is %.4g; between %d and %d the channel flow is transitional, and "+
					"friction and h are interpolated",
				y.Name, h.Reynolds, stack.MostLaminar, stack.LeastTurbulent)
		}
	}
}

// inertia checks for flows through pins and porous media beyond the range of Darcy's law.
func (j *judge) inertia(y *stack.Layer) {
	if re := j.s.PoreReynolds(y); re > stack.MostDarcy {
		j.warn(Coolant, y.Coolant.Pos, "give a permeability measured at this flow", "layer %s: the Reynolds number "+
			"based on the square root of the permeability is %.3g; above about %d inertia increases the pressure drop "+
			"beyond Darcy's law",
			y.Name, re, stack.MostDarcy)
	}
}

// boiling checks for coolant above its boiling point; layers contain the coolant temperature if it is known.
func (j *judge) boiling(layers []Range) {
	for i := range j.s.Layers {
		y := &j.s.Layers[i]
		if c := y.Coolant; c != nil && c.Fluid.Boiling > 0 && layers[i].Coolant >= c.Fluid.Boiling {
			j.warn(Coolant, c.Pos, "increase the flow", "layer %s: the coolant reaches %s but boils at %s; boiling "+
				"is not modeled", y.Name, celsius(layers[i].Coolant), celsius(c.Fluid.Boiling))
		}
	}
}
