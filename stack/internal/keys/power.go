package keys

import "thermsim/stack/internal/units"

func powerSpecs() []Spec {
	return []Spec{
		{"power", "power, [[layer.power]], [[layer.region.power]]", "a power", []Key{
			{Name: "floorplan", Type: Text, Doc: "Path of a HotSpot .flp file with the blocks."},
			{Name: "block", Type: Tables, Sub: "block", Doc: "The blocks."},
			{Name: "watts", Type: FileOrScalars, Quantity: units.Power, Range: NonNegative,
				Doc: "Power of every block: path of a HotSpot .ptrace file, or a table { name = \"5 W\", ... }."},
			{Name: "row", Type: Row, Default: "mean",
				Doc: "Row of the .ptrace for a steady state: its number from 1, the mean of all rows, or the row " +
					"with the largest total (max)."},
			{Name: "interval", Type: Scalar, Quantity: units.Time, Range: Positive,
				Doc: "Duration of each row of the .ptrace, which makes it a time trace. Without it the .ptrace is " +
					"for steady states only."},
			{Name: "trace", Type: FileOrTable, Sub: "trace", Doc: "Time trace: path of a CSV file with a time column " +
				"and one column per block, or a table."},
			{Name: "end", Type: Scalar, Quantity: units.Time, Range: Positive,
				DefDoc: "one more interval of the last length", Doc: "End of the last interval of a CSV trace."},
			{Name: "repeat", Type: Bool, Default: "false",
				Doc: "Whether the trace repeats; otherwise its last row stays in effect."},
			{Name: "uniform", Type: Scalar, Quantity: units.Power, Range: NonNegative,
				Doc: "Total power, distributed evenly over `area`."},
			{Name: "density", Type: Scalar, Quantity: units.Flux, Range: NonNegative,
				Doc: "Uniform power per area, over `area`."},
			{Name: "leakage", Type: Table, Sub: "leakage",
				Doc: "Additional temperature-dependent power: of the blocks without their own, or of the area of a " +
					"uniform power. See [leakage.md](../guides/leakage.md)."},
			{Name: "map", Type: FileOrRows,
				Doc: "Path of a CSV, NPY or PNG file with one number per tile, or rows of numbers. The tiles (in a " +
					"PNG, pixels; black is 0) divide `area` evenly."},
			{Name: "unit", Type: Text, DefDoc: "required with map",
				Doc: "Unit of the map: power per tile (\"W\", \"mW\") or per area (\"W/m^2\", \"W/cm^2\")."},
			{Name: "orientation", Type: Enum, Enum: []string{"south-first", "north-first"},
				DefDoc: "required with map, except for PNG (north-first)",
				Doc: "Whether the first row of the map is the southern edge (y = 0) or the northern one (as in an " +
					"image)."},
			{Name: "scale", Type: Scalar, Quantity: units.Number, Range: Positive, Default: "1",
				DefDoc: "1; required for PNG", Doc: "Power for the map value 1, or for white in a PNG, in `unit`."},
			{Name: "area", Type: Rect, Quantity: units.Length, DefDoc: "the layer or region",
				Doc: "Area of a map or uniform power, and allowed area of blocks: [x, y, width, height]."},
			{Name: "circle", Type: Table, Sub: "circle", Doc: "Instead of area: circle of a uniform power."},
			{Name: "polygon", Type: Points, Quantity: units.Length,
				Doc: "Instead of area: polygon of a uniform power, its corners in order."},
			{Name: "origin", Type: Pair, Quantity: units.Length, Default: "0",
				Doc: "South-west corner of the floorplan, added to the coordinates of all blocks."},
			{Name: "allow_overlap", Type: Bool, Default: "false", Doc: "Accept overlapping blocks; their powers add."},
			{Name: "name", Type: Text, DefDoc: "name of the region, if any", Doc: "Name of a map or uniform " +
				"power in reports."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				Doc: "Highest temperature allowed in the area of a map or uniform power, or in each block without " +
					"its own `tmax`."},
			{Name: "schedule", Type: Tables, Sub: "scale",
				Doc: "Factors on the whole source over time, each valid until the next."},
		}},
		{"trace", "trace = { ... }", "a trace", []Key{
			{Name: "times", Type: NumberList, Required: true,
				Doc: "Start times of the intervals in s, ascending from 0."},
			{Name: "end", Type: Scalar, Quantity: units.Time, Range: Positive, Required: true,
				Doc: "End of the last interval."},
			{Name: "blocks", Type: TextList, Required: true, Doc: "Names of the blocks, in the order of the " +
				"columns of watts."},
			{Name: "watts", Type: NumberRows, Required: true, Doc: "One row per interval, one number in W per block."},
		}},
		{"scale", "schedule", "a point of a schedule", []Key{
			{Name: "t", Type: Scalar, Quantity: units.Time, Range: NonNegative, Required: true,
				Doc: "Start time; the first is 0, and they ascend."},
			{Name: "factor", Type: Scalar, Quantity: units.Number, Range: NonNegative, Required: true,
				Doc: "Factor on the power."},
		}},
	}
}
