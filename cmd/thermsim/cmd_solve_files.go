package main

import (
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/graphs"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/internal/inputfile"
	"thermsim/internal/npy"
	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/report"
	"thermsim/report/summary"
	"thermsim/stack"
	"thermsim/study/powergrid"
)

// sourceKind is the form of a right-hand side, which the solution gets too.
type sourceKind int

const (
	marketSource sourceKind = iota
	npySource               // an array of two dimensions
	flatSource              // an array of one dimension
	onesSource              // A times ones
	randomSource
)

func isNPY(file string) bool { return strings.EqualFold(filepath.Ext(file), ".npy") }

// readColumns reads right-hand sides for n unknowns, none where there is no file.
func readColumns(file string, n int) ([][]float64, sourceKind, error) {
	if file == "" {
		return nil, onesSource, nil
	}
	if !isNPY(file) {
		b, err := matrixmarket.OpenVectors(file, n)
		return b, marketSource, err
	}
	var rows [][]float64
	var flat bool
	data, err := inputfile.ReadAsked(file)
	if err == nil {
		rows, flat, err = npy.Columns(data, inputfile.MaxBytes)
	}
	if err == nil && len(rows) != n {
		err = fmt.Errorf("the right-hand side has %d rows; it needs %d, one for each row of the matrix", len(rows), n)
	}
	if err != nil {
		return nil, npySource, &stack.Error{Pos: stack.Pos{File: file}, Msg: err.Error(), Err: err}
	}
	b := make([][]float64, len(rows[0]))
	for c := range b {
		b[c] = make([]float64, n)
		for r := range rows {
			b[c][r] = rows[r][c]
		}
	}
	if flat {
		return b, flatSource, nil
	}
	return b, npySource, nil
}

// makeSource sets b to A times ones, which is zero for a Laplacian: there to random values with the sum zero on each
// component.
func (s *system) makeSource(o *solveOptions) error {
	if s.a.Free != nil {
		s.source, s.seed = randomSource, max(1, o.seed)
		s.b = [][]float64{s.a.Free.Project(graphs.Source(s.a.N(), uint64(s.seed)))}
		return nil
	}
	if o.seed > 0 {
		return exit.Usagef("--seed selects a random right-hand side of a graph Laplacian, and %s is none; omit --seed",
			o.matrix)
	}
	if s.a.ZeroSums {
		return fmt.Errorf("%s: %w: every row of the matrix has the sum 0, so A times ones is 0. Fix: give a "+
			"right-hand side, such as A times a known solution", o.matrix, matrix.ErrMatrix)
	}
	b, ones := make([]float64, s.a.N()), make([]float64, s.a.N())
	for i := range ones {
		ones[i] = 1
	}
	s.a.Multiply(b, ones)
	s.b = [][]float64{b}
	return nil
}

// writeColumns writes the solutions in the form of the right-hand sides.
func (s *system) writeColumns(w io.Writer, solutions []*matrix.Solution, comment string) error {
	x := make([][]float64, len(solutions))
	for c := range x {
		x[c] = solutions[c].X
	}
	n, columns := s.a.N(), len(x)
	shape := []int{n, columns}
	switch s.source {
	case npySource:
	case flatSource:
		shape = shape[:1]
	default:
		return matrixmarket.WriteVectors(w, x, comment)
	}
	if _, err := w.Write(npy.Header("<f8", shape)); err != nil {
		return err
	}
	rows := make([]float64, n*columns)
	for c := range x {
		for r, v := range x[c] {
			rows[r*columns+c] = v
		}
	}
	return binary.Write(w, binary.LittleEndian, rows)
}

// useful reports whether any solution is better than x = 0.
func useful(solutions []*matrix.Solution) bool {
	for _, s := range solutions {
		if s.Status.Converged || s.Status.RelativeResidual < 1 {
			return true
		}
	}
	return false
}

