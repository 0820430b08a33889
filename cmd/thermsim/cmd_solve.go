package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/internal/machine"
	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/report"
	"thermsim/report/jsonfile"
	"thermsim/report/printout"
	"thermsim/report/summary"
)

const solveHelp = `Solve A x = b for a matrix in Matrix Market format, or the power grid of a netlist.

The matrix comes from another tool or from 'thermsim export'. Without B, b is A
times ones, so that the solution is known and its maximum error is reported.

A is square, in coordinate format, real or integer, general or symmetric; B is
an array or coordinates of one column; both may be compressed with gzip. Matrices of
a grid (seven diagonals) are recognized and stored as diagonals. A symmetric
matrix must be positive definite. docs/guides/solve.md has the details.

A netlist of a power grid (.sp, .spice, .cir: resistors R, voltage sources V,
current sources I) is solved for its node voltages.

A summary goes to stdout. x.mtx (voltages.csv for a netlist) and summary.json are
written to --out, both or neither.
`

const solveExample = `  thermsim solve A.mtx b.mtx
  thermsim solve A.mtx.gz --rtol 1e-10 --precond jacobi
  thermsim solve A.mtx --precond ilu:order=0,precision=fp64
  thermsim solve ibmpg1.spice --precond cmg        # IR drop of a power grid
  thermsim export examples/quickstart && thermsim solve thermsim-out/A.mtx thermsim-out/b.mtx`

type solveOptions struct {
	matrix, source string
	out            string
	grid           flags.BoxSize
	device         string
	precond        string
	rtol, atol     float64
	maxIter        int
	json           bool
}

