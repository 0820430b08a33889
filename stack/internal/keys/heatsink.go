package keys

import "thermsim/stack/internal/units"

func heatSinkSpecs() []Spec {
	return []Spec{
		{"heat_sink", "[heat_sink]", "a heat sink", []Key{
			{Name: "material", Type: Text, Required: true, Doc: "Material of the base."},
			{Name: "base", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Thickness of the base, which covers the whole domain."},
			{Name: "cells", Type: Integer, Min: 1, Max: MaxLayerCells, Default: "4",
				Doc: "Number of cells over the base."},
			{Name: "resistance", Type: Scalar, Quantity: units.Resistance, Range: Positive,
				Doc: "Thermal resistance from base to `ambient`, distributed evenly: R_sa in data sheets. Give " +
					"resistance or fins."},
			{Name: "fins", Type: Table, Sub: "fins", Doc: "Straight fins on the base."},
			{Name: "capacity", Type: Scalar, Quantity: units.HeatCapacity, Range: NonNegative,
				DefDoc: "that of the fins, times their efficiency; 0 with resistance",
				Doc:    "Heat capacity in addition to that of the base, for transients; added to the base."},
			{Name: "ambient", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "`ambient` of the stack", Doc: "Temperature of the incoming air."},
		}},
		{"fins", "heat_sink.fins", "a set of fins", []Key{
			{Name: "count", Type: Integer, Min: 1, Max: MaxAxisCells, Required: true,
				Doc: "Number of fins; the outermost are at the edges of the base."},
			{Name: "thickness", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Thickness of a fin."},
			{Name: "height", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Height from base to tip."},
			{Name: "material", Type: Text, DefDoc: "that of the base", Doc: "Material of the fins."},
			{Name: "along", Type: Enum, Enum: []string{"x", "y"}, Default: "y",
				Doc: "Direction of the fins and of the air flow."},
			{Name: "h", Type: Scalar, Quantity: units.HeatTransfer, Range: Positive,
				Doc: "Heat-transfer coefficient on the fins and on the base between them. Give h or velocity."},
			{Name: "velocity", Type: Scalar, Quantity: units.Velocity, Range: Positive,
				Doc: "Air velocity between the fins, which determines h."},
		}},
	}
}
