package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
)

const steadyHelp = `Solve for the steady-state temperatures of a stack with its constant powers, or the
mean of each power trace.

Tables go to stdout. These files are written to --out: report.html (interactive
page), run.zip (read by 'thermsim render'; for large fields see --save),
summary.json, and the tables layers.csv and blocks.csv, with regions.csv and
limits.csv if the stack has regions or limits. A power grid adds segments.csv and
maps of its IR drop and lifetimes. Maps of powered layers and of those
listed in --maps are written to map_<layer>.png and .csv.

Output files replace those of the previous run atomically. Flags override the stack
file. --precond NAME:key=value sets an option of a preconditioner. By default, a
stack of uniform layers is solved directly (fourier), and any other with multigrid;
if multigrid stalls, another preconditioner takes over. With --watch, errors are
reported and watching continues until you press Ctrl-C (exit status 130). With
--model, a reduced model replaces the solve, and only its outputs are printed; its
--json has these in place of the summary.

--ranks splits the grid over ranks in this process. mpirun, mpiexec or srun before
the command makes each of its processes one rank, connected by MPI, on one or
several machines. Rank 0 prints and writes. docs/guides/ranks.md has more.
`

const steadyExample = `  thermsim steady                                  # ./stack.toml into ./thermsim-out
  thermsim steady examples/quickstart --grid 128x128
  thermsim steady examples/mol10-ev6 --maps all --out ev6
  thermsim steady chip.toml --files vtr,npz        # the whole field for other tools
  thermsim steady chip.toml --tmax "105 degC" --quiet && echo cool enough
  thermsim steady chip.toml --set boundary.top.h=5000 --set layer.tim.thickness="40 um"
  thermsim steady chip.toml --watch                # again after every change
  thermsim steady wafer.toml --device gpu:all      # part of the grid on each GPU
  mpirun -n 4 thermsim steady wafer.toml           # part of the grid in each process
  thermsim steady chip.toml --json | jq .temperature.max_K`

func newSteadyCommand(g *session.Session) *cobra.Command {
	var o simulateOptions
	var watch session.WatchFlag
	var model modelSource
	var cmd *cobra.Command
	cmd = flags.TakeStack(&cobra.Command{
		Use:         "steady [STACK]",
		Short:       "Solve for the steady-state temperatures",
		Long:        steadyHelp,
		Example:     steadyExample,
		Annotations: exit.OfRuns,
	}, &o.stack, func(ctx context.Context) error {
		if err := model.check(); err != nil {
			return err
		}
		if model.file != "" {
			return runSteadyModel(g, cmd, &o, &model)
		}
		if !watch {
			return runSteady(ctx, g, o)
		}
		if err := o.ranks.Refuse(&o.device, "--watch"); err != nil {
			return err
		}
		if err := o.check(); err != nil {
			return err // no change of a file would fix it
		}
		return session.WatchRuns(ctx, g, o.stack, func(ctx context.Context, w *session.Watched) error {
			once := o
			once.project.watched = w
			return runSteady(ctx, g, once)
		})
	})
	o.addFlags(cmd)
	cmd.Flags().Lookup("file-steps").Hidden = true // there are no steps
	flags.Group(cmd.Flags(), flags.GroupSolver, func() {
		watch.AddFlag(cmd.Flags())
		model.add(cmd.Flags())
	})
	flags.Group(cmd.Flags(), flags.GroupResults, func() { g.AddTimingsFlag(cmd.Flags()) })
	return cmd
}

func runSteady(ctx context.Context, g *session.Session, o simulateOptions) (err error) {
	ctx, t, err := newTeam(ctx, g, &o)
	if err != nil {
		return err
	}
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	run, err := prepare(ctx, g, p, "steady", &o, t)
	if err != nil {
		return err
	}
	defer func() { err = run.end(err) }()
	if t.reports() {
		if err := run.record(0); err != nil {
			return err
		}
	}
	p.Enter("solving")
	solved := g.Timings.Log.Begin("solve, including device initialization")
	run.Solution, err = t.solve(run.solver, func(options gpusolve.Options, _ bool) (*solution.Solution, error) {
		grid := o.project.grid
		if grid == nil {
			return o.project.steady(ctx, run.Mesh, options)
		}
		s, outcome, err := grid.Steady(ctx, run.Mesh, options)
		if err == nil {
			run.PowerGrid = grid.Summary(outcome)
			run.Warnings = append(run.Warnings, grid.Warnings()...)
		}
		return s, err
	})
	if solved(); err != nil {
		return exit.NothingWritten(err)
	}
	if !t.reports() {
		return nil
	}
	run.releaseWhenRead()
	s, err := run.finish(ctx)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return exit.With(exit.Interrupted, fmt.Errorf("interrupted when the run was finished; its files are in %s",
			o.out))
	}
	return strictVerdict(run.Run, s, &o)
}
