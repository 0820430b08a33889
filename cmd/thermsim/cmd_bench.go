package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/inputfile"
	"thermsim/internal/staging"
	"thermsim/study/bench"
)

const benchHelp = `Measure every preconditioner on a stack, or on the systems of the CUTh-Solver paper.

With STACK, it ranks the methods by the total time of a steady solve of that stack,
with its stopping criterion. Methods that cannot solve it are listed with the reason.

Without STACK, the tables of the paper (arXiv:2606.17850) are printed for this
machine, on stacks of 5.1 to 35 million cells. docs/reference/bench.md explains them.

--systems takes CUTh1 to CUTh7, whose sizes and iterations are near the paper's,
MoL10-5M to MoL10-35M, where all ten layers of its stack have cells, TSV-5M and
TSV-14M, which have lateral contrast, or a family: CUTh, MoL10 or TSV. All by
default; --grid puts other grids into them.

--tables takes the names below or the numbers in the paper; all by default.
Without --max-cells, the CPU solves the systems of up to a million cells (--grid
selects others) and a GPU all of them. A row that takes
longer than --max-seconds is stopped, one that is certain to is skipped; both are
marked. Files are updated every few seconds.

--external adds the measurements of other programs and devices on the same systems
to the tables, with version, device, settings and source. docs/reference/bench.md
describes the files (.json or .csv). --export writes the systems for other programs,
as Matrix Market.

--regress compares each row with the same row of an earlier file, and ends with
status 5 if one is slower by more than the ratio --slower.
`

const benchExample = `  thermsim bench my/stack.toml                     # which method is fastest on this stack?
  thermsim bench --device gpu --out bench.json     # everything; about an hour
  thermsim bench --tables steady --max-cells 6e6
  thermsim bench --tables II --maps errors
  thermsim bench --grid 128x128 --precond multigrid,jacobi --runs 1
  thermsim bench --from bench.json --markdown > bench.md
  thermsim bench --from bench.json --external docs/measurements/external-amgx-h200.json
  thermsim bench --device gpu --regress bench.json --slower 1.05
  thermsim bench --export systems --tables steady --grid 714x714`

type benchOptions struct {
	stack           string
	set             flags.Set
	tables, methods []string
	systems         []string
	grids           [][2]int
	device          string
	maxCells        int
	minCells        int
	runs, maxIter   int
	maxSeconds      float64
	fromPrevious    bool
	from            []string
	out             []string
	external        []string
	export          string
	maps            string
	json, markdown  bool
	regress         string
	slower          float64
	earlier         *bench.Result // of regress
}

func newBenchCommand(g *session.Session) *cobra.Command {
	var o benchOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:     "bench [STACK]",
		Short:   "Measure the solver and its preconditioners",
		Long:    benchHelp,
		Example: benchExample,
		Annotations: exit.Statuses("0 done; rows that were stopped or could not run are marked", "1",
			"2 usage error or invalid input",
			"4 device failure: no GPU where one was demanded, or not enough memory",
			"5 a row is slower than in --regress; the files were written",
			"6 thermal runaway: with its leakage the stack has no steady state",
			"130 interrupted; --out holds the rows that were finished"),
	}, &o.stack, func(ctx context.Context) error { return runBench(ctx, g, o) })
	f := cmd.Flags()
	var names []string
	for _, t := range bench.Tables() {
		names = append(names, t.Name)
	}
	flags.Group(f, "Measurements", func() {
		f.StringSliceVar(&o.tables, "tables", nil, strings.Join(names, ", ")+": a `LIST`")
		f.StringArrayVar(&o.methods, "precond", nil, "`LIST` of preconditioners, settings as in NAME:key=value,... "+
			"(default all)")
		flags.AddDevice(cmd, &o.device, "auto, cpu, gpu or gpu:N (default auto: a GPU where there is one)")
		flags.CellsVar(f, &o.maxCells, "max-cells", "skip larger systems (default 4e7 on a GPU, 1e6 on the CPU)")
		flags.CellsVar(f, &o.minCells, "min-cells", "skip smaller systems")
		f.StringSliceVar(&o.systems, "systems", nil,
			"`LIST` of systems or of families, "+strings.Join(bench.SystemSets(), ", ")+" (default all)")
		flags.GridsVar(f, &o.grids, "grid", "grids instead of the paper's, as in 64x64,128x128; or one of STACK")
		o.set.Add(f)
		flags.CountVar(f, &o.runs, "runs", "runs whose median is reported, after a warm-up run (default 3)")
		flags.Duration.Var(f, &o.maxSeconds, "max-seconds",
			"time limit for the runs of a row (default 60 s)")
		f.BoolVar(&o.fromPrevious, "from-previous", false,
			"start time steps from the previous step, as in the paper")
		flags.CountVar(f, &o.maxIter, "max-iter", "maximum number of iterations per linear system (default 50000)")
	})
	flags.Group(f, flags.GroupResults, func() {
		f.StringSliceVarP(&o.out, "out", "o", nil, "write the measurements to `FILES`, .json or .csv")
		flags.AddJSON(cmd, &o.json)
		f.StringVar(&o.maps, "maps", "", "draw the errors of the table floorplans into `DIR`")
		f.StringSliceVar(&o.from, "from", nil, "measure nothing: print the .json `FILES` of one device, together")
		f.BoolVar(&o.markdown, "markdown", false, "print Markdown")
	})
	flags.Group(f, "Earlier measurements", func() {
		f.StringVar(&o.regress, "regress", "", "compare the times with those of an earlier .json `FILE` of this device")
		flags.Var(f, &o.slower, "slower", "RATIO", "largest ratio of times with --regress (default 1.1)",
			flags.ParseRatio)
	})
	flags.Group(f, "Other programs", func() {
		f.StringSliceVar(&o.external, "external", nil, "add measurements of other programs from `FILES`, "+
			".json or .csv")
		f.StringVar(&o.export, "export", "", "measure nothing: write the systems as Matrix Market into `DIR`")
		flags.AddForce(cmd)
	})
	flags.Complete(cmd, "tables", names)
	flags.Complete(cmd, "precond", bench.DefaultMethods())
	return cmd
}

