package keys

import "thermsim/stack/internal/units"

// dieSpecs are the dies that a file describes once and places often.
func dieSpecs() []Spec {
	return []Spec{
		{"template", "[[die]]", "a die", []Key{
			{Name: "name", Type: Name, Required: true, Doc: "Unique name."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Extent in x and y."},
			{Name: "layer", Type: Tables, Sub: "layer", Required: true,
				Doc: "Its layers, bottom to top: tables with the keys of `[[layer]]`, except `contact_resistance`, " +
					"`coolant` and `die`. Coordinates are relative to the die's south-west corner."},
		}},
		{"placement", "[[layer.die]]", "a die in a layer", []Key{
			{Name: "die", Type: Text, Required: true, Doc: "Name of the die."},
			{Name: "name", Type: Name, DefDoc: "that of the die",
				Doc: "Name of this placement. Its regions and blocks are NAME.REGION and NAME.BLOCK, its layers " +
					"NAME.LAYER, or NAME if there is one."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Required: true, Doc: "West edge of the die as placed."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Required: true, Doc: "South edge."},
			{Name: "z", Type: Scalar, Quantity: units.Length, Range: NonNegative, Default: "0",
				Doc: "Height of its lower side above the bottom of the layer."},
			{Name: "mirror", Type: Enum, Enum: []string{"x", "y"},
				Doc: "Mirrors the die before rotation: `x` exchanges west and east, `y` south and north."},
			{Name: "rotate", Type: Integer, Min: 0, Max: 270, Default: "0",
				Doc: "Counter-clockwise rotation by 90, 180 or 270 degrees, including material axes."},
			{Name: "flip", Type: Bool, DefDoc: "false",
				Doc: "Flips the die upside down about its north-south axis, which also exchanges west and east."},
			{Name: "copies", Type: Integer, Min: 1, Max: 1000, Default: "1",
				Doc: "Number of copies on top of each other; NAME.0 is the lowest."},
			{Name: "array", Type: Table, Sub: "array",
				Doc: "Repeats the die along x and y; NAME-0 is in the south-west, x runs fastest."},
			{Name: "power", Type: Scalar, Quantity: units.Power, Range: NonNegative, DefDoc: "that of the die",
				Doc: "Steady-state power of each copy: all its sources are scaled to this total, except leakage."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive, DefDoc: "that of the die",
				Doc: "Highest temperature allowed in the die."},
		}},
	}
}
