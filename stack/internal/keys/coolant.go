package keys

import (
	"thermsim/stack/coolant"
	"thermsim/stack/internal/units"
)

func coolantSpecs() []Spec {
	return []Spec{
		{"coolant", "[layer.coolant]", "a coolant", []Key{
			{Name: "fluid", Type: Enum, Enum: coolant.Names(),
				Doc: "A library liquid, with properties at `properties_at` (sources: " +
					"[liquid-cooling.md](../guides/liquid-cooling.md)). Or give k, c and, for correlations, rho and " +
					"viscosity."},
			{Name: "k", Type: Scalar, Quantity: units.Conductivity, Range: NonNegative,
				Doc: "Thermal conductivity of the coolant, used along the flow."},
			{Name: "c", Type: Scalar, Quantity: units.VolumetricHeat, Range: Positive,
				Doc: "Volumetric heat capacity of the coolant."},
			{Name: "rho", Type: Scalar, Quantity: units.Density, Range: Positive, Doc: "Density of the coolant."},
			{Name: "viscosity", Type: Scalar, Quantity: units.Viscosity, Range: Positive,
				Doc: "Dynamic viscosity of the coolant."},
			{Name: "boiling", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "Boiling temperature; runs warn if the coolant reaches it."},
			{Name: "inlet", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "`ambient` of the stack", Doc: "Inlet temperature of the coolant."},
			{Name: "properties_at", Type: Scalar, Quantity: units.Temperature, Range: Positive, DefDoc: "`inlet`",
				Doc: "Temperature for the properties of `fluid`, for example the mean of inlet and outlet: warmer " +
					"liquids are less viscous and flow more at a given pressure."},
			{Name: "direction", Type: Enum, Enum: []string{"+x", "-x", "+y", "-y"}, Required: true,
				Doc: "Flow direction."},
			{Name: "flow", Type: Scalar, Quantity: units.VolumeFlow, Range: Positive,
				Doc: "Volume flow through the whole cavity. Give flow, velocity or pressure_drop, or a flow for " +
					"every zone."},
			{Name: "velocity", Type: Scalar, Quantity: units.Velocity, Range: Positive,
				Doc: "Mean velocity in the channels; for pins and media, flow over the empty cross-section of the " +
					"cavity."},
			{Name: "pressure_drop", Type: Scalar, Quantity: units.Pressure, Range: Positive,
				Doc: "Pressure drop from inlet to outlet, which determines the flow: in channels by the friction " +
					"factor, for pins and media by `permeability`."},
			{Name: "zone", Type: Tables, Sub: "coolant_zone",
				Doc: "Parts of the cavity with separate flows, across the flow from west or south: single channels, " +
					"or areas of other permeability."},
			{Name: "model", Type: Enum, Enum: []string{"channels", "porous"},
				DefDoc: "channels; porous for pins and media",
				Doc: "Whether channels and walls are resolved, with exactly one cell per channel across the flow, or " +
					"walls and coolant share every cell in x and y."},
			{Name: "channel_width", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Width of a channel. Give channel_width and wall_width, or pin_diameter and pin_pitch, " +
					"or porosity."},
			{Name: "wall_width", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Width of a wall between two channels, of the layer's material."},
			{Name: "channel_count", Type: Integer, Min: 1, Max: 40_000, DefDoc: "as many as fit",
				Doc: "Number of channels."},
			{Name: "first_wall", Type: Scalar, Quantity: units.Length, Range: Positive,
				DefDoc: "the remaining width, half at each end",
				Doc:    "Width of the wall before the first channel, from west or south."},
			{Name: "pin_diameter", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Diameter of a pin, of the layer's material."},
			{Name: "pin_pitch", Type: Scalar, Quantity: units.Length, Range: Positive,
				Doc: "Pitch of the pins, along and across the flow."},
			{Name: "pin_arrangement", Type: Enum, Enum: []string{"inline", "staggered"}, Default: "inline",
				Doc: "Whether every second row of pins is shifted by half a pitch."},
			{Name: "porosity", Type: Scalar, Quantity: units.Number, Range: Positive,
				Doc: "Coolant fraction of a general medium, for example a foam; the rest is the layer's material. " +
					"Requires h_bottom and h_top."},
			{Name: "permeability", Type: Scalar, Quantity: units.Permeability, Range: Positive,
				Doc: "Permeability of pins or a medium along the flow (Darcy's law): velocity over the empty " +
					"cross-section = permeability times pressure gradient over viscosity."},
			{Name: "entrance", Type: Enum, Enum: []string{"developed", "developing"}, Default: "developed",
				Doc: "Developed flow from the inlet on; or developing flow, for which coefficients depend on the " +
					"distance from the inlet, and friction on the length."},
			{Name: "h", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "by correlation, see " +
				"[liquid-cooling.md](../guides/liquid-cooling.md)",
				Doc: "Heat-transfer coefficient on the walls of a channel. For porous channels it determines " +
					"h_bottom and h_top, with side walls as fins."},
			{Name: "h_side", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "`h`",
				Doc: "Heat-transfer coefficient on the side walls of a resolved channel."},
			{Name: "h_bottom", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "`h`",
				Doc: "Heat-transfer coefficient on the floor; in a porous cavity per area of the floor, including " +
					"side walls and pins."},
			{Name: "h_top", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "`h`",
				Doc: "The same for the ceiling."},
			{Name: "advection", Type: Enum, Enum: []string{"upwind", "central"}, Default: "upwind",
				Doc: "Differencing of advection. `central` is 3D-ICE's: temperatures may oscillate from cell to " +
					"cell, the error is not bounded, and `k` is ignored."},
		}},
		{"coolant_zone", "[[layer.coolant.zone]]", "a zone of a coolant", []Key{
			{Name: "to", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "End of the zone across the flow, from the western or southern side of the chip; the last zone " +
					"ends at the other side."},
			{Name: "flow", Type: Scalar, Quantity: units.VolumeFlow, Range: Positive,
				Doc: "Flow through the zone, shared evenly by its channels. For all zones or none."},
			{Name: "permeability", Type: Scalar, Quantity: units.Permeability, Range: Positive,
				DefDoc: "that of the coolant",
				Doc: "Permeability of pins or a medium in this zone. Without zone flows it divides the flow of the " +
					"cavity."},
		}},
	}
}
