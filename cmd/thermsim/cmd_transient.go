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

const transientHelp = `Solve for the temperatures of a stack over time, with its power traces and schedules.

Fixed time steps use backward Euler, adaptive ones TR-BDF2. Tables go to stdout, the
peak over time first. --out receives trace.csv (time, power, every block, region and
probe, step by step) and, for the last step, the files that 'thermsim steady' writes.

The number of fixed time steps is --steps, else [transient] steps, else as many as
are needed to reach the end of the power traces, else 50. The time step is --dt, else
[transient] dt, else the interval of the power traces, else 1/50 of the slowest time
constant of the stack; the value is then printed on stderr. Every step uses the exact
mean of the powers over its length.

Adaptive time steps: --dt-tol is the allowed error per step (default 0.01 K), and
steps end where powers change. The run ends at --until, or when it is within
--to-steady of the steady state; --every or --at choose the output times,
independent of the steps. --periodic finds the periodic state under repeating traces
directly, and shows one period of it. Steps are also adaptive with --until alone if
the stack file has no dt, and without any flags for power traces of unequal
intervals.

The initial state is the ambient temperature, [transient] initial, or --initial: a
temperature, the steady-state solution for the stack's constant powers, or the field
of a saved run, on any grid. DIR@TIME takes the step at that time. --checkpoint saves the state
of a long run in --out at intervals, and --resume continues from there with
bit-identical results; see docs/guides/transients.md. With --policy, blocks are
throttled while they are too hot, with fixed time steps; docs/guides/serve.md has
the table.

report.html shows all steps. --figures maxima plots each cell's maximum over time.
Flags override the stack file. --precond NAME:key=value sets an option of a
preconditioner. By default, a stack of uniform layers is solved directly (fourier),
and any other with multigrid; if multigrid stalls, another preconditioner takes over.
--ranks splits the grid over GPUs, processes or machines; see docs/guides/ranks.md.
`

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
	initial     initialState
	adaptive    adaptiveOptions
	model       modelSource
	policy      string
	checkpoints checkpointOptions
}

func newTransientCommand(g *session.Session) *cobra.Command {
	var o transientOptions
	var cmd *cobra.Command
	cmd = flags.TakeStack(&cobra.Command{
		Use:         "transient [STACK]",
		Short:       "Solve for temperatures over time",
		Long:        transientHelp,
		Example:     transientExample,
		Annotations: exit.OfRuns,
	}, &o.stack, func(ctx context.Context) error {
		if err := o.model.check(); err != nil {
			return err
		}
		if o.model.file != "" {
			return runReduced(ctx, g, cmd, &o)
		}
		o.checkpoints.given(cmd.Flags())
		o.ranks.Facts = timeFacts(cmd.Flags())
		return runTransient(ctx, g, o)
	})
	f := cmd.Flags()
	flags.Group(f, "Time", func() {
		flags.CountVar(f, &o.steps, "steps", "number of time steps (default: until the power traces end, or 50)")
		flags.Duration.Var(f, &o.dt, "dt", `time step, such as "1 ms"; a bare number is in s`)
		o.adaptive.addFlags(f)
		addInitial(f, &o.initial)
		o.model.add(f)
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
	run.StartK = o.startK(run)
	if err := run.keep(&o); err != nil {
		return err
	}
	if t.reports() {
		if err := run.record(steps, stepLog{g, o.lines}); err != nil {
			return err
		}
	}
	p.Enter("stepping")
	stepped := g.Timings.Log.Begin("step, including device initialization")
	run.Solution, err = t.solve(run.solver, solve)
	stepped()
	if err != nil && !(errors.Is(err, context.Canceled) && run.Solution != nil && len(run.Solution.Steps) > 0) {
		return exit.NothingWritten(err)
	}
	stopped := err != nil
	if !t.reports() {
		return nil
	}
	if err := firstStepRunaway(run.Solution); err != nil {
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
		return exit.With(exit.Interrupted, fmt.Errorf("interrupted after %s; finished steps are in %s%s",
			finished(run.Solution, steps), o.out, further))
	}
	return strictVerdict(run.Run, s, &o.simulateOptions)
}

// startK is the uniform temperature at the start, or 0 where a field is, or the periodic state.
func (o *transientOptions) startK(run *simulation) float64 {
	t, result := &run.Mesh.Stack.Transient, o.project.result
	field := run.start != nil || o.initial.steady || result != nil && result.Initial != nil && o.initial.kelvin == 0
	if field || t.Periodic {
		return 0
	}
	return t.Initial
}

// finished is the progress of an interrupted run.
func finished(s *solution.Solution, steps int) string {
	if s.Stepping != nil {
		return fmt.Sprintf("%d steps, at t = %s", s.Stepping.Steps, terminal.Seconds(s.Steps[len(s.Steps)-1].Time))
	}
	return fmt.Sprintf("%d of %d steps", len(s.Steps), steps)
}

// plan chooses the time steps, and returns the expected number of output times.
func (o *transientOptions) plan(ctx context.Context, g *session.Session, run *simulation) (steps int,
	solve func(options gpusolve.Options, reports bool) (*solution.Solution, error), err error) {
	m := run.Mesh
	t := &m.Stack.Transient
	fileDt := t.Dt
	if o.applyTimes(m.Stack) {
		if o.policy != "" {
			return 0, nil, exit.Usagef("--policy requires fixed time steps. Fix: give --dt, and omit " +
				"--dt-tol, --until, --to-steady, --every, --at and --periodic")
		}
		if o.initial.kelvin > 0 {
			t.Initial = o.initial.kelvin
		}
		a, err := planAdaptive(m, t, fileDt)
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
			return o.project.adaptive(ctx, m, options, a, t, &o.initial)
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

// firstStepRunaway is the error of a transient with a runaway in its first step, which has nothing to write.
func firstStepRunaway(s *solution.Solution) error {
	if s.Status.Reason != solution.ReasonRunaway || len(s.Steps) > 0 {
		return nil
	}
	s.Close()
	return exit.With(exit.Runaway,
		fmt.Errorf("thermal runaway within the first time step of %s: the leakage grows too fast for this step. "+
			"Fix: use a smaller --dt, less power or less leakage", terminal.Seconds(s.Dt)))
}
