package keys

import (
	"thermsim/coolant"
	"thermsim/stack/internal/units"
)

func coolantSpecs() []Spec {
	return []Spec{
		{"coolant", "[layer.coolant]", "a coolant", []Key{
			{Name: "fluid", Type: Enum, Enum: coolant.Names(), Doc: "A liquid of the library, whose properties are taken at `inlet`: [liquid-cooling.md](liquid-cooling.md) has their sources. Or give k, c, and where a correlation needs them rho and viscosity."},
			{Name: "k", Type: Scalar, Quantity: units.Conductivity, Range: NonNegative, Doc: "Thermal conductivity of the coolant, which conducts along the flow with it."},
			{Name: "c", Type: Scalar, Quantity: units.VolumetricHeat, Range: Positive, Doc: "Volumetric heat capacity of the coolant."},
			{Name: "rho", Type: Scalar, Quantity: units.Density, Range: Positive, Doc: "Density of the coolant."},
			{Name: "viscosity", Type: Scalar, Quantity: units.Viscosity, Range: Positive, Doc: "Dynamic viscosity of the coolant."},
			{Name: "boiling", Type: Scalar, Quantity: units.Temperature, Range: Positive, Doc: "Temperature at which the coolant boils: a run warns where it gets as hot."},
			{Name: "inlet", Type: Scalar, Quantity: units.Temperature, Range: Positive, DefDoc: "`ambient` of the stack", Doc: "Temperature at which the coolant enters."},
			{Name: "direction", Type: Enum, Enum: []string{"+x", "-x", "+y", "-y"}, Required: true, Doc: "Where the coolant flows."},
			{Name: "flow", Type: Scalar, Quantity: units.VolumeFlow, Range: Positive, Doc: "Flow through the whole cavity. Give flow, velocity or pressure_drop."},
			{Name: "velocity", Type: Scalar, Quantity: units.Velocity, Range: Positive, Doc: "Mean velocity in the channels; past pins, flow over the section of the empty cavity."},
			{Name: "pressure_drop", Type: Scalar, Quantity: units.Pressure, Range: Positive, Doc: "From inlet to outlet of the channels, from which the flow follows."},
			{Name: "model", Type: Enum, Enum: []string{"channels", "porous"}, DefDoc: "channels; porous of pins", Doc: "Whether every channel and wall has cells of its own, a channel exactly one across the flow; or walls and coolant share every cell of the ground plan."},
			{Name: "channel_width", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Width of a channel. Give channel_width and wall_width, or pin_diameter and pin_pitch."},
			{Name: "wall_width", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Width of a wall between two channels. Walls are of the layer's material."},
			{Name: "channel_count", Type: Integer, Min: 1, Max: 40_000, DefDoc: "as many as fit", Doc: "Number of channels."},
			{Name: "first_wall", Type: Scalar, Quantity: units.Length, Range: Positive, DefDoc: "what is left of the chip, half of it at each end", Doc: "Width of the wall before the first channel, from the west or the south."},
			{Name: "pin_diameter", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Diameter of a pin. Pins are of the layer's material."},
			{Name: "pin_pitch", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Pitch of the pins, along the flow and across."},
			{Name: "pin_arrangement", Type: Enum, Enum: []string{"inline", "staggered"}, Default: "inline", Doc: "Whether every other row of pins is shifted by half a pitch."},
			{Name: "h", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "by correlation, see [liquid-cooling.md](liquid-cooling.md)", Doc: "Heat transfer coefficient on the walls of a channel. A porous cavity of channels gets from it those of floor and ceiling, side walls counted as fins."},
			{Name: "h_side", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "`h`", Doc: "The same on the side walls of a resolved channel."},
			{Name: "h_bottom", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "`h`", Doc: "The same on its floor; in a porous cavity, on the ground plan of the floor, with all that side walls and pins add."},
			{Name: "h_top", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive, DefDoc: "`h`", Doc: "The same for the ceiling."},
			{Name: "advection", Type: Enum, Enum: []string{"upwind", "central"}, Default: "upwind", Doc: "Differences of what the coolant carries; `central` is 3D-ICE's, under which temperatures may swing from cell to cell and the error is not bounded, and leaves `k` out."},
		}},
	}
}
