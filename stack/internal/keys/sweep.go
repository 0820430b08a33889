package keys

// Sweep is the table of everything a sweep file may say.
func Sweep() *Format {
	return newFormat([]Spec{
		{"sweep", "top of the file", "a sweep file", []Key{
			{Name: "stack", Type: Text, Required: true, Doc: "Path of the stack file, relative to the sweep file."},
			{Name: "set", Type: TextList, Doc: "Values for all runs, in the form of `--set`: \"grid.nx=256\"."},
			{Name: "method", Type: Enum, Enum: []string{"grid", "list", "latin-hypercube"}, Default: "grid",
				Doc: "How values are combined: all combinations; the first value of each, then the second and so on; " +
					"or a Latin hypercube of `samples` runs."},
			{Name: "samples", Type: Integer, Min: 1, Max: MaxSweepRuns, DefDoc: "required with latin-hypercube",
				Doc: "Number of runs of a Latin hypercube."},
			{Name: "seed", Type: Integer, Min: 0, Max: 1 << 30, Default: "1", Doc: "Random seed of a Latin hypercube."},
			{Name: "points", Type: Text,
				Doc: "Instead of `vary`: path of a CSV file. Its header has the keys, each row the values of a run."},
			{Name: "outputs", Type: TextList, DefDoc: "the probes, and up to 64 blocks",
				Doc: "Temperatures with a column: \"layer/block\" for the maximum of a block or region, \"layer\" " +
					"for that of a layer, \"probe/name\"."},
			{Name: "vary", Type: Tables, Sub: "vary", Doc: "The parameters."},
		}},
		{"vary", "[[vary]]", "what varies", []Key{
			{Name: "key", Type: Text, Required: true,
				Doc: "A key of the stack file, in the form of `--set`: \"boundary.top.h\"."},
			{Name: "keys", Type: TextList, Doc: "Further keys with the same value."},
			{Name: "values", Type: Values, Doc: "The values, instead of `from` and `to`."},
			{Name: "from", Type: Value, Doc: "First value: a number, or a number with a unit."},
			{Name: "to", Type: Value, Doc: "Last value, in the same unit."},
			{Name: "count", Type: Integer, Min: 1, Max: MaxSweepRuns,
				DefDoc: "required with from and to, except for a Latin hypercube",
				Doc:    "Number of values from `from` to `to`."},
			{Name: "scale", Type: Enum, Enum: []string{"linear", "log"}, Default: "linear",
				Doc: "Spacing: equal steps, or equal ratios."},
			{Name: "label", Type: Text, DefDoc: "`key`", Doc: "Name of the column, and in plots."},
		}},
	})
}

// MaxSweepLists is the largest number of values that a list of a sweep file may set in all runs, of keys that vary
// together, and of parameters; MaxSweepOutputs that of columns asked for.
const MaxSweepLists, MaxSweepOutputs = 1000, 10_000

// MaxSweepRuns is the largest number of runs of a sweep.
const MaxSweepRuns = 1_000_000
