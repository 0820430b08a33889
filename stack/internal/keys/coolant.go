package keys

import (
	"thermsim/stack/coolant"
	"thermsim/stack/internal/units"
)

func coolantSpecs() []Spec {
	return []Spec{
		{"coolant", "[layer.coolant]", "a coolant", []Key{
			{Name: "fluid", Type: Enum, Enum: coolant.Names(), Doc: "A liquid of the library, whose properties are " +
				"taken at `properties_at`: [liquid-cooling.md](../guides/liquid-cooling.md) has their sources. Or " +
				"give k, c, " +
				"and where a correlation needs them rho and viscosity."},
			{Name: "k", Type: Scalar, Quantity: units.Conductivity, Range: NonNegative, Doc: "Thermal conductivity " +
				"of the coolant, which conducts along the flow with it."},
			{Name: "c", Type: Scalar, Quantity: units.VolumetricHeat, Range: Positive,
				Doc: "Volumetric heat capacity of the coolant."},
			{Name: "rho", Type: Scalar, Quantity: units.Density, Range: Positive, Doc: "Density of the coolant."},
			{Name: "viscosity", Type: Scalar, Quantity: units.Viscosity, Range: Positive,
				Doc: "Dynamic viscosity of the coolant."},
			{Name: "boiling", Type: Scalar, Quantity: units.Temperature, Range: Positive, Doc: "Temperature at which " +
				"the coolant boils: a run warns where it gets as hot."},
			{Name: "inlet", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "`ambient` of the stack", Doc: "Temperature at which the coolant enters."},
			{Name: "properties_at", Type: Scalar, Quantity: units.Temperature, Range: Positive, DefDoc: "`inlet`",
				Doc: "Temperature at which the properties of `fluid` are taken, such as the mean of inlet and " +
					"outlet: a warmer liquid is thinner and flows more under a given pressure."},
			{Name: "direction", Type: Enum, Enum: []string{"+x", "-x", "+y", "-y"}, Required: true,
				Doc: "Where the coolant flows."},
			{Name: "flow", Type: Scalar, Quantity: units.VolumeFlow, Range: Positive, Doc: "Flow through the whole " +
				"cavity. Give flow, velocity or pressure_drop, or every zone a flow."},
			{Name: "velocity", Type: Scalar, Quantity: units.Velocity, Range: Positive, Doc: "Mean velocity in the " +
				"channels; past pins and in a medium, flow over the section of the empty cavity."},
			{Name: "pressure_drop", Type: Scalar, Quantity: units.Pressure, Range: Positive,
				Doc: "From inlet to outlet, from which the flow follows: in channels by the friction factor, past " +
					"pins and in a medium by `permeability`."},
			{Name: "zone", Type: Tables, Sub: "coolant_zone", Doc: "Parts of the cavity across the flow that have " +
				"flows of their own, from the west or the south: single channels, or regions of other permeability."},
			{Name: "model", Type: Enum, Enum: []string{"channels", "porous"},
				DefDoc: "channels; porous of pins and media", Doc: "Whether every channel and wall has cells of its " +
					"own, a channel exactly one across the flow; or walls and coolant share every cell of the " +
					"ground plan."},
			{Name: "channel_width", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Width of a channel. Give channel_width and wall_width, or pin_diameter and pin_pitch, " +
					"or porosity."},
			{Name: "wall_width", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Width of a wall between two channels. Walls are of the layer's material."},
			{Name: "channel_count", Type: Integer, Min: 1, Max: 40_000, DefDoc: "as many as fit",
				Doc: "Number of channels."},
			{Name: "first_wall", Type: Scalar, Quantity: units.Length, Range: Positive, DefDoc: "what is left of the " +
				"chip, half of it at each end", Doc: "Width of the wall before the first channel, from the west " +
				"or the south."},
			{Name: "pin_diameter", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Diameter of a pin. Pins are of the layer's material."},
			{Name: "pin_pitch", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Pitch of the pins, along the flow and across."},
			{Name: "pin_arrangement", Type: Enum, Enum: []string{"inline", "staggered"}, Default: "inline",
				Doc: "Whether every other row of pins is shifted by half a pitch."},
			{Name: "porosity", Type: Scalar, Quantity: units.Number, Range: Positive, Doc: "Share of coolant in a " +
				"medium of any form, such as a foam; the rest is of the layer's material. Give h_bottom and h_top."},
			{Name: "permeability", Type: Scalar, Quantity: units.Permeability, Range: Positive,
				Doc: "Of pins or a medium along the flow, in Darcy's law: velocity over the section of the empty " +
					"cavity = permeability times pressure gradient over viscosity."},
			{Name: "entrance", Type: Enum, Enum: []string{"developed", "developing"}, Default: "developed",
				Doc: "Flow in channels that is developed from the inlet on; or that enters with one velocity and one " +
					"temperature, so that coefficients by correlation depend on the distance from the inlet, and " +
					"friction on the length."},
			{Name: "h", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "by correlation, see " +
				"[liquid-cooling.md](../guides/liquid-cooling.md)", Doc: "Heat transfer coefficient on the walls of " +
				"a channel. " +
				"A porous cavity of channels gets from it those of floor and ceiling, side walls counted as fins."},
			{Name: "h_side", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "`h`",
				Doc: "The same on the side walls of a resolved channel."},
			{Name: "h_bottom", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "`h`",
				Doc: "The same on its floor; in a porous cavity, on the ground plan of the floor, with all that side " +
					"walls and pins add."},
			{Name: "h_top", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "`h`",
				Doc: "The same for the ceiling."},
			{Name: "advection", Type: Enum, Enum: []string{"upwind", "central"}, Default: "upwind",
				Doc: "Differences of what the coolant carries; `central` is 3D-ICE's, under which temperatures may " +
					"swing from cell to cell and the error is not bounded, and leaves `k` out."},
		}},
		{"coolant_zone", "[[layer.coolant.zone]]", "a zone of a coolant", []Key{
			{Name: "to", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Where the zone ends, across the flow from the western or southern side of the chip; the last " +
					"one at the other side."},
			{Name: "flow", Type: Scalar, Quantity: units.VolumeFlow, Range: Positive, Doc: "Flow through the zone, " +
				"which its channels share evenly. Give it to all zones or none."},
			{Name: "permeability", Type: Scalar, Quantity: units.Permeability, Range: Positive,
				DefDoc: "that of the coolant", Doc: "Of pins or a medium in this zone. Without flows of the zones it " +
					"divides that of the cavity."},
		}},
	}
}