func runBench(ctx context.Context, g *session.Session, o benchOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	external, err := readExternal(o.external)
	if err != nil {
		return err
	}
	if o.regress != "" {
		if o.earlier, err = readBench(o.regress); err != nil {
			return err
		}
	}
	if len(o.from) > 0 {
		return printBench(g, o, external)
	}
	if o.export != "" {
		return exportBench(ctx, g, o)
	}
	for _, file := range o.out {
		if err := session.CheckFolder(filepath.Dir(file)); err != nil {
			return err
		}
	}
	if o.maps != "" {
		if err := session.CheckFolder(o.maps); err != nil {
			return err
		}
	}
	own, err := o.load(ctx, g)
	if err != nil {
		return err
	}
	p := terminal.StartProgress(g.Console, "initializing the device")
	defer p.Stop()
	live := !g.Quiet && !o.markdown && !o.json && own == nil // ranks are known at the end
	keep := keeper(ctx, g, o, 5*time.Second)
	options := bench.Options{
		Device: o.device, Tables: o.tables, Methods: flags.SplitMethods(o.methods), MaxCells: o.maxCells,
		MinCells: o.minCells, Systems: o.systems, Grids: o.grids, Runs: o.runs,
		RowSeconds: o.maxSeconds, MaxIter: o.maxIter, MapsDir: o.maps, Version: versionText(),
		External: external, FromPrevious: o.fromPrevious, Own: own,
		Watch: func(e bench.Event) { keep(e); showBench(g, p, e, live) },
	}
	result, err := bench.Run(ctx, options)
	p.Stop()
	switch {
	case errors.Is(err, context.Canceled):
		err = exit.With(exit.Interrupted, errors.New("interrupted; the rows that were finished are complete"))
	case result != nil:
		noteUnused(g, result, external)
	}
	if result == nil {
		return err
	}
	// Rows measured before a failure are kept.
	saving, done := session.Outlast(ctx)
	defer done()
	if failed := writeBench(saving, g, result, o); failed != nil {
		return errors.Join(err, failed)
	}
	if !live { // otherwise the tables are printed
		err = errors.Join(err, printResult(g, result, o))
	}
	if err != nil {
		return err
	}
	return compareBench(g, result, &o)
}

// load reads the stack whose methods are ranked; nil without one.
func (o *benchOptions) load(ctx context.Context, g *session.Session) (*bench.Own, error) {
	if o.stack == "" {
		return nil, nil
	}
	input := study{stack: o.stack, device: o.device, project: project{set: o.set}}
	if len(o.grids) > 0 {
		input.grid.GridSize = flags.GridSize{NX: o.grids[0][0], NY: o.grids[0][1]}
	}
	s, err := input.load(ctx, g, nil)
	if err != nil {
		return nil, err
	}
	m, err := mesher(g, false)(s)
	if err != nil {
		return nil, err
	}
	return &bench.Own{Name: o.stack, Mesh: m}, nil
}

