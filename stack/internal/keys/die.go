package keys

import "thermsim/stack/internal/units"

// dieSpecs are the dies that a file describes once and places often.
func dieSpecs() []Spec {
	return []Spec{
		{"template", "[[die]]", "a die", []Key{
			{Name: "name", Type: Name, Required: true, Doc: "Unique name."},
			{Name: "size", Type: Pair, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Extent in x and y."},
			{Name: "layer", Type: Tables, Sub: "layer", Required: true, Doc: "Its layers, bottom to top: tables with " +
				"the keys of `[[layer]]`, but for `contact_resistance`, `coolant` and `die`. Coordinates count from " +
				"the die's south-west corner."},
		}},
		{"placement", "[[layer.die]]", "a die in a layer", []Key{
			{Name: "die", Type: Text, Required: true, Doc: "Name of the die."},
			{Name: "name", Type: Name, DefDoc: "that of the die", Doc: "What it is called here. Its regions and " +
				"blocks are NAME.REGION and NAME.BLOCK, its layers NAME.LAYER, or NAME where it has one."},
			{Name: "x", Type: Scalar, Quantity: units.Length, Required: true, Doc: "West edge, of the die as it lies."},
			{Name: "y", Type: Scalar, Quantity: units.Length, Required: true, Doc: "South edge."},
			{Name: "z", Type: Scalar, Quantity: units.Length, Range: NonNegative, Default: "0",
				Doc: "Height of its lower side above the bottom of the layer."},
			{Name: "mirror", Type: Enum, Enum: []string{"x", "y"}, Doc: "Mirrored, before it is turned: with `x` " +
				"west and east change places, with `y` south and north."},
			{Name: "rotate", Type: Integer, Min: 0, Max: 270, Default: "0", Doc: "Turned counter-clockwise by 90, " +
				"180 or 270 degrees. Materials turn with it."},
			{Name: "flip", Type: Bool, DefDoc: "false", Doc: "Turned over about its north-south axis: the uppermost " +
				"layer comes first, and west and east change places."},
			{Name: "copies", Type: Integer, Min: 1, Max: 1000, Default: "1", Doc: "How many of them lie on each " +
				"other; NAME.0 is the lowest."},
			{Name: "array", Type: Table, Sub: "array", Doc: "Repeated along x and y; NAME-0 is the one in the " +
				"south-west, x runs fastest."},
			{Name: "power", Type: Scalar, Quantity: units.Power, Range: NonNegative, DefDoc: "as the die says",
				Doc: "Power of the die in a steady state, of each of them where there are several: all its sources " +
					"are scaled to make this sum. Leakage is not."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive, DefDoc: "as the die says",
				Doc: "Highest temperature allowed in the die."},
		}},
	}
}
