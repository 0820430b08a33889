package report

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"thermsim/gpusolve/solution"
)

// SystemSummary is what summary.json holds after solving a system that was given as a matrix. Norms are in the units of
// the right side.
type SystemSummary struct {
	Schema  int    `json:"schema"`  // 1
	Command string `json:"command"` // solve
	Version string `json:"version"` // of thermsim

	Matrix   MatrixSummary       `json:"matrix"`            // the matrix A
	Source   SourceSummary       `json:"source"`            // the right side b
	Netlist  *NetlistSummary     `json:"netlist,omitempty"` // the power grid that A and b come from; absent of matrices
	Device   DeviceSummary       `json:"device"`            // what solved
	Solver   SystemSolverSummary `json:"solver"`            // how the solve ended
	Solution VectorSummary       `json:"solution"`          // the solution x
	Time     SystemTimeSummary   `json:"time"`              // wall time by phase
	Memory   MemorySummary       `json:"memory"`            // memory used
}

// MatrixSummary describes the matrix.
type MatrixSummary struct {
	File      string `json:"file"`             // its path
	Rows      int    `json:"rows"`             // number of unknowns
	Entries   int    `json:"entries"`          // that are stored
	Repeated  int    `json:"repeated_entries"` // entries of the file that were added to others in their place
	Symmetric bool   `json:"symmetric"`        // A equals its transpose
	Storage   string `json:"storage"`          // diagonals or rows
	Grid      []int  `json:"grid,omitempty"`   // nx, ny, nz where stored by diagonals
}

// NetlistSummary describes the netlist of a power grid.
type NetlistSummary struct {
	Nodes          int          `json:"nodes"`           // without ground
	Resistors      int          `json:"resistors"`       // above 0 ohm
	Shorts         int          `json:"shorts"`          // resistors of 0 ohm and sources of 0 V between nodes
	VoltageSources int          `json:"voltage_sources"` // to ground
	CurrentSources int          `json:"current_sources"` // loads
	Nets           []NetSummary `json:"nets"`            // connected parts
}

// NetSummary is a connected part of a netlist.
type NetSummary struct {
	Nodes     int     `json:"nodes"`      // in it
	Sources   int     `json:"sources"`    // nodes held by voltage sources
	NominalV  float64 `json:"nominal_V"`  // largest voltage of its sources
	WorstV    float64 `json:"worst_V"`    // how far a node is off it, at most: the IR drop
	WorstNode string  `json:"worst_node"` // which
}

// SourceSummary describes the right side.
type SourceSummary struct {
	File string  `json:"file"` // "" where it was made as A times ones
	Norm float64 `json:"norm"` // Euclidean norm
}

// SystemSolverSummary says how the solve ended.
type SystemSolverSummary struct {
	Method           string  `json:"method"`            // of the iteration
	Preconditioner   string  `json:"preconditioner"`    // its name
	Details          string  `json:"details"`           // of the preconditioner, in words
	Iterations       int     `json:"iterations"`        // of the solver
	ResidualNorm     float64 `json:"residual_norm"`     // Euclidean norm of b - A x
	RelativeResidual float64 `json:"relative_residual"` // of that to the norm of b
	Converged        bool    `json:"converged"`         // it met the tolerance
	Reason           string  `json:"reason"`            // why it stopped
}

// VectorSummary describes the solution.
type VectorSummary struct {
	Min  float64 `json:"min"`  // smallest element
	Max  float64 `json:"max"`  // largest element
	Norm float64 `json:"norm"` // Euclidean norm
	// largest distance from ones where b was made as A times ones, else null
	LargestError float64 `json:"largest_error"`
}

// SystemTimeSummary splits the wall time in s.
type SystemTimeSummary struct {
	ReadS   float64 `json:"read_s"`   // files
	CheckS  float64 `json:"check_s"`  // checking the matrix
	DeviceS float64 `json:"device_s"` // opening the device
	SetupS  float64 `json:"setup_s"`  // building the preconditioner
	SolveS  float64 `json:"solve_s"`  // solving
	TotalS  float64 `json:"total_s"`  // all
}

