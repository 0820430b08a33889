package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/internal/machine"
	"thermsim/internal/staging"
	"thermsim/report/jsonfile"
	"thermsim/report/printout"
	"thermsim/report/summary"
	"thermsim/study/powergrid"
)

const solveHelp = `Solve A x = b for a matrix in Matrix Market format, or a power grid given as a SPICE
netlist.

The matrix comes from another tool or from 'thermsim export'. Without B, b is A
times ones, so that the solution is known and its maximum error is reported.

A is square, in coordinate format, real or integer, general or symmetric; B is
an array or coordinates; both may be compressed with gzip. B may also be a NumPy
file (.npy). Each column of B is a right-hand side; all use one setup. Matrices of
a grid (seven diagonals) are recognized and stored as diagonals. A symmetric
matrix must be positive definite. docs/guides/solve.md has the details.

With --laplacian, A is the graph Laplacian of an adjacency matrix, which may be a
pattern (weights of 1). On each connected component of the graph, b must have the
sum 0, and x has the mean 0. Without B, b is random.

A netlist of a power grid (.sp, .spice, .cir: resistors R, capacitors C, inductors
L, voltage sources V, current sources I) is solved for its node voltages. With the
command .tran STEP STOP, it is integrated over time by backward Euler with this
step, from the operating point; sources may be PULSE, PWL or SIN.

A summary goes to stdout. x.mtx (voltages.csv for a netlist, with .print also
waveforms.csv) and summary.json are written to --out, all or none; for B.npy,
x.npy in place of x.mtx.
`

