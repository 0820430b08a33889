package keys

import "thermsim/stack/internal/units"

func powerSpecs() []Spec {
	return []Spec{
		{"power", "power, [[layer.power]], [[layer.region.power]]", "a power", []Key{
			{Name: "floorplan", Type: Text, Doc: "Path of a HotSpot .flp file with the blocks."},
			{Name: "block", Type: Tables, Sub: "block", Doc: "The blocks, written here."},
			{Name: "watts", Type: FileOrScalars, Quantity: units.Power, Range: NonNegative,
				Doc: "Power of every block: path of a HotSpot .ptrace file, or a table { name = \"5 W\", ... }."},
			{Name: "row", Type: Row, Default: "mean", Doc: "Which row of the .ptrace holds in a steady state: its " +
				"number from 1, the mean of all rows, or the row of largest total (max)."},
			{Name: "interval", Type: Scalar, Quantity: units.Time, Range: Positive, Doc: "Duration of each row of " +
				"the .ptrace, which makes it a time trace. Without it the .ptrace gives steady powers alone."},
			{Name: "trace", Type: FileOrTable, Sub: "trace", Doc: "Time trace: path of a CSV file with a time column " +
				"and one column per block, or a table."},
			{Name: "end", Type: Scalar, Quantity: units.Time, Range: Positive, DefDoc: "as long after the last time " +
				"as that is after the one before", Doc: "End of the last interval of a CSV trace."},
			{Name: "repeat", Type: Bool, Default: "false", Doc: "Whether the trace starts again at its end; " +
				"otherwise its last row holds for ever."},
			{Name: "uniform", Type: Scalar, Quantity: units.Power, Range: NonNegative, Doc: "Total power, spread " +
				"evenly over `area`."},
			{Name: "density", Type: Scalar, Quantity: units.Flux, Range: NonNegative, Doc: "Power per area, the same " +
				"all over `area`."},
			{Name: "leakage", Type: Table, Sub: "leakage", Doc: "Heat beside this power that follows the " +
				"temperature: of the blocks that give none themselves, or of the area of a uniform power. See " +
				"[leakage.md](../guides/leakage.md)."},
			{Name: "map", Type: FileOrRows, Doc: "Path of a CSV, NPY or PNG file with one number per tile, or the " +
				"rows themselves. The tiles divide `area` evenly; those of a PNG are its pixels, black without power."},
			{Name: "unit", Type: Text, DefDoc: "required with map", Doc: "Unit of the map: of power (\"W\", \"mW\": " +
				"per tile) or of power per area (\"W/m^2\", \"W/cm^2\")."},
			{Name: "orientation", Type: Enum, Enum: []string{"south-first", "north-first"},
				DefDoc: "required with map, but for a PNG, which is north-first", Doc: "Whether the first row of the " +
					"map is the southern edge (y = 0) or the northern one (as in a picture)."},
			{Name: "scale", Type: Scalar, Quantity: units.Number, Range: Positive, Default: "1",
				DefDoc: "1, required of a PNG", Doc: "What the value 1 of the map stands for, or white in a " +
					"PNG, in `unit`."},
			{Name: "area", Type: Rect, Quantity: units.Length, DefDoc: "the layer or region",
				Doc: "Where a map or uniform power acts and where blocks may lie: [x, y, width, height]."},
			{Name: "circle", Type: Table, Sub: "circle", Doc: "In place of area: where a uniform power acts."},
			{Name: "polygon", Type: Points, Quantity: units.Length, Doc: "In place of area: where a uniform power " +
				"acts, by its corners in order."},
			{Name: "origin", Type: Pair, Quantity: units.Length, Default: "0", Doc: "Where the south-west corner of " +
				"the floorplan lies; it is added to the coordinates of all blocks."},
			{Name: "allow_overlap", Type: Bool, Default: "false", Doc: "Accept blocks that overlap; their " +
				"powers add there."},
			{Name: "name", Type: Text, DefDoc: "name of the region, if it has one", Doc: "Name of a map or uniform " +
				"power in reports."},
			{Name: "tmax", Type: Scalar, Quantity: units.Temperature, Range: Positive, Doc: "Highest temperature " +
				"allowed where a map or uniform power acts, or in each of the blocks that has no `tmax` of its own."},
			{Name: "schedule", Type: Tables, Sub: "scale", Doc: "Factors on the whole source in time, each valid " +
				"until the next."},
		}},
		{"trace", "trace = { ... }", "a trace", []Key{
			{Name: "times", Type: NumberList, Required: true, Doc: "Starts of the intervals in s, ascending from 0."},
			{Name: "end", Type: Scalar, Quantity: units.Time, Range: Positive, Required: true,
				Doc: "End of the last interval."},
			{Name: "blocks", Type: TextList, Required: true, Doc: "Names of the blocks, in the order of the " +
				"columns of watts."},
			{Name: "watts", Type: NumberRows, Required: true, Doc: "One row per interval, one number in W per block."},
		}},
		{"scale", "schedule", "a point of a schedule", []Key{
			{Name: "t", Type: Scalar, Quantity: units.Time, Range: NonNegative, Required: true,
				Doc: "From when on; the first is 0, and they ascend."},
			{Name: "factor", Type: Scalar, Quantity: units.Number, Range: NonNegative, Required: true,
				Doc: "Multiplies the power."},
		}},
	}
}
