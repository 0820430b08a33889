package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/internal/inputfile"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report"
	"thermsim/report/summary"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/autogrid"
	"thermsim/study/sweep"
	"thermsim/study/sweep/lanes"
)

const sweepHelp = `Solve a stack many times, varying any of its keys from run to run.

A sweep file says what varies:

  stack = "chip.toml"
  [[vary]]
  key    = "boundary.top.h"
  values = [1000, 2000, 5000]
  [[vary]]
  key   = "layer.tim.thickness"
  from  = "20 um"
  to    = "100 um"
  count = 5

--out receives sweep.csv and a picture of it. The table has a row for each run: its
values, the maximum and its location, the margin to the limits, and the requested
temperatures. Rows are written as runs end, and an interrupted sweep resumes when
restarted. --shard runs only a part of the sweep; --merge combines the parts into one
table. With --lines, runs are read as JSON Lines from stdin and their results go to
stdout, for optimizers that choose the next run from previous results.
`

const sweepExample = `  thermsim sweep cooling.toml
  thermsim sweep cooling.toml --shard 0/8          # the first of eight parts
  thermsim sweep cooling.toml --shard auto         # in an array of Slurm or AWS Batch
  thermsim sweep cooling.toml --merge
  echo '{"set": {"boundary.top.h": 2000}}' | thermsim sweep cooling.toml --lines`

type sweepOptions struct {
	file, out string
	device    string
	precond   string
	tol       float64
	shard     string
	merge     bool
	lines     bool
	set       flags.Set
}

func newSweepCommand(g *session.Session) *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:     "sweep FILE",
		Short:   "Solve a stack many times with different values in each run",
		Long:    sweepHelp,
		Example: sweepExample,
		Annotations: exit.Statuses("0", "1", "2 usage error or invalid input; nothing was solved",
			"3 at least one run failed; see the status column of sweep.csv", "4",
			"130 interrupted; the rows of finished runs were written"),
		Args: flags.Arguments(1, 1, "a sweep file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return runSweep(cmd.Context(), g, o, cmd.InOrStdin())
		},
	}
	o.addFlags(cmd, "thermsim-sweep")
	cmd.Flags().BoolVar(&o.lines, "lines", false, "read runs as JSON Lines from stdin and write results to stdout")
	g.AddTimingsFlag(cmd.Flags())
	return cmd
}

// addFlags offers the flags of all commands that solve a stack many times.
func (o *sweepOptions) addFlags(cmd *cobra.Command, out string) {
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", out, "write the files into `DIR`")
	o.set.Add(f)
	flags.AddDevice(cmd, &o.device, flags.DeviceUsage)
	flags.AddPrecond(cmd, &o.precond)
	flags.Rise.Var(f, &o.tol, "tol", "convergence tolerance: estimated maximum error (default 1e-4 K)")
	f.StringVar(&o.shard, "shard", "", "run only part `K/N`, K from 0; auto takes K and N from the job scheduler")
	f.BoolVar(&o.merge, "merge", false, "merge the parts in --out into sweep.csv")
}

// sweeper evaluates the runs of a sweep.
type sweeper struct {
	g       *session.Session
	o       *sweepOptions
	file    *stackfile.SweepFile
	plan    *sweep.Plan
	columns *sweep.Columns
	text    []byte // of the stack file
	open    stackfile.Opener
	on      capacity.Resources
	lanes   *lanes.Lanes // where stacks are solved, while the next ones are read and meshed
	auto    struct {
		once   sync.Once
		asked  stack.AutoGrid
		choice *autogrid.Choice
	}
	near gpusolve.Near
	// finished takes the path of the complete table.
	finished func(path string) error
}

// A run allocates much and keeps little: the heap of a sweep may grow by sweepGrowth percent of the memory in use
// before it is collected, but by at most mostGrowth bytes. A table of a million runs is in use throughout.
const (
	sweepGrowth = 800
	mostGrowth  = 128 << 20
)

// growthOf is by how many percent a heap with that many bytes in use may grow; 100 is Go's default.
func growthOf(inUse uint64) int {
	return int(min(sweepGrowth, max(100, 100*mostGrowth/max(1, inUse))))
}