const solveExample = `  thermsim solve A.mtx b.mtx
  thermsim solve A.mtx.gz --rtol 1e-10 --precond jacobi
  thermsim solve A.mtx --precond ilu:order=0,precision=fp64
  thermsim solve --laplacian road.mtx --precond parac
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
	laplacian      bool
	seed           int
	json           bool
}

func newSolveCommand(g *session.Session) *cobra.Command {
	var o solveOptions
	cmd := &cobra.Command{
		Use:     "solve A.mtx [B.mtx] | solve GRID.sp",
		Short:   "Solve a linear system, or a power grid given as a SPICE netlist",
		Long:    solveHelp,
		Example: solveExample,
		Annotations: exit.Statuses("0", "1", "2 usage error, or a system that cannot be solved; nothing was written",
			"3 not converged; the best solution found was written, unless it is worse than x = 0",
			"4 device failure: no GPU where one was demanded, or not enough memory", "130"),
		Args: flags.Arguments(1, 2, "a matrix and optionally a right-hand side"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{"mtx", "gz", "npy", "sp", "spice", "cir"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.matrix, o.source = args[0], flags.First(args[1:])
			return runSolve(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	flags.Group(f, "Matrix and solver", func() {
		f.BoolVar(&o.laplacian, "laplacian", false, "solve for the graph Laplacian of the adjacency matrix A")
		flags.CountVar(f, &o.seed, "seed", "seed of the random right-hand side of a Laplacian without B (default 1)")
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
	if o.seed > 0 && o.source != "" {
		return exit.Usagef("--seed selects a random right-hand side; omit --seed or %s", o.source)
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
	solutions, err := sys.solve(ctx, options)
	if err != nil {
		return exit.NothingWritten(err)
	}
	used := solutions[0].Device
	g.Detail("device: %s (%s), opened in %s", deviceText(used), used.Why,
		terminal.Seconds(solutions[0].Timing.Device.Seconds()))
	s := sys.summarise(g, solutions)
	if !useful(solutions) {
		p.Stop()
		return sys.verdict(s, "")
	}
	p.Enter("writing")
	if _, err = g.Publish(ctx, out, append(sys.solutionFiles(solutions, s),
		staging.File{Name: "summary.json", Write: func(w io.Writer) error { return jsonfile.Write(w, *s) }},
	)...); err != nil {
		return err
	}
	p.Stop()
	if err := sys.print(g, s, &o); err != nil {
		return err
	}
	return sys.verdict(s, o.out)
}

// system is A x = b as read.
type system struct {
	a           *matrix.Matrix
	b           [][]float64
	source      sourceKind
	seed        int             // of random values of b
	names       [2]string       // of the files
	grid        *netlist.System // nil of a matrix
	run         *powergrid.Run  // nil without .tran
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
	open := matrixmarket.OpenMatrix
	if o.laplacian {
		open = matrixmarket.OpenGraph
	}
	file, err := open(o.matrix)
	if err != nil {
		return nil, err
	}
	s := &system{names: [2]string{o.matrix, o.source}, repeated: file.Repeated}
	if s.b, s.source, err = readColumns(o.source, file.N()); err != nil {
		return nil, err
	}
	s.read = time.Since(start)
	if file.Repeated > 0 {
		g.Note("%d entries of %s are duplicates; they were added up", file.Repeated, o.matrix)
	}
	p.Enter("checking")
	start = time.Now()
	if o.laplacian {
		if file.CSR, err = sparse.Laplacian(file.CSR); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", o.matrix, matrix.ErrMatrix, err)
		}
	}
	if s.a, err = matrix.New(file.CSR, matrix.Shape{NX: o.grid.NX, NY: o.grid.NY, NZ: o.grid.NZ}); err !=
		nil {
		return nil, fmt.Errorf("%s: %w", o.matrix, err)
	}
	if s.b == nil {
		err = s.makeSource(o)
	} else if err = matrix.CheckColumns(s.a, s.b); err != nil {
		err = fmt.Errorf("%s: %w", o.source, err)
	}
	s.check = time.Since(start)
	return s, err
}

func (s *system) solve(ctx context.Context, o gpusolve.Options) ([]*matrix.Solution, error) {
	if s.run != nil {
		return s.solveSteps(ctx, o)
	}
	return matrix.SolveColumns(ctx, s.a, s.b, o)
}

// comment describes the solution, and marks one that did not converge.
func (s *system) comment(sum *summary.System) string {
	text := "solution of " + s.names[0] + " by thermsim " + versionText()
	if !sum.Solver.Converged {
		text += "\nNOT CONVERGED: " + sum.Solver.Reason
	}
	return text
}

func (sys *system) print(g *session.Session, s *summary.System, o *solveOptions) error {
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
	files := solutionName(s)
	if sys.run != nil && sys.run.Waveforms != nil {
		files += ", waveforms.csv"
	}
	g.Note("%s and summary.json are in %s; %s in all", files, o.out,
		terminal.Seconds(time.Since(g.Start).Seconds()))
	return nil
}

// verdict is nil for a solution that can be relied on.
func (sys *system) verdict(s *summary.System, out string) error {
	if s.Solver.Converged {
		return nil
	}
	what := "try another --precond, or accept a larger --rtol"
	switch reason := s.Solver.Reason; {
	case sys.a != nil && sys.a.ZeroSums:
		what = "every row of the matrix has the sum 0, so it is singular, and this b probably has no solution"
	case reason == solution.ReasonBreakdown:
		what = "the matrix is likely not positive definite, or its entries span more than FP32 holds; check how " +
			"it was made"
	case reason == solution.ReasonIterations:
		what = "raise --max-iter, try another --precond, or accept a larger --rtol"
	case reason == solution.ReasonStagnation:
		what = "the matrix may be singular and b inconsistent; otherwise try another --precond, or accept a larger " +
			"--rtol"
	}
	found := "the best solution found is in " + out + ", marked as such"
	if out == "" {
		found = "no solution better than x = 0 was found, and nothing was written"
	}
	return exit.With(exit.NotConverged, errors.New("not converged ("+s.Solver.Reason+"); "+found+"; "+what))
}

// solutionFiles have the vectors of a matrix, or the voltages of a netlist.
func (s *system) solutionFiles(solutions []*matrix.Solution, sum *summary.System) []staging.File {
	if s.grid != nil {
		return s.voltageFiles(solutions[0].X, sum)
	}
	return []staging.File{{Name: solutionName(sum), Write: func(w io.Writer) error {
		return s.writeColumns(w, solutions, s.comment(sum))
	}}}
}

func solutionName(sum *summary.System) string {
	switch {
	case sum.Netlist != nil:
		return "voltages.csv"
	case isNPY(sum.Source.File):
		return "x.npy"
	}
	return "x.mtx"
}
