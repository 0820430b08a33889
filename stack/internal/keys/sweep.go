package keys

// Sweep is the table of everything a sweep file may say.
func Sweep() *Format {
	return newFormat([]Spec{
		{"sweep", "top of the file", "a sweep file", []Key{
			{Name: "stack", Type: Text, Required: true, Doc: "Path of the stack file, relative to the sweep file."},
			{Name: "set", Type: TextList, Doc: "Values for all runs, as `--set` takes them: \"grid.nx=256\"."},
			{Name: "method", Type: Enum, Enum: []string{"grid", "list", "latin-hypercube"}, Default: "grid",
				Doc: "How runs are made of what varies: every combination; the first value of each, then the second " +
					"and so on; or a Latin hypercube of `samples` runs."},
			{Name: "samples", Type: Integer, Min: 1, Max: MaxSweepRuns, DefDoc: "required with latin-hypercube",
				Doc: "Number of runs of a Latin hypercube."},
			{Name: "seed", Type: Integer, Min: 0, Max: 1 << 30, Default: "1", Doc: "Start of the random numbers of a " +
				"Latin hypercube. The same seed gives the same runs."},
			{Name: "points", Type: Text, Doc: "In place of `vary`: path of a CSV file. Its header has the keys, each " +
				"row the values of a run."},
			{Name: "outputs", Type: TextList, DefDoc: "the probes, and up to 64 blocks", Doc: "Temperatures that get " +
				"a column: \"layer/block\" for the maximum of a block or a region, \"layer\" for that of a layer, " +
				"\"probe/name\"."},
			{Name: "vary", Type: Tables, Sub: "vary", Doc: "What varies."},
		}},
		{"vary", "[[vary]]", "what varies", []Key{
			{Name: "key", Type: Text, Required: true, Doc: "A key of the stack file, as `--set` takes it: " +
				"\"boundary.top.h\"."},
			{Name: "keys", Type: TextList, Doc: "Further keys that get the same value."},
			{Name: "values", Type: Values, Doc: "The values, in place of `from` and `to`."},
			{Name: "from", Type: Value, Doc: "First value: a number, or a number with a unit."},
			{Name: "to", Type: Value, Doc: "Last value, in the same unit."},
			{Name: "count", Type: Integer, Min: 1, Max: MaxSweepRuns, DefDoc: "required with from and to, but for a " +
				"Latin hypercube", Doc: "Number of values from `from` to `to`."},
			{Name: "scale", Type: Enum, Enum: []string{"linear", "log"}, Default: "linear",
				Doc: "How they lie between: in equal steps, or in equal ratios."},
			{Name: "label", Type: Text, DefDoc: "`key`", Doc: "Name of the column, and in pictures."},
		}},
	})
}

// MaxSweepLists is the largest number of values that a list of a sweep file may set in all runs, of keys that vary
// together, and of parameters; MaxSweepOutputs that of columns asked for.
const MaxSweepLists, MaxSweepOutputs = 1000, 10_000

// MaxSweepRuns is the largest number of runs of a sweep.
const MaxSweepRuns = 1_000_000
