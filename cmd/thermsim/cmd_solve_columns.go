package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/graphs"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/internal/inputfile"
	"thermsim/internal/npy"
	"thermsim/report"
	"thermsim/report/summary"
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
		return nil, npySource, &inputfile.Error{File: file, Msg: err.Error(), Err: err}
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
