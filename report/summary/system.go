package summary

// System is the content of summary.json of a solve of a given matrix. Norms have the units of the right-hand side.
type System struct {
	Schema  int    `json:"schema"`  // 1
	Command string `json:"command"` // solve
	Version string `json:"version"` // of thermsim

	Matrix   Matrix       `json:"matrix"`            // the matrix A
	Source   Source       `json:"source"`            // right-hand side b
	Netlist  *Netlist     `json:"netlist,omitempty"` // power grid that defines A and b; absent for matrices
	Device   Device       `json:"device"`            // device that solved
	Solver   SystemSolver `json:"solver"`            // how the solve ended; of time steps the last, iterations of all
	Steps    *Steps       `json:"steps,omitempty"`   // time steps of a netlist with .tran; absent for others
	Columns  []Column     `json:"columns,omitempty"` // one solve for each column of b; absent for one column
	Solution Vector       `json:"solution"`          // the solution x
	Time     SystemTime   `json:"time"`              // wall time by phase
	Memory   Memory       `json:"memory"`            // memory used
}

// Matrix describes the matrix.
type Matrix struct {
	File      string `json:"file"`             // its path
	Rows      int    `json:"rows"`             // number of unknowns
	Entries   int    `json:"entries"`          // that are stored
	Repeated  int    `json:"repeated_entries"` // duplicate entries of the file, which were added up
	Symmetric bool   `json:"symmetric"`        // A equals its transpose
	Storage   string `json:"storage"`          // diagonals or rows
	Grid      []int  `json:"grid,omitempty"`   // nx, ny, nz if stored by diagonals
	// connected components on which A is singular, as for a graph Laplacian; absent if none
	Singular int `json:"singular_components,omitempty"`
}

// Netlist describes the netlist of a power grid.
type Netlist struct {
	Nodes          int   `json:"nodes"`                // without ground
	Resistors      int   `json:"resistors"`            // above 0 ohm
	Shorts         int   `json:"shorts"`               // resistors of 0 ohm and sources of 0 V between nodes
	Capacitors     int   `json:"capacitors,omitempty"` // absent if none
	Inductors      int   `json:"inductors,omitempty"`  // absent if none
	VoltageSources int   `json:"voltage_sources"`      // to ground
	CurrentSources int   `json:"current_sources"`      // loads
	Nets           []Net `json:"nets"`                 // connected parts
}

// Net is a connected part of a netlist.
type Net struct {
	Nodes     int     `json:"nodes"`      // in it
	Sources   int     `json:"sources"`    // nodes held by voltage sources
	NominalV  float64 `json:"nominal_V"`  // largest voltage of its sources
	WorstV    float64 `json:"worst_V"`    // largest deviation of a node, over all time steps: the IR drop
	WorstNode string  `json:"worst_node"` // name of that node
	// time of that deviation; absent if 0 or without time steps
	WorstTimeS float64 `json:"worst_time_s,omitempty"`
	EndV       float64 `json:"end_V,omitempty"` // largest deviation at the end of time steps; absent without these
}

// Steps describes the time steps of a netlist.
type Steps struct {
	StepS             float64 `json:"step_s"`             // length of each
	Steps             int     `json:"steps"`              // their number
	InitialIterations int     `json:"initial_iterations"` // of the operating point, from zero
	MeanIterations    float64 `json:"mean_iterations"`    // of a step, from the extrapolation of the last two
	MostIterations    int     `json:"most_iterations"`    // of a step
}

// Source describes the right-hand side.
type Source struct {
	File string  `json:"file"`           // "" if it is A times ones, or random
	Seed int     `json:"seed,omitempty"` // of random values; absent for others
	Norm float64 `json:"norm"`           // Euclidean norm
}

// Column says how the solve for one of several right-hand sides ended. SystemSolver then has the sum of the
// iterations, and the largest residuals.
type Column struct {
	Iterations       int     `json:"iterations"`        // of the solver
	ResidualNorm     float64 `json:"residual_norm"`     // Euclidean norm of b - A x
	RelativeResidual float64 `json:"relative_residual"` // of that to the norm of b
	Converged        bool    `json:"converged"`         // it met the tolerance
	Reason           string  `json:"reason"`            // why it stopped
}

// SystemSolver says how the solve ended.
type SystemSolver struct {
	Method           string  `json:"method"`            // of the iteration
	Preconditioner   string  `json:"preconditioner"`    // its name
	Details          string  `json:"details"`           // of the preconditioner, in words
	Iterations       int     `json:"iterations"`        // of the solver
	ResidualNorm     float64 `json:"residual_norm"`     // Euclidean norm of b - A x
	RelativeResidual float64 `json:"relative_residual"` // of that to the norm of b
	Converged        bool    `json:"converged"`         // it met the tolerance
	Reason           string  `json:"reason"`            // why it stopped
}

// Vector describes the solution.
type Vector struct {
	Min  float64 `json:"min"`  // smallest element
	Max  float64 `json:"max"`  // largest element
	Norm float64 `json:"norm"` // Euclidean norm
	// largest deviation from ones if b is A times ones, otherwise null
	LargestError float64 `json:"largest_error"`
}

// SystemTime splits the wall time in s.
type SystemTime struct {
	ReadS   float64 `json:"read_s"`   // files
	CheckS  float64 `json:"check_s"`  // checking the matrix
	DeviceS float64 `json:"device_s"` // opening the device
	SetupS  float64 `json:"setup_s"`  // building the preconditioner
	SolveS  float64 `json:"solve_s"`  // solving
	TotalS  float64 `json:"total_s"`  // all
}
