package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
)

var transientHelp = `Step the temperatures of a stack in time, under its power traces and schedules:
by backward Euler in steps of one length, or by TR-BDF2 in steps that follow the
temperatures.

Steps of one length: their number comes from --steps, else from [transient]
steps, else they go to the end of the power traces, else it is 50. The time step
comes from --dt, else from [transient] dt, else it is the interval of the power
traces, else a fiftieth of the stack's slowest time constant, which is then told
on stderr. Every step takes the exact mean of the powers over its length.

Steps that follow the temperatures: --dt-tol says how large the error of a step
may be, 0.01 K unless told otherwise, and steps end where powers change. Such a
run ends at --until, or once it is as close to the steady state as --to-steady
says; --every or --at choose the times that are written, which steps do not have
to meet. --periodic finds the state that repeating traces lead to, without
stepping all the way there, and shows one period of it. --until alone chooses
such steps too, where the stack file has no dt; so does nothing at all, to the
end of power traces whose intervals differ.

The first step begins at the ambient, at [transient] initial, or at what
--initial says: a temperature, the steady state of the stack's steady powers, or
a saved run's field, on any grid. DIR@TIME takes the step at that time.
--checkpoint keeps the state of a long run in --out, whenever it may be killed,
and --resume goes on from there with the same bits: docs/guides/transients.md.
With --policy blocks are throttled while they are too hot, in steps of one length;
docs/guides/serve.md has the table.

Tables go to stdout, the peak over time first. Into --out go trace.csv (time,
power, every block, region and probe, step by step) and what the steady command
writes: tables and maps of the last step, and the page with all steps. Maps of
the hottest that each cell becomes are drawn with --figures maxima.
Flags beat what the stack file says. A preconditioner takes settings, as in
--precond NAME:key=value,...; without --precond, uniform layers are
solved directly (fourier), others by multigrid, and where that stalls another
one takes over. With --ranks the grid is split over GPUs, processes or machines:
docs/guides/ranks.md.
` + exit.Help

const transientExample = `  thermsim transient examples/trace
  thermsim transient examples/trace --steps 20 --dt "10 ms" --initial "25 degC"
  thermsim transient examples/trace --initial steady
  thermsim transient examples/trace --initial thermsim-out --out next
  thermsim transient examples/trace --steps 100000 --checkpoint "10 min" --resume
  thermsim transient examples/quickstart            # the time step is chosen
  thermsim transient examples/trace --dt-tol 0.1 --until 1s --every "1 ms"
  thermsim transient examples/quickstart --to-steady "0.1 K"
  thermsim transient examples/trace --periodic --every "1 ms"
  thermsim transient examples/trace --model model/model.json   # see thermsim reduce
  thermsim transient examples/throttling --policy examples/throttling/policy.toml
  thermsim transient chip.toml --json --quiet | jq '.step_maxima[].max_K'`

type transientOptions struct {
	simulateOptions
	steps       int
	dt          float64
	initial     beginning
	follow      followOptions
	model       string
	policy      string
	checkpoints checkpointOptions
}

func newTransientCommand(g *session.Session) *cobra.Command {
	var o transientOptions
	var cmd *cobra.Command
	cmd = flags.TakeStack(&cobra.Command{
		Use:     "transient [STACK]",
		Short:   "Step the temperatures in time",
		Long:    transientHelp,
		Example: transientExample,
	}, &o.stack, func(ctx context.Context) error {
		if o.model != "" {
			return runReduced(ctx, g, cmd, &o)
		}
		o.checkpoints.given(cmd.Flags())
		o.ranks.Facts = timeFacts(cmd.Flags())
		return runTransient(ctx, g, o)
	})
	f := cmd.Flags()
	flags.Group(f, "Time", func() {
		flags.CountVar(f, &o.steps, "steps", "number of time steps (default to the end of power traces, or 50)")
		flags.Duration.Var(f, &o.dt, "dt", `time step, such as "1 ms"; a bare number is in s`)
		o.follow.addFlags(f)
		addInitial(f, &o.initial)
		f.StringVar(&o.model, "model", "", "step the reduced model in `FILE` with the stack's powers; no "+
			"grid, no fields")
		addPolicyFlag(f, &o.policy)
		o.checkpoints.addFlags(f)
	})
	o.addFlags(cmd)
	flags.Group(f, flags.GroupResults, func() { g.AddTimingsFlag(f) })
	return cmd
}