func newSolveCommand(g *session.Session) *cobra.Command {
	var o solveOptions
	cmd := &cobra.Command{
		Use:     "solve A.mtx [B.mtx] | solve GRID.sp",
		Short:   "Solve a linear system, or the power grid of a netlist",
		Long:    solveHelp,
		Example: solveExample,
		Annotations: exit.Statuses("0", "1", "2 wrong usage, or a system that cannot be solved; nothing was written",
			"3 not converged; the best solution found was written",
			"4 device failure: no GPU where one was demanded, or not enough memory", "130"),
		Args: flags.Arguments(1, 2, "a matrix and optionally a right-hand side"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{"mtx", "gz", "sp", "spice", "cir"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.matrix, o.source = args[0], flags.First(args[1:])
			return runSolve(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	flags.Group(f, "Matrix and solver", func() {
		flags.Var(f, &o.grid, "grid", "NXxNYxNZ",
			"the grid whose matrix A is, x fastest (default found from the entries)",
			flags.ParseBoxSize)
		flags.AddDevice(cmd, &o.device, flags.DeviceUsage)
		flags.AddMethod(cmd, &o.precond, strings.Join(matrixMethods(), ", ")+" (default by A)")
		flags.Ratio.Var(f, &o.rtol, "rtol", "stop on ||b - A x|| relative to ||b|| (default 1e-8)")
		flags.Norm.Var(f, &o.atol, "atol", "stop on ||b - A x||, in the units of b, instead")
		flags.CountVar(f, &o.maxIter, "max-iter", "maximum number of iterations per linear system")
	})
	flags.Group(f, flags.GroupResults, func() {
		flags.AddOut(cmd, &o.out)
		flags.AddJSON(cmd, &o.json)
	})
	return cmd
}

// matrixMethods are those that need no geometry.
func matrixMethods() []string {
	return slices.DeleteFunc(methods.Names(), func(name string) bool {
		return name == "multigrid" || name == "fourier"
	})
}

func runSolve(ctx context.Context, g *session.Session, o solveOptions) error {
	if o.rtol > 0 && o.atol > 0 {
		return exit.Usagef("--rtol and --atol are two ways to say when to stop; give one of them")
	}
	g.Inputs = []string{o.matrix, o.source}
	out, err := g.Begin(o.out, staging.Options{Set: "solve", Command: "solve"})
	if err != nil {
		return err
	}
	defer out.Abort()
	p := terminal.StartProgress(g.Console, "reading")
	defer p.Stop()
	sys, err := readSystem(g, p, &o)
	if err != nil {
		return err
	}
	free := machine.FreeMemory()
	if err := capacity.ToSolve(sys.a, o.device, o.precond, free); err != nil {
		return err
	}
	machine.CollectWithin(free)
	p.Enter("solving")
	options := gpusolve.Options{
		Device: o.device, Preconditioner: o.precond, RTol: o.rtol, ATol: o.atol,
		MaxIter: o.maxIter, Progress: p.Update,
		Notice: func(text string) { g.Note("%s", text) },
	}
	if g.Adjust != nil {
		g.Adjust(&options)
	}
	solution, err := matrix.Solve(ctx, sys.a, sys.b, options)
	if err != nil {
		return exit.NothingWritten(err)
	}
	g.Detail("device: %s (%s), opened in %s", deviceText(solution.Device), solution.Device.Why,
		terminal.Seconds(solution.Timing.Device.Seconds()))
	p.Enter("writing")
	s := sys.summarise(g, solution)
	if _, err = g.Publish(ctx, out,
		sys.solutionFile(solution.X, s),
		staging.File{Name: "summary.json", Write: func(w io.Writer) error { return jsonfile.Write(w, *s) }},
	); err != nil {
		return err
	}
	p.Stop()
	if err := printSystem(g, s, &o); err != nil {
		return err
	}
	return solveVerdict(s, o.out)
}

// system is A x = b as read.
type system struct {
	a           *matrix.Matrix
	b           []float64
	names       [2]string       // of the files
	grid        *netlist.System // nil of a matrix
	counts      netlist.Counts
	repeated    int
	read, check time.Duration
}

func readSystem(g *session.Session, p *terminal.Progress, o *solveOptions) (*system, error) {
	start := time.Now()
	if netlist.Is(o.matrix) {
		return readNetlist(p, o, start)
	}
	if err := capacity.ToRead(o.matrix, machine.FreeMemory()); err != nil {
		return nil, err
	}
	file, err := matrixmarket.OpenMatrix(o.matrix)
	if err != nil {
		return nil, err
	}
	s := &system{names: [2]string{o.matrix, o.source}, repeated: file.Repeated}
	if o.source != "" {
		if s.b, err = matrixmarket.OpenVector(o.source, file.N()); err != nil {
			return nil, err
		}
	}
	s.read = time.Since(start)
	if file.Repeated > 0 {
		g.Note("%d entries of %s are duplicates; they were added up", file.Repeated, o.matrix)
	}
	p.Enter("checking")
	start = time.Now()
	if s.a, err = matrix.New(file.CSR, matrix.Shape{NX: o.grid.NX, NY: o.grid.NY, NZ: o.grid.NZ}); err !=
		nil {
		return nil, fmt.Errorf("%s: %w", o.matrix, err)
	}
	if s.b == nil {
		s.b = make([]float64, s.a.N())
		ones := make([]float64, s.a.N())
		for i := range ones {
			ones[i] = 1
		}
		s.a.Multiply(s.b, ones)
	}
	s.check = time.Since(start)
	return s, nil
}

func (s *system) summarise(g *session.Session, solution *matrix.Solution) *summary.System {
	sum := report.NewSystemSummary(s.b, &solution.Vector)
	sum.Command, sum.Version = "solve", versionText()
	sum.Source.File = s.names[1]
	sum.Matrix = summary.Matrix{File: s.names[0], Rows: s.a.N(), Entries: s.a.Entries, Repeated: s.repeated,
		Symmetric: s.a.Symmetric, Storage: "rows"}
	if s.a.Diagonals != nil {
		g := s.a.Grid()
		sum.Matrix.Storage, sum.Matrix.Grid = "diagonals", []int{g.NX, g.NY, g.NZ}
	}
	if s.names[1] == "" {
		sum.Solution.LargestError = 0
		for _, x := range solution.X {
			sum.Solution.LargestError = math.Max(sum.Solution.LargestError, math.Abs(x-1))
		}
	}
	if s.grid != nil {
		sum.Netlist = s.netlistSummary(solution.X)
	}
	sum.Time.ReadS, sum.Time.CheckS, sum.Time.TotalS = s.read.Seconds(), s.check.Seconds(),
		time.Since(g.Start).Seconds()
	return sum
}

// comment describes the solution, and marks one that did not converge.
func (s *system) comment(sum *summary.System) string {
	text := "solution of " + s.names[0] + " by thermsim " + versionText()
	if !sum.Solver.Converged {
		text += "\nNOT CONVERGED: " + sum.Solver.Reason
	}
	return text
}

func printSystem(g *session.Session, s *summary.System, o *solveOptions) error {
	var err error
	switch {
	case o.json:
		err = jsonfile.Write(g.Stdout, *s)
	case !g.Quiet:
		err = printout.WriteSystem(g.Stdout, s, g.Style)
	}
	if err != nil {
		return err
	}
	g.Note("%s and summary.json are in %s; %s in all", solutionName(s), o.out,
		terminal.Seconds(time.Since(g.Start).Seconds()))
	return nil
}

// solveVerdict is nil for a solution that can be relied on.
func solveVerdict(s *summary.System, out string) error {
	if s.Solver.Converged {
		return nil
	}
	what := "try another --precond, or accept a larger --rtol"
	switch s.Solver.Reason {
	case solution.ReasonBreakdown:
		what = "the matrix is likely not positive definite, or its entries span more than FP32 holds; check how " +
			"it was made"
	case solution.ReasonIterations:
		what = "raise --max-iter, try another --precond, or accept a larger --rtol"
	}
	return exit.With(exit.NotConverged,
		errors.New("not converged ("+s.Solver.Reason+"); the best solution found is in "+out+", marked as such; "+what))
}

// readNetlist makes the system of a power grid.
func readNetlist(p *terminal.Progress, o *solveOptions, start time.Time) (*system, error) {
	if o.source != "" {
		return nil, exit.Usagef("%s is a netlist, whose sources are its right-hand side; omit %s", o.matrix, o.source)
	}
	if o.grid.NX > 0 {
		return nil, exit.Usagef("--grid is of matrices, and %s is a netlist", o.matrix)
	}
	grid, err := netlist.Open(o.matrix)
	if err != nil {
		return nil, err
	}
	s := &system{names: [2]string{o.matrix, o.matrix}, counts: grid.Counts()}
	s.read = time.Since(start)
	p.Enter("connecting")
	start = time.Now()
	if s.grid, err = netlist.NewSystem(grid); err != nil {
		return nil, err
	}
	if s.a, err = matrix.New(s.grid.CSR, matrix.Shape{}); err != nil {
		return nil, fmt.Errorf("%s: %w", o.matrix, err)
	}
	s.b = s.grid.B
	s.check = time.Since(start)
	return s, nil
}

// solutionFile is the vector of a matrix, and the voltages of a netlist.
func (s *system) solutionFile(x []float64, sum *summary.System) staging.File {
	name := solutionName(sum)
	if s.grid == nil {
		return staging.File{Name: name, Write: func(w io.Writer) error {
			return matrixmarket.WriteVector(w, x, s.comment(sum))
		}}
	}
	return staging.File{Name: name, Write: func(w io.Writer) error {
		if !sum.Solver.Converged {
			if _, err := fmt.Fprintf(w, "# NOT CONVERGED: %s\n", sum.Solver.Reason); err != nil {
				return err
			}
		}
		out := csv.NewWriter(w)
		row := []string{"node", "voltage_V"}
		if err := out.Write(row); err != nil {
			return err
		}
		for n, v := range s.grid.Voltages(x) {
			row[0], row[1] = printable.Cell(s.grid.Node(n)), strconv.FormatFloat(v, 'g', 12, 64)
			if err := out.Write(row); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	}}
}

func solutionName(sum *summary.System) string {
	if sum.Netlist != nil {
		return "voltages.csv"
	}
	return "x.mtx"
}

// netlistSummary counts the elements of the netlist and gives the voltage drops of its nets.
func (s *system) netlistSummary(x []float64) *summary.Netlist {
	c := s.counts
	sum := &summary.Netlist{Nodes: c.Nodes, Resistors: c.Resistors, Shorts: c.Shorts,
		VoltageSources: c.VoltageSources, CurrentSources: c.CurrentSources}
	for _, n := range s.grid.Nets(s.grid.Voltages(x)) {
		sum.Nets = append(sum.Nets, summary.Net{Nodes: n.Nodes, Sources: n.Sources, NominalV: n.Nominal,
			WorstV: n.Worst, WorstNode: n.Node})
	}
	return sum
}
