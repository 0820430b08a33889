package keys

import "thermsim/stack/internal/units"

func runSpecs() []Spec {
	return []Spec{
		{"transient", "[transient]", "a transient table", []Key{
			{Name: "dt", Type: Scalar, Quantity: units.Time, Range: Positive, Doc: "Time step.",
				DefDoc: "the interval of the power traces, else a fiftieth of the slowest time constant"},
			{Name: "steps", Type: Integer, Min: 1, Max: MaxSteps,
				DefDoc: "to the end of the power traces, else 50", Doc: "Number of steps."},
			{Name: "initial", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "`ambient` of the stack", Doc: "Uniform temperature at time 0."},
			{Name: "until", Type: Scalar, Quantity: units.Time, Range: Positive, Doc: "Time at which the run ends, " +
				"in place of `steps`. Without `dt` the steps follow the temperatures."},
			{Name: "dt_tol", Type: Scalar, Quantity: units.TemperatureRise, Range: Positive,
				DefDoc: "0.01 K where steps follow the temperatures", Doc: "Largest error of a step in time, in " +
					"place of `dt`: steps follow the temperatures."},
			{Name: "to_steady", Type: Scalar, Quantity: units.TemperatureRise, Range: Positive,
				Doc: "End once no cell is further than this from the steady state under the last power. Without `dt`."},
			{Name: "every", Type: Scalar, Quantity: units.Time, Range: Positive, Doc: "Write the temperatures after " +
				"every such time, and at the end. Without `dt`."},
			{Name: "at", Type: NumberList, Doc: "Write the temperatures at these times in s, ascending, and at the " +
				"end. Without `dt`."},
			{Name: "periodic", Type: Bool, Doc: "Find the state that the repeating power traces lead to, and run " +
				"through one period of it. Without `dt`."},
		}},
		{"solver", "[solver]", "a solver table", []Key{
			{Name: "preconditioner", Type: Method, Enum: preconditioners(), DefDoc: "`fourier` where every layer is " +
				"uniform and constant, the grid is equidistant and the sides are adiabatic, at a temperature or with " +
				"a heat flux, else multigrid, and `ic`, `cmg` or `jacobi` where it stalls",
				Doc: "Preconditioner, alone or with settings: `name:key=value,...`."},
			{Name: "device", Type: Text, DefDoc: "auto", Doc: "auto, cpu, gpu, or gpu:N for the N-th GPU from 0."},
			{Name: "tol", Type: Scalar, Quantity: units.TemperatureRise, Range: Positive, DefDoc: "1e-4 K",
				Doc: "Stop when the estimated largest error is below this."},
			{Name: "rtol", Type: Scalar, Quantity: units.Number, Range: Positive, Doc: "Stop on the residual " +
				"relative to the right side instead."},
			{Name: "atol", Type: Scalar, Quantity: units.Power, Range: Positive, Doc: "Stop on the 2-norm of the " +
				"residual instead."},
			{Name: "max_iter", Type: Integer, Min: 1, Max: MaxSteps, DefDoc: "200 for multigrid, else 50000",
				Doc: "Largest number of iterations per linear system."},
		}},
		{"output", "[output]", "an output table", []Key{
			{Name: "maps", Type: TextList, DefDoc: "layers with power", Doc: "Layers to map beyond those with power; " +
				"\"all\" for every layer."},
		}},
	}
}

// preconditioners are the methods of package gpusolve, which this package must not import; a test there compares the
// two lists.
func preconditioners() []string {
	return []string{
		"multigrid",
		"fourier",
		"chebyshev",
		"ic",
		"cmg",
		"ddilu",
		"ilu",
		"parac",
		"jacobi",
		"none",
	}
}
