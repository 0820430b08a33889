package keys

import "thermsim/stack/internal/units"

func runSpecs() []Spec {
	return []Spec{
		{"transient", "[transient]", "a transient table", []Key{
			{Name: "dt", Type: Scalar, Quantity: units.Time, Range: Positive, Doc: "Time step.",
				DefDoc: "the interval of the power traces, else 1/50 of the slowest time constant"},
			{Name: "steps", Type: Integer, Min: 1, Max: MaxSteps,
				DefDoc: "to the end of the power traces, else 50", Doc: "Number of steps."},
			{Name: "initial", Type: Scalar, Quantity: units.Temperature, Range: Positive,
				DefDoc: "`ambient` of the stack", Doc: "Uniform temperature at time 0."},
			{Name: "until", Type: Scalar, Quantity: units.Time, Range: Positive,
				Doc: "End time, instead of `steps`. Without `dt`, steps are adaptive."},
			{Name: "dt_tol", Type: Scalar, Quantity: units.TemperatureRise, Range: Positive,
				DefDoc: "0.01 K with adaptive steps",
				Doc:    "Largest time integration error per step, instead of `dt`: selects adaptive steps."},
			{Name: "to_steady", Type: Scalar, Quantity: units.TemperatureRise, Range: Positive,
				Doc: "Stop when every cell is this close to the steady state under the last power. Without `dt`."},
			{Name: "every", Type: Scalar, Quantity: units.Time, Range: Positive,
				Doc: "Interval at which temperatures are written, and at the end. Without `dt`."},
			{Name: "at", Type: NumberList,
				Doc: "Times in s at which temperatures are written, ascending, and at the end. Without `dt`."},
			{Name: "periodic", Type: Bool,
				Doc: "Compute the periodic state of repeating power traces, over one period. Without `dt`."},
		}},
		{"solver", "[solver]", "a solver table", []Key{
			{Name: "preconditioner", Type: Method, Enum: preconditioners(),
				DefDoc: "`fourier` if every layer is uniform and constant, the grid is equidistant and the sides are " +
					"adiabatic, at a temperature or with a heat flux; else multigrid; `ic`, `cmg` or `jacobi` if it " +
					"stalls",
				Doc: "Preconditioner, alone or with settings: `name:key=value,...`."},
			{Name: "device", Type: Text, DefDoc: "auto", Doc: "auto, cpu, gpu, or gpu:N for the N-th GPU from 0."},
			{Name: "tol", Type: Scalar, Quantity: units.TemperatureRise, Range: Positive, DefDoc: "1e-4 K",
				Doc: "Convergence tolerance: estimated maximum error."},
			{Name: "rtol", Type: Scalar, Quantity: units.Number, Range: Positive,
				Doc: "Stop at this residual relative to the right-hand side instead."},
			{Name: "atol", Type: Scalar, Quantity: units.Power, Range: Positive,
				Doc: "Stop at this 2-norm of the residual instead."},
			{Name: "max_iter", Type: Integer, Min: 1, Max: MaxSteps, DefDoc: "200 for multigrid, else 50000",
				Doc: "Largest number of iterations per linear system."},
		}},
		{"output", "[output]", "an output table", []Key{
			{Name: "maps", Type: TextList, DefDoc: "layers with power",
				Doc: "Layers to map in addition to those with power; \"all\" for every layer."},
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