// summarise describes the system and its solution; of several, the sums, and of the residuals the largest.
func (s *system) summarise(g *session.Session, solutions []*matrix.Solution) *summary.System {
	sum := report.NewSystemSummary(s.b[0], &solutions[0].Vector)
	for c := 1; c < len(solutions); c++ {
		report.AddColumn(sum, s.b[c], &solutions[c].Vector)
	}
	sum.Command, sum.Version = "solve", versionText()
	sum.Source.File, sum.Source.Seed = s.names[1], s.seed
	sum.Matrix = summary.Matrix{File: s.names[0], Rows: s.a.N(), Entries: s.a.Entries, Repeated: s.repeated,
		Symmetric: s.a.Symmetric, Storage: "rows"}
	if s.a.Free != nil {
		sum.Matrix.Singular = len(s.a.Free.Size)
	}
	if s.a.Diagonals != nil {
		g := s.a.Grid()
		sum.Matrix.Storage, sum.Matrix.Grid = "diagonals", []int{g.NX, g.NY, g.NZ}
	}
	if s.source == onesSource {
		sum.Solution.LargestError = 0
		for _, x := range solutions[0].X {
			sum.Solution.LargestError = math.Max(sum.Solution.LargestError, math.Abs(x-1))
		}
	}
	if s.grid != nil {
		sum.Netlist = s.netlistSummary(solutions[0].X)
	}
	if s.run != nil {
		s.summariseSteps(sum)
	}
	sum.Time.ReadS, sum.Time.CheckS, sum.Time.TotalS = s.read.Seconds(), s.check.Seconds(),
		time.Since(g.Start).Seconds()
	return sum
}

// readNetlist makes the system of a power grid, with .tran that of its time steps.
func readNetlist(p *terminal.Progress, o *solveOptions, start time.Time) (*system, error) {
	if o.source != "" {
		return nil, exit.Usagef("%s is a netlist, whose sources are its right-hand side; omit %s", o.matrix, o.source)
	}
	if o.grid.NX > 0 || o.laplacian {
		return nil, exit.Usagef("--grid and --laplacian are for matrices, and %s is a netlist", o.matrix)
	}
	grid, err := netlist.Open(o.matrix)
	if err != nil {
		return nil, err
	}
	s := &system{names: [2]string{o.matrix, o.matrix}, counts: grid.Counts()}
	s.read = time.Since(start)
	p.Enter("connecting")
	start = time.Now()
	if grid.Tran != nil {
		if s.run, err = powergrid.New(grid); err != nil {
			return nil, err
		}
		s.grid, s.a = s.run.DC, s.run.Matrix
	} else {
		if s.grid, err = netlist.NewSystem(grid); err != nil {
			return nil, err
		}
		if s.a, err = matrix.New(s.grid.CSR, matrix.Shape{}); err != nil {
			return nil, fmt.Errorf("%s: %w", o.matrix, err)
		}
	}
	s.b = [][]float64{s.grid.B}
	s.check = time.Since(start)
	return s, nil
}

// solveSteps integrates over time and returns the solution of the last step.
func (s *system) solveSteps(ctx context.Context, o gpusolve.Options) ([]*matrix.Solution, error) {
	err := s.run.Solve(ctx, o)
	if errors.Is(err, powergrid.ErrStep) {
		return nil, exit.With(exit.NotConverged, fmt.Errorf("%w; nothing was written; raise --max-iter, try another "+
			"--precond, or accept a larger --rtol", err))
	}
	if err != nil {
		return nil, err
	}
	s.b = [][]float64{s.run.B}
	return []*matrix.Solution{s.run.Last}, nil
}