// NewSystemSummary gathers the numbers of a solve. What is known of the matrix, names of files, the largest error and
// the times of reading are the caller's.
func NewSystemSummary(b []float64, s *solution.Vector) *SystemSummary {
	st := &s.Status
	sum := &SystemSummary{
		Schema: 1,
		Source: SourceSummary{Norm: norm(b)},
		Device: deviceOf(&s.Device),
		Solver: SystemSolverSummary{
			Method: st.Method, Preconditioner: st.Preconditioner, Details: st.Details, Iterations: st.IterationsTotal,
			ResidualNorm: st.ResidualW, RelativeResidual: st.RelativeResidual, Converged: st.Converged,
			Reason: st.Reason,
		},
		Solution: VectorSummary{Min: math.Inf(1), Max: math.Inf(-1), Norm: norm(s.X), LargestError: math.NaN()},
		Time: SystemTimeSummary{DeviceS: s.Timing.Device.Seconds(), SetupS: s.Timing.Setup.Seconds(),
			SolveS: s.Timing.Solve.Seconds()},
		Memory: MemorySummary{DeviceBytes: s.Memory.DeviceBytes, HostPeakBytes: hostPeakBytes()},
	}
	for _, v := range s.X {
		sum.Solution.Min, sum.Solution.Max = min(sum.Solution.Min, v), max(sum.Solution.Max, v)
	}
	return sum
}

// norm is the Euclidean norm, scaled so that no square overflows.
func norm(v []float64) float64 {
	largest, sum := 0.0, 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) {
		return largest
	}
	for _, x := range v {
		sum += x / largest * (x / largest)
	}
	return largest * math.Sqrt(sum)
}

// WriteSystemText prints the summary for people.
func WriteSystemText(w io.Writer, s *SystemSummary, style Style) error {
	b := bufio.NewWriter(w)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	storage := "by rows"
	if g := s.Matrix.Grid; g != nil {
		storage = fmt.Sprintf("by the diagonals of a grid of %d x %d x %d", g[0], g[1], g[2])
	}
	kind := "symmetric"
	if !s.Matrix.Symmetric {
		kind = "not symmetric"
	}
	row("matrix", "%s: %s rows, %s entries, %s, stored %s", s.Matrix.File, cellCount(s.Matrix.Rows),
		cellCount(s.Matrix.Entries), kind, storage)
	if n := s.Netlist; n != nil {
		row("netlist", "%s nodes, %s resistors, %s shorts, %s voltage sources, %s current sources", cellCount(n.Nodes),
			cellCount(n.Resistors), cellCount(n.Shorts),
			cellCount(n.VoltageSources), cellCount(n.CurrentSources))
		const most = 8
		for i := range n.Nets[:min(len(n.Nets), most)] {
			net := &n.Nets[i]
			row("", "net of %s nodes at %.6g V: at most %.4g mV off, at node %s", cellCount(net.Nodes), net.NominalV,
				net.WorstV*1e3, net.WorstNode)
		}
		if more := len(n.Nets) - most; more > 0 {
			row("", "and %d more nets", more)
		}
	}
	source := s.Source.File
	if source == "" {
		source = "A times ones"
	}
	row("source", "%s: ||b|| = %.4g", source, s.Source.Norm)
	row("solver", "%s, preconditioner %s, %d iterations on %s", s.Solver.Method, s.Solver.Preconditioner,
		s.Solver.Iterations, s.Device.Name)
	if s.Solver.Details != "" {
		row("", "%s", s.Solver.Details)
	}
	verdict := "converged: " + s.Solver.Reason
	if !s.Solver.Converged {
		verdict = "NOT CONVERGED: " + s.Solver.Reason
		if style.Color {
			verdict = "\x1b[1;31m" + verdict + "\x1b[0m"
		}
	}
	row("", "%s; ||b - A x|| = %.3g, relative to ||b|| %.3g", verdict, s.Solver.ResidualNorm, s.Solver.RelativeResidual)
	row("solution", "from %.6g to %.6g, ||x|| = %.6g", s.Solution.Min, s.Solution.Max, s.Solution.Norm)
	if e := s.Solution.LargestError; !math.IsNaN(e) {
		row("", "largest error %.3g: the solution is ones", e)
	}
	row("time", "reading %s, checks %s, device %s, set-up %s, solve %s", seconds(s.Time.ReadS), seconds(s.Time.CheckS),
		seconds(s.Time.DeviceS), seconds(s.Time.SetupS), seconds(s.Time.SolveS))
	row("memory", "%s on the device, %s at most on the host", byteCount(s.Memory.DeviceBytes),
		byteCount(s.Memory.HostPeakBytes))
	return b.Flush()
}
