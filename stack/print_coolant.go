package stack

import "thermsim/stack/internal/units"

// coolant writes a coolant with its flow and coefficients as they were found.
func (p *printer) coolant(c *Coolant) {
	p.line("\n[layer.coolant]")
	p.line("k = %s", quantity(units.Conductivity, c.Fluid.K))
	p.line("c = %s", quantity(units.VolumetricHeat, c.Fluid.C))
	p.value("rho", units.Density, c.Fluid.Density)
	p.value("viscosity", units.Viscosity, c.Fluid.Viscosity)
	p.value("boiling", units.Temperature, c.Fluid.Boiling)
	p.line("inlet = %s", quantity(units.Temperature, c.Inlet))
	p.text("direction", string(c.Direction))
	if len(c.Zones) == 0 {
		p.line("flow = %s", quantity(units.VolumeFlow, c.Flow))
	}
	p.text("model", string(c.Model))
	if ch := c.Channels; ch != nil {
		p.lengths("channel_width", ch.Width, "wall_width", ch.Wall, "first_wall", ch.FirstWall)
		p.count("channel_count", ch.Count)
	}
	if pins := c.Pins; pins != nil {
		p.lengths("pin_diameter", pins.Diameter, "pin_pitch", pins.Pitch)
		if pins.Staggered {
			p.text("pin_arrangement", "staggered")
		}
	}
	if c.Medium != nil {
		p.line("porosity = %s", number(c.Medium.Porosity))
	}
	p.value("permeability", units.Permeability, c.Permeability)
	if c.Developing {
		p.text("entrance", "developing")
	}
	p.value("h_side", units.HeatTransfer, c.HSide)
	p.value("h_bottom", units.HeatTransfer, c.HBottom)
	p.value("h_top", units.HeatTransfer, c.HTop)
	if c.Central {
		p.text("advection", "central")
	}
	for i := range c.Zones {
		z := &c.Zones[i]
		p.line("\n[[layer.coolant.zone]]")
		p.lengths("to", z.To)
		p.line("flow = %s", quantity(units.VolumeFlow, z.Flow))
		p.value("permeability", units.Permeability, z.Permeability)
	}
}
