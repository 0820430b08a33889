package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"thermsim/gpusolve/solution"
)

const transientHelp = `Step the temperatures of a stack in time by backward Euler, under its power
traces and schedules.

The number of steps comes from --steps, else from [transient] steps, else it is
50. The time step comes from --dt, else from [transient] dt, else it is a
fiftieth of the stack's slowest time constant, which is then told on stderr.
Every step takes the exact mean of the powers over its length. The first one
begins at the ambient, at [transient] initial, or at what --initial says: a
temperature, or the steady state of the stack's steady powers. With --policy
blocks are throttled while they are too hot; docs/serve.md has the table.

Tables go to stdout, the peak over time first. Into --out go trace.csv (time,
power, every block, region and probe, step by step) and what the steady command
writes: tables and maps of the last step, and the page with all steps. Maps of
the hottest that each cell becomes are drawn with --figures maxima.
Flags beat what the stack file says. A preconditioner takes settings, as in
--precond NAME:key=value,...; without --precond, uniform layers are
solved directly (fourier), others by multigrid, and where that stalls another
one takes over.
` + exitHelp

const transientExample = `  thermsim transient examples/trace
  thermsim transient examples/trace --steps 20 --dt "10 ms" --initial "25 degC"
  thermsim transient examples/trace --initial steady
  thermsim transient examples/quickstart            # the time step is chosen
  thermsim transient examples/throttling --policy examples/throttling/policy.toml
  thermsim transient chip.toml --json --quiet | jq '.step_maxima[].max_K'`

type transientOptions struct {
	simulateOptions
	steps   count
	dt      quantity
	initial beginning
	policy  string
}

func newTransientCommand(g *globals) *cobra.Command {
	o := transientOptions{simulateOptions: newSimulateOptions(), dt: duration(), initial: beginning{quantity: temperature()}}
	cmd := &cobra.Command{
		Use:               "transient [STACK]",
		Short:             "Step the temperatures in time",
		Long:              transientHelp,
		Example:           transientExample,
		Args:              stackArgument,
		ValidArgsFunction: completeStack,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.stack = firstArgument(args)
			return runTransient(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	group(f, "Time", func() {
		f.Var(&o.steps, "steps", "number of time steps (default 50)")
		f.Var(&o.dt, "dt", `time step, such as "1 ms"; a bare number is in s`)
		f.Var(&o.initial, "initial", "temperature at the start, or steady for the steady state (default ambient)")
		addPolicyFlag(f, &o.policy)
	})
	o.addFlags(cmd)
	return cmd
}

func runTransient(ctx context.Context, g *globals, o transientOptions) error {
	p := startProgress(g.console, "preparing")
	defer p.stop()
	run, err := prepare(ctx, g, p, "transient", &o.simulateOptions)
	if err != nil {
		return err
	}
	defer run.end()
	if err := run.control(o.policy); err != nil {
		return err
	}
	plan, err := planSteps(ctx, g, run.Mesh.Stack, &o)
	if err != nil {
		return steadyInterrupted(err)
	}
	if err := run.record(plan.Steps, stepLog{g, o.lines}); err != nil {
		return err
	}
	plan.OnStep, plan.Regions, plan.Reads = run.step, run.recording.Regions(), run.recording.Reads
	p.enter("stepping")
	run.Solution, err = o.project.transient(ctx, run.Mesh, run.solver, plan, &o.initial)
	if err != nil && !(errors.Is(err, context.Canceled) && run.Solution != nil && len(run.Solution.Steps) > 0) {
		return steadyInterrupted(err)
	}
	if err := atOnce(run.Solution); err != nil {
		return err
	}
	saving, stop := outlast(ctx)
	defer stop()
	s, err := run.finish(saving)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return withStatus(exitInterrupted, fmt.Errorf("interrupted after %d of %d steps; what was finished is in %s", len(run.Solution.Steps), plan.Steps, o.out))
	}
	return strictVerdict(run.Run, s, &o.simulateOptions)
}

// atOnce refuses a transient that runs away in its first step, of which there is nothing to write.
func atOnce(s *solution.Solution) error {
	if s.Status.Reason != solution.ReasonRunaway || len(s.Steps) > 0 {
		return nil
	}
	s.Close()
	return withStatus(exitRunaway, fmt.Errorf("thermal runaway within the first time step of %s: the leakage grows faster than it can follow; take a smaller --dt, less power or less leakage", seconds(s.Dt)))
}