func runSweep(ctx context.Context, g *session.Session, o sweepOptions, stdin io.Reader) error {
	v, err := o.load(g)
	if err != nil {
		return err
	}
	v.finished = v.finish
	return v.run(ctx, stdin)
}

// run does what the flags say: all runs, a part of them, those on stdin, or none if parts are merged.
func (v *sweeper) run(ctx context.Context, stdin io.Reader) (err error) {
	g, o, shard := v.g, v.o, sweep.Whole
	if o.shard != "" {
		if shard, err = sweep.ParseShard(o.shard); err != nil {
			return exit.Usagef("--shard %s: %v", o.shard, err)
		}
	}
	if o.lines && (o.merge || o.shard != "") || o.merge && o.shard != "" {
		return exit.Usagef("--lines, --merge and --shard exclude each other; give one of them")
	}
	if o.merge {
		return v.merge()
	}
	if os.Getenv("GOGC") == "" {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		debug.SetGCPercent(growthOf(m.HeapAlloc))
	}
	on := gpusolve.Options{Device: o.device, Timeline: g.Timings.Log}
	if g.Adjust != nil {
		g.Adjust(&on)
	}
	if v.lanes, err = lanes.Open(on); err != nil {
		return err
	}
	if !g.Ends {
		defer v.lanes.Close()
	}
	if o.lines {
		return v.answer(ctx, stdin)
	}
	return v.sweep(ctx, shard)
}

// load reads the sweep file, the runs and the stack file.
func (o *sweepOptions) load(g *session.Session) (*sweeper, error) {
	file, err := stackfile.LoadSweep(o.file)
	if err != nil {
		return nil, err
	}
	var points []byte
	if file.Points != "" {
		if points, err = inputfile.Read(file.Points); err != nil {
			return nil, exit.With(exit.Input, err)
		}
	}
	plan, err := sweep.New(file, points)
	if o.lines && errors.Is(err, sweep.ErrNothing) {
		plan, err = &sweep.Plan{}, nil
	}
	if err != nil {
		return nil, exit.With(exit.Input, fmt.Errorf("%s: %w", o.file, err))
	}
	return o.sweeper(g, file, plan)
}

// sweeper reads the stack file of a sweep.
func (o *sweepOptions) sweeper(g *session.Session, file *stackfile.SweepFile, plan *sweep.Plan) (*sweeper, error) {
	path, err := ownFile(file.Stack)
	if err != nil {
		return nil, err
	}
	file.Stack = path
	text, err := inputfile.Read(path)
	if err != nil {
		return nil, exit.With(exit.Input, fmt.Errorf("cannot read the stack file: %w", err))
	}
	return &sweeper{g: g, o: o, file: file, plan: plan, text: text, open: cached(inputfile.Read),
		on: capacity.ThisMachine()}, nil
}

// cached reads every file once.
func cached(read stackfile.Opener) stackfile.Opener {
	var mu sync.Mutex
	files := map[string][]byte{}
	return func(path string) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if data, ok := files[path]; ok {
			return data, nil
		}
		data, err := read(path)
		if err == nil {
			files[path] = data
		}
		return data, err
	}
}

// stack of a run.
func (v *sweeper) stack(set []stackfile.Override) (*stack.Stack, error) {
	all := append(append([]stackfile.Override(nil), v.file.Set...), v.o.set...)
	defer v.g.Timings.Log.Begin("stack")()
	s, err := stackfile.Parse(v.file.Stack, v.text, v.open, append(all, set...)...)
	if err != nil {
		return nil, err
	}
	flags.Choose(&s.Solver, "", v.o.precond)
	if v.o.tol > 0 {
		s.Solver.Tol, s.Solver.RTol, s.Solver.ATol = v.o.tol, 0, 0
	}
	return s, nil
}

// chooseGrid puts a run on the automatic grid that was chosen for the stack file without the values of runs.
func (v *sweeper) chooseGrid(ctx context.Context, s *stack.Stack) error {
	if s.Grid.Auto == nil {
		return nil
	}
	v.auto.once.Do(func() {
		base, err := v.stack(nil)
		if err != nil || base.Grid.Auto == nil {
			return
		}
		v.auto.asked = *base.Grid.Auto
		if v.auto.choice, err = chooseGrid(ctx, v.g, base); err != nil {
			v.g.Note("the grid is chosen for each run: %v", err)
		}
	})
	if c := v.auto.choice; c != nil && *s.Grid.Auto == v.auto.asked {
		if on := c.For(s); on != nil {
			s.Grid, s.Layers = on.Grid, on.Layers
			return nil
		}
	}
	_, err := chooseGrid(ctx, v.g, s)
	return err
}

