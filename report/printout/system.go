package printout

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// WriteSystem writes the summary of a system to a terminal.
func WriteSystem(w io.Writer, s *summary.System, style Style) error {
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
	row("matrix", "%s: %s rows, %s entries, %s, stored %s", s.Matrix.File, quantity.Count(s.Matrix.Rows),
		quantity.Count(s.Matrix.Entries), kind, storage)
	if n := s.Matrix.Singular; n > 0 {
		row("", "connected components on which it is singular: %s; x has the mean 0 on each", quantity.Count(n))
	}
	if s.Netlist != nil {
		writeNetlist(row, s.Netlist, s.Steps != nil)
	}
	if t := s.Steps; t != nil {
		row("steps", "%s of %.4g s; iterations: %.1f a step (at most %d), %d for the operating point",
			quantity.Count(t.Steps), t.StepS, t.MeanIterations, t.MostIterations, t.InitialIterations)
	}
	source := s.Source.File
	switch {
	case s.Source.Seed > 0:
		source = fmt.Sprintf("random, seed %d", s.Source.Seed)
	case source == "":
		source = "A times ones"
	}
	row("source", "%s: ||b|| = %.4g", source, s.Source.Norm)
	row("solver", "%s, preconditioner %s, %d iterations on %s", s.Solver.Method, s.Solver.Preconditioner,
		s.Solver.Iterations, s.Device.Name)
	if s.Solver.Details != "" {
		row("", "%s", strings.ReplaceAll(s.Solver.Details, "\n", "\n"+strings.Repeat(" ", 13)))
	}
	verdict := "converged: " + s.Solver.Reason
	if !s.Solver.Converged {
		verdict = "NOT CONVERGED: " + s.Solver.Reason
		if style.Color {
			verdict = "\x1b[1;31m" + verdict + "\x1b[0m"
		}
	}
	row("", "%s; ||b - A x|| = %.3g, relative to ||b|| %.3g", verdict, s.Solver.ResidualNorm, s.Solver.RelativeResidual)
	writeColumns(row, s.Columns)
	row("solution", "from %.6g to %.6g, ||x|| = %.6g", s.Solution.Min, s.Solution.Max, s.Solution.Norm)
	if e := s.Solution.LargestError; !math.IsNaN(e) {
		row("", "largest error %.3g: the solution is ones", e)
	}
	row("time", "reading %s, checks %s, device %s, setup %s, solve %s", quantity.Seconds(s.Time.ReadS),
		quantity.Seconds(s.Time.CheckS),
		quantity.Seconds(s.Time.DeviceS), quantity.Seconds(s.Time.SetupS), quantity.Seconds(s.Time.SolveS))
	row("memory", "%s on the device, %s at most on the host", quantity.Bytes(s.Memory.DeviceBytes),
		quantity.Bytes(s.Memory.HostPeakBytes))
	return b.Flush()
}

// writeNetlist prints the elements of a netlist and the worst nets.
func writeNetlist(row func(name, format string, args ...any), n *summary.Netlist, steps bool) {
	row("netlist", "%s nodes, %s resistors, %s shorts, %s voltage sources, %s current sources, %s capacitors, %s "+
		"inductors", quantity.Count(n.Nodes), quantity.Count(n.Resistors), quantity.Count(n.Shorts),
		quantity.Count(n.VoltageSources), quantity.Count(n.CurrentSources), quantity.Count(n.Capacitors),
		quantity.Count(n.Inductors))
	const most = 8
	for i := range n.Nets[:min(len(n.Nets), most)] {
		net := &n.Nets[i]
		worst := fmt.Sprintf("at most %.4g mV off, at node %s", net.WorstV*1e3, net.WorstNode)
		if steps {
			worst += fmt.Sprintf(" and t = %.4g s; %.4g mV at the end", net.WorstTimeS, net.EndV*1e3)
		}
		row("", "net of %s nodes at %.6g V: %s", quantity.Count(net.Nodes), net.NominalV, worst)
	}
	if more := len(n.Nets) - most; more > 0 {
		row("", "and %d more nets", more)
	}
}

// writeColumns prints a table of the solves for several right-hand sides.
func writeColumns(row func(name, format string, args ...any), columns []summary.Column) {
	const most = 10
	for i, c := range columns[:min(len(columns), most)] {
		if i == 0 {
			row("columns", "column  iterations  ||b - A x||  relative  ended")
		}
		row("", "%6d  %10d  %11.3g  %8.3g  %s", i+1, c.Iterations, c.ResidualNorm, c.RelativeResidual, c.Reason)
	}
	if more := len(columns) - most; more > 0 {
		row("", "and %d more columns", more)
	}
}