// check finds flags that contradict each other.
func (o *benchOptions) check() error {
	if o.stack != "" && (len(o.tables)+len(o.systems)+len(o.from)+len(o.external) > 0 || o.export != "" ||
		o.maps != "" || o.fromPrevious || o.maxCells+o.minCells > 0) {
		return exit.Usagef("with STACK, bench ranks the methods on that stack; omit --tables, --systems, " +
			"--max-cells, --min-cells, --from-previous, --maps, --from, --external and --export")
	}
	if o.stack != "" && len(o.grids) > 1 {
		return exit.Usagef("--grid: got %d grids; expected one with STACK", len(o.grids))
	}
	if o.stack == "" && len(o.set) > 0 {
		return exit.Usagef("--set changes a stack file; give STACK, or omit --set")
	}
	if o.export != "" && (len(o.from) > 0 || len(o.external) > 0 || len(o.out) > 0) {
		return exit.Usagef("--export measures nothing; omit --from, --external and --out")
	}
	if o.regress == "" && o.slower != 0 {
		return exit.Usagef("--slower is a limit of --regress; give --regress FILE, or omit --slower")
	}
	if o.slower != 0 && !(o.slower > 0 && o.slower <= 1000) {
		return exit.Usagef("--slower %g: write a ratio such as 1.1", o.slower)
	}
	o.slower = cmp.Or(o.slower, 1.1)
	if o.json && o.markdown {
		return exit.Usagef("--json and --markdown are two ways to print; give one of them")
	}
	for _, file := range o.out {
		if ext := filepath.Ext(file); ext != ".json" && ext != ".csv" {
			return exit.Usagef("--out %s: the name of a file ends in .json or .csv", file)
		}
	}
	return nil
}

// printResult prints complete measurements.
func printResult(g *session.Session, r *bench.Result, o benchOptions) error {
	write := r.WriteText
	switch {
	case o.json:
		write = r.WriteJSON
	case g.Quiet:
		return nil
	case o.markdown:
		write = r.WriteMarkdown
	}
	return write(g.Stdout)
}

// showBench prints tables as they grow.
func showBench(g *session.Session, p *terminal.Progress, e bench.Event, live bool) {
	switch {
	case e.Doing != "":
		p.Enter(e.Table.Name + ": " + e.Doing)
	case !live:
	case e.Note != "":
		p.Console.ClearLine()
		fmt.Fprintln(g.Stdout, "  "+e.Note)
	case e.Result != nil:
		p.Console.ClearLine()
		fmt.Fprint(g.Stdout, e.Result.About())
	case e.Row != nil:
		p.Console.ClearLine()
		fmt.Fprintln(g.Stdout, e.Table.Line(e.Row))
	default:
		p.Console.ClearLine()
		fmt.Fprintf(g.Stdout, "\n%s\n%s\n", g.Bold(e.Table.Heading()), g.Dim(e.Table.Head()))
	}
}

// keeper saves the rows at intervals, so that few are lost when the machine goes down. Errors of writing are reported
// at the end.
func keeper(ctx context.Context, g *session.Session, o benchOptions, every time.Duration) func(bench.Event) {
	var result *bench.Result
	saved := time.Now()
	return func(e bench.Event) {
		if e.Result != nil {
			result = e.Result
		}
		if e.Row == nil || time.Since(saved) < every {
			return
		}
		_ = writeBench(ctx, g, result, o)
		saved = time.Now()
	}
}

// writeBench writes the files of one folder together.
func writeBench(ctx context.Context, g *session.Session, r *bench.Result, o benchOptions) error {
	files := map[string][]staging.File{}
	for _, path := range o.out {
		write := r.WriteJSON
		if filepath.Ext(path) == ".csv" {
			write = r.WriteCSV
		}
		dir := filepath.Dir(path)
		files[dir] = append(files[dir], staging.File{Name: filepath.Base(path), Write: write})
	}
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		if err := g.WriteOutputs(ctx, dir, files[dir]...); err != nil {
			return err
		}
	}
	return nil
}