// voltageFiles are voltages.csv and, of time steps with .print, waveforms.csv.
func (s *system) voltageFiles(x []float64, sum *summary.System) []staging.File {
	comment := ""
	if !sum.Solver.Converged {
		comment = "# NOT CONVERGED: " + sum.Solver.Reason + "\n"
	}
	if s.run == nil {
		return []staging.File{tableFile("voltages.csv", comment, []string{"node", "voltage_V"}, nodeRows(s.grid,
			s.grid.Voltages(x)))}
	}
	r := s.run
	files := []staging.File{tableFile("voltages.csv", comment,
		[]string{"node", "voltage_V", "drop_V", "worst_drop_V", "worst_time_s"},
		nodeRows(s.grid, r.Voltages, r.Drop, r.Worst, r.WorstTime))}
	if r.Waveforms == nil {
		return files
	}
	head := []string{"time_s"}
	for _, n := range r.Grid.Print {
		head = append(head, printable.Cell(r.Grid.Names[n]))
	}
	return append(files, tableFile("waveforms.csv", comment, head, func(write func([]string) error) error {
		for _, values := range r.Waveforms {
			if err := write(texts(nil, values...)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// nodeRows writes a row for each node, from columns of values.
func nodeRows(grid *netlist.System, columns ...[]float64) func(write func([]string) error) error {
	return func(write func([]string) error) error {
		var row []string
		for n := range columns[0] {
			row = append(row[:0], printable.Cell(grid.Node(n)))
			for _, c := range columns {
				row = texts(row, c[n])
			}
			if err := write(row); err != nil {
				return err
			}
		}
		return nil
	}
}

// texts appends values with 12 digits.
func texts(row []string, values ...float64) []string {
	for _, v := range values {
		row = append(row, strconv.FormatFloat(v, 'g', 12, 64))
	}
	return row
}

func tableFile(name, comment string, head []string, rows func(write func([]string) error) error) staging.File {
	return staging.File{Name: name, Write: func(w io.Writer) error {
		if _, err := io.WriteString(w, comment); err != nil {
			return err
		}
		out := csv.NewWriter(w)
		if err := out.Write(head); err != nil {
			return err
		}
		if err := rows(out.Write); err != nil {
			return err
		}
		out.Flush()
		return out.Error()
	}}
}

// netlistSummary counts the elements of the netlist and gives the voltage drops of its nets.
func (s *system) netlistSummary(x []float64) *summary.Netlist {
	c := s.counts
	sum := &summary.Netlist{Nodes: c.Nodes, Resistors: c.Resistors, Shorts: c.Shorts, Capacitors: c.Capacitors,
		Inductors: c.Inductors, VoltageSources: c.VoltageSources, CurrentSources: c.CurrentSources}
	if s.run != nil {
		for i := range s.run.Nets {
			n := &s.run.Nets[i]
			sum.Nets = append(sum.Nets, netSummary(&n.Net))
			net := &sum.Nets[i]
			net.WorstTimeS, net.EndV = n.Time, n.End
		}
		return sum
	}
	for _, n := range s.grid.Nets(s.grid.Voltages(x)) {
		sum.Nets = append(sum.Nets, netSummary(&n))
	}
	return sum
}

func netSummary(n *netlist.Net) summary.Net {
	return summary.Net{Nodes: n.Nodes, Sources: n.Sources, NominalV: n.Nominal, WorstV: n.Worst, WorstNode: n.Node}
}

// summariseSteps puts all steps in place of the last one.
func (s *system) summariseSteps(sum *summary.System) {
	r := s.run
	t := &summary.Steps{StepS: r.Grid.Tran.Step, Steps: r.Grid.Tran.Steps}
	if dc := r.Initial; dc != nil {
		t.InitialIterations = dc.Status.IterationsTotal
	}
	total := 0
	sum.Time.SolveS = 0
	for k, n := range r.Iterations {
		total += n
		sum.Time.SolveS += r.Solving[k]
		t.MostIterations = max(t.MostIterations, n)
	}
	t.MeanIterations = float64(total) / float64(t.Steps)
	sum.Steps, sum.Solver.Iterations, sum.Solver.RelativeResidual = t, total, r.Residual
}