// solve a stack and summarise the result.
func (v *sweeper) solve(ctx context.Context, s *stack.Stack) (*summary.Summary, error) {
	meshed := v.g.Timings.Log.Begin("mesh")
	if err := v.chooseGrid(ctx, s); err != nil {
		return nil, err
	}
	note, err := v.on.Place(s, false)
	if err != nil {
		return nil, err
	}
	if note != "" {
		v.g.Detail("%s", note)
	}
	m, err := mesh.Build(s)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	meshed()
	waited := v.g.Timings.Log.Begin("wait for a lane")
	lane := <-v.lanes.Free
	waited()
	defer func() { v.lanes.Free <- lane }()
	return v.solveOn(ctx, lane, m)
}

// solveOn solves on a lane.
func (v *sweeper) solveOn(ctx context.Context, lane *device.Shared, m *mesh.Mesh) (*summary.Summary, error) {
	options := quietOptions(v.g, m.Stack.Solver)
	options.Executor = lane
	options.Near = &v.near
	solved := v.g.Timings.Log.Begin("set up and solve")
	solution, err := gpusolve.Steady(ctx, m, options)
	if solved(); err != nil {
		return nil, err
	}
	defer func() {
		defer v.g.Timings.Log.Begin("give the memory back")()
		solution.Close()
	}()
	v.lanes.Grow(m)
	defer v.g.Timings.Log.Begin("summarise")()
	return report.Summarise(&report.Run{Command: "sweep", Version: versionText(), Mesh: m, Solution: solution,
		Start: v.g.Start})
}

// Runs of a sweep on a processor start from the states of mostNear runs, spread evenly over it. Which runs these are
// depends on nothing else, so a run has the same result in every part and after an interruption. Sweeps of fewer than
// nearFrom runs have none.
const (
	mostNear = 5
	nearFrom = 64
)

// gather solves the runs after the first that others start from. Their faults are reported with their rows.
func (v *sweeper) gather(ctx context.Context) error {
	for n := 1; n < mostNear && len(v.near.States) > 0; n++ {
		if _, err := v.row(ctx, n*(v.plan.Count()-1)/(mostNear-1)); err != nil {
			return err
		}
	}
	v.near.Gathering = false
	return nil
}

// outcome of a run with some values. Faults of the values have a status, as in the table; those of the machine have
// none, and end the sweep.
func (v *sweeper) outcome(ctx context.Context, set []stackfile.Override) (*summary.Summary, string, error) {
	s, err := v.stack(set)
	if err != nil {
		return nil, sweep.Invalid, err
	}
	summary, err := v.solve(ctx, s)
	switch {
	case err == nil:
		return summary, "", nil
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case exit.Status(err) == exit.Input:
		return nil, sweep.Invalid, err
	case exit.Status(err) == exit.Device:
		return nil, "", err
	}
	return nil, sweep.Failed, err
}

// row of a run.
func (v *sweeper) row(ctx context.Context, run int) (*sweep.Row, error) {
	values := v.plan.Values(run)
	set, err := v.plan.Set(run)
	if err != nil {
		return v.columns.Fault(run, values, sweep.Invalid, err), nil
	}
	summary, status, err := v.outcome(ctx, set)
	switch {
	case status != "":
		return v.columns.Fault(run, values, status, err), nil
	case err != nil:
		return nil, err
	}
	return v.columns.Row(run, values, summary), nil
}