// printBench prints earlier measurements.
func printBench(g *session.Session, o benchOptions, external []bench.ExternalRow) error {
	var results []*bench.Result
	for _, name := range o.from {
		r, err := readBench(name)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	r, err := bench.Merge(results)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	if err := r.AddExternal(external); err != nil {
		return exit.With(exit.Input, err)
	}
	noteUnused(g, r, external)
	if err := writeBench(context.Background(), g, r, o); err != nil {
		return err
	}
	if err := printResult(g, r, o); err != nil {
		return err
	}
	return compareBench(g, r, &o)
}

// readExternal reads the files of --external.
func readExternal(names []string) ([]bench.ExternalRow, error) {
	var all []bench.ExternalRow
	for _, name := range names {
		data, err := inputfile.Read(name)
		if err != nil {
			return nil, exit.Usagef("cannot read %s: %w; docs/reference/bench.md describes the file", name, err)
		}
		rows, err := bench.ReadExternal(name, data)
		if err != nil {
			return nil, exit.With(exit.Input, err)
		}
		all = append(all, rows...)
	}
	return all, nil
}

// noteUnused reports how many external rows match no table or system.
func noteUnused(g *session.Session, r *bench.Result, rows []bench.ExternalRow) {
	if left := r.LeftOut(rows); len(left) > 0 {
		g.Note("%d of %d external rows are of tables or systems that are not included, such as "+
			"%s", len(left), len(rows),
			left[0].System())
	}
}

// exportBench writes systems as Matrix Market.
func exportBench(ctx context.Context, g *session.Session, o benchOptions) error {
	systems, err := bench.Systems(bench.Options{
		Device: o.device, Tables: o.tables, MaxCells: o.maxCells, MinCells: o.minCells,
		Systems: o.systems, Grids: o.grids,
	})
	if err != nil {
		return err
	}
	if len(systems) == 0 {
		return exit.Usagef("these tables have no systems to write, or none of that size; name steady or graphs, with " +
			"--grid, --max-cells or --device gpu for the sizes of GPUs")
	}
	p := terminal.StartProgress(g.Console, "exporting")
	defer p.Stop()
	out, err := g.Begin(o.export, staging.Options{Set: "bench", Command: "bench --export"})
	if err != nil {
		return err
	}
	defer out.Abort()
	for _, s := range systems {
		p.Enter(s.Name)
		files, err := s.Files()
		if err != nil {
			return err
		}
		if err := out.WriteFiles(ctx, files...); err != nil {
			return exit.NothingWritten(err)
		}
	}
	done, err := g.Commit(ctx, out)
	if err != nil {
		return err
	}
	p.Stop()
	g.Note("systems written into %s: %d, in %d files", out.Dir(), len(systems), len(done.Files))
	return nil
}

// readBench reads a file that --out wrote.
func readBench(name string) (*bench.Result, error) {
	f, err := inputfile.Open(name)
	if err != nil {
		return nil, exit.Usagef("cannot read %s: %w; name a .json file that --out wrote", name, err)
	}
	defer f.Close()
	r, err := bench.ReadResult(f)
	if err != nil {
		return nil, exit.Usagef("%s: %w; name a .json file that --out wrote", name, err)
	}
	return r, nil
}

// compareBench compares measurements with those of --regress, slowest first. It is an error if one is too slow, or none
// is in both.
func compareBench(g *session.Session, r *bench.Result, o *benchOptions) error {
	if o.earlier == nil {
		return nil
	}
	ratios := r.Against(o.earlier)
	if len(ratios) == 0 {
		return exit.Usagef("%s has no row of these tables, systems and methods on %s; measure it on this device",
			o.regress, r.Device.Name)
	}
	slices.SortStableFunc(ratios, func(a, b bench.Ratio) int { return cmp.Compare(b.Times, a.Times) })
	slow := 0
	t := terminal.Table{Header: []string{"table", "system", "method", ">before", ">now", ">ratio", ""}}
	for _, v := range ratios {
		mark := ""
		if v.Times > o.slower {
			slow++
			mark = "slower"
		}
		t.Add(v.Table, cmp.Or(v.Row.Case, v.Row.Grid), cmp.Or(v.Row.Method, v.Row.Variant),
			terminal.Seconds(v.Old.Seconds()), terminal.Seconds(v.Row.Seconds()),
			strconv.FormatFloat(v.Times, 'f', 3, 64), mark)
	}
	if !g.Quiet && !o.json {
		fmt.Fprintf(g.Stdout, "\n%s\n", g.Bold("Compared with "+o.regress))
		t.Write(g.Console, g.Stdout)
	}
	if slow > 0 {
		return exit.With(exit.TooHot, fmt.Errorf("%d of %d rows take more than %g times as long as in %s", slow,
			len(ratios), o.slower, o.regress))
	}
	return nil
}