func runTransient(ctx context.Context, g *session.Session, o transientOptions) (err error) {
	if err := o.checkTimes(); err != nil {
		return err
	}
	ctx, t, err := newTeam(ctx, g, &o.simulateOptions)
	if err != nil {
		return err
	}
	if err := o.refuseOverRanks(t); err != nil {
		return err
	}
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	run, err := prepare(ctx, g, p, "transient", &o.simulateOptions, t)
	if err != nil {
		return err
	}
	defer func() { err = run.end(err) }()
	if err := run.control(o.policy); err != nil {
		return err
	}
	closeStart, err := run.startAt(&o)
	if err != nil {
		return err
	}
	defer closeStart()
	steps, solve, err := o.plan(ctx, g, run)
	if err != nil {
		return exit.NothingWritten(err)
	}
	if err := run.keep(&o); err != nil {
		return err
	}
	if t.reports() {
		if err := run.record(steps, stepLog{g, o.lines}); err != nil {
			return err
		}
	}
	p.Enter("stepping")
	stepped := g.Timings.Log.Begin("step, with opening the device")
	run.Solution, err = t.solve(run.solver, solve)
	stepped()
	if err != nil && !(errors.Is(err, context.Canceled) && run.Solution != nil && len(run.Solution.Steps) > 0) {
		return exit.NothingWritten(err)
	}
	stopped := err != nil
	if !t.reports() {
		return nil
	}
	if err := atOnce(run.Solution); err != nil {
		return err
	}
	saving, stop := session.Outlast(ctx)
	defer stop()
	s, err := run.finish(saving)
	if err != nil {
		return err
	}
	further := run.endCheckpoint(ctx)
	if ctx.Err() != nil || stopped {
		return exit.With(exit.Interrupted, fmt.Errorf("interrupted after %s; what was finished is in %s%s",
			finished(run.Solution, steps), o.out, further))
	}
	return strictVerdict(run.Run, s, &o.simulateOptions)
}

// finished tells how far an interrupted run got.
func finished(s *solution.Solution, steps int) string {
	if s.Stepping != nil {
		return fmt.Sprintf("%d steps, at t = %s", s.Stepping.Steps, terminal.Seconds(s.Steps[len(s.Steps)-1].Time))
	}
	return fmt.Sprintf("%d of %d steps", len(s.Steps), steps)
}

// plan settles how the run steps, and returns about how many times it will write.
func (o *transientOptions) plan(ctx context.Context, g *session.Session, run *simulation) (steps int,
	solve func(options gpusolve.Options, reports bool) (*solution.Solution, error), err error) {
	m := run.Mesh
	t := &m.Stack.Transient
	fileDt := t.Dt
	if o.applyTimes(m.Stack) {
		if o.policy != "" {
			return 0, nil, exit.Usagef("--policy needs steps of one length, at whose ends it is asked; give --dt, " +
				"and not --dt-tol, --until, --to-steady, --every, --at or --periodic")
		}
		if o.initial.kelvin > 0 {
			t.Initial = o.initial.kelvin
		}
		a, err := following(m, t, fileDt)
		if err != nil {
			return 0, nil, err
		}
		if err := run.team.resources().ConfirmAdaptive(m, t.Periodic); err != nil {
			return 0, nil, err
		}
		if steps = len(a.At) + 1; a.At == nil {
			steps = expectedTimes
		}
		return steps, func(options gpusolve.Options, reports bool) (*solution.Solution, error) {
			a := a
			if reports {
				a.OnStep, a.Regions, a.Initial = run.step, run.recording.Regions(), run.start
				if a.Checkpoints, err = run.checkpoints(); err != nil {
					return nil, err
				}
			}
			return o.project.follow(ctx, m, options, a, t, &o.initial)
		}, nil
	}
	plan, err := planSteps(ctx, g, m.Stack, o)
	if err == nil {
		plan.Dt, err = run.team.sameStep(plan.Dt)
	}
	return plan.Steps, func(options gpusolve.Options, reports bool) (*solution.Solution, error) {
		plan := plan
		if reports {
			plan.OnStep, plan.Regions, plan.Reads, plan.Initial = run.step, run.recording.Regions(),
				run.recording.Reads, run.start
			if plan.Checkpoints, err = run.checkpoints(); err != nil {
				return nil, err
			}
		}
		return o.project.transient(ctx, m, options, plan, &o.initial)
	}, err
}

// atOnce refuses a transient that runs away in its first step, of which there is nothing to write.
func atOnce(s *solution.Solution) error {
	if s.Status.Reason != solution.ReasonRunaway || len(s.Steps) > 0 {
		return nil
	}
	s.Close()
	return exit.With(exit.Runaway,
		fmt.Errorf("thermal runaway within the first time step of %s: the leakage grows faster than it can follow; "+
			"take a smaller --dt, less power or less leakage", terminal.Seconds(s.Dt)))
}