// identity is a digest of all that the rows depend on.
func (v *sweeper) identity(first *stack.Stack) string {
	h := sha256.New()
	io.WriteString(h, v.file.SHA256)
	for _, in := range first.Inputs {
		io.WriteString(h, "\n"+in.SHA256)
	}
	v.otherInputs(h)
	for _, set := range v.o.set {
		io.WriteString(h, "\n"+set.Text)
	}
	fmt.Fprintf(h, "\n%d %s %g", v.plan.Count(), v.o.precond, v.o.tol)
	for run := range v.plan.Count() {
		for _, value := range v.plan.Values(run) {
			io.WriteString(h, "\n"+value)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// otherInputs adds the files that runs read whose values are words, such as paths: each set of words once.
func (v *sweeper) otherInputs(h io.Writer) {
	seen := map[string]bool{}
	for run := range v.plan.Count() {
		words := ""
		for _, value := range v.plan.Values(run) {
			// a path may begin with a number
			if _, unit, err := stackfile.SplitQuantity(value); err != nil || strings.Contains(unit, ".") {
				words += "\n" + value
			}
		}
		if words == "" || seen[words] {
			continue
		}
		seen[words] = true
		set, err := v.plan.Set(run)
		if err != nil {
			continue
		}
		if s, err := v.stack(set); err == nil {
			for _, in := range s.Inputs {
				io.WriteString(h, "\n"+in.SHA256)
			}
		}
	}
}

// first solves run 0, which reports errors that affect all runs before anything is written, and defines the columns.
func (v *sweeper) first(ctx context.Context) (*stack.Stack, error) {
	set, err := v.plan.Set(0)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	s, err := v.stack(set)
	if err != nil {
		return nil, err
	}
	summary, err := v.solve(ctx, s)
	if err != nil {
		return nil, err
	}
	v.columns, err = sweep.NewColumns(v.plan, v.file.Outputs, summary)
	if err != nil {
		return nil, exit.With(exit.Input, fmt.Errorf("%s: %w", v.o.file, err))
	}
	return s, nil
}

// sweep does the runs of a part that are not done yet.
func (v *sweeper) sweep(ctx context.Context, shard sweep.Shard) (err error) {
	p := terminal.StartProgress(v.g.Console, "sweeping")
	defer p.Stop()
	v.near.Gathering = v.plan.Count() >= nearFrom
	first, err := v.first(ctx)
	if err != nil {
		return exit.NothingWritten(err)
	}
	journal, err := sweep.Open(v.o.out, sweep.State{Schema: 1, Version: versionText(), Sweep: v.o.file,
		Identity: v.identity(first), Runs: v.plan.Count(),
		Shard: shard.Index, Shards: shard.Of, Header: v.columns.Header()})
	if errors.Is(err, sweep.ErrOther) {
		return exit.Usagef("%v; give another --out, or remove it", err)
	}
	if errors.Is(err, staging.ErrBusy) {
		return exit.Usagef("%w; wait for its end, or give another --out", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }() // no other process draws the table meanwhile
	runs := shard.Runs(v.plan.Count())
	if journal.Done > 0 {
		v.g.Note("%d of %d runs are in %s already", journal.Done, len(runs), journal.Path)
	}
	if journal.Done < len(runs) {
		if err := v.gather(ctx); err != nil {
			return err
		}
	}
	start, done, faults := time.Now(), journal.Done, journal.Faults
	err = sweep.Each(ctx, runs[journal.Done:], max(2, runtime.GOMAXPROCS(0)), v.row, func(r *sweep.Row) error {
		done++
		if r.Status != sweep.Done {
			faults++
			v.g.Note("run %d: %s: %s", r.Run, r.Status, r.Message)
		}
		p.Enter(fmt.Sprintf("run %d of %d", done, len(runs)))
		return journal.Add(r)
	})
	if err = errors.Join(err, journal.Sync()); errors.Is(err, context.Canceled) {
		return exit.With(exit.Interrupted,
			fmt.Errorf("interrupted; %d of %d runs are in %s; run the same command again to do the rest", done,
				len(runs), journal.Path))
	}
	if err != nil {
		return err
	}
	p.Stop()
	spent := time.Since(start)
	v.g.Detail("%d runs in %s", len(runs)-journal.Done, terminal.Seconds(spent.Seconds()))
	if shard == sweep.Whole {
		if err := v.finished(journal.Path); err != nil {
			return err
		}
	}
	return unresolved(faults, len(runs), journal.Path)
}

// unresolved is the error of a table in which runs have no result.
func unresolved(faults, runs int, path string) error {
	if faults == 0 {
		return nil
	}
	return exit.With(exit.NotConverged, fmt.Errorf("%d of %d runs have no result; the column status of %s says why",
		faults, runs, path))
}
