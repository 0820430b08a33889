package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"thermsim/gpusolve"
	"thermsim/report"
)

const transientHelp = `Step the temperatures of a stack in time by backward Euler, under its power
traces and schedules.

The number of steps comes from --steps, else from [transient] steps, else it is
50. The time step comes from --dt, else from [transient] dt, else it is a
fiftieth of the stack's slowest time constant, which is then told on stderr.
Every step takes the exact mean of the powers over its length.

Tables go to stdout. Into --out go trace.csv (time, power, every block and
probe, step by step) and what the steady command writes: tables and maps of the
last step, and the page with all steps.
Flags beat what the stack file says.
` + exitHelp

const transientExample = `  thermsim transient examples/trace
  thermsim transient examples/trace --steps 20 --dt "10 ms" --initial "25 degC"
  thermsim transient examples/quickstart            # the time step is chosen
  thermsim transient chip.toml --json --quiet | jq '.step_maxima[].max_K'`

type transientOptions struct {
	simulateOptions
	steps   count
	dt      quantity
	initial quantity
}

func newTransientCommand(g *globals) *cobra.Command {
	o := transientOptions{simulateOptions: newSimulateOptions(), dt: duration(), initial: temperature()}
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
	cmd.Flags().SortFlags = false
	cmd.Flags().Var(&o.steps, "steps", "number of time steps (default 50)")
	cmd.Flags().Var(&o.dt, "dt", `time step, such as "1 ms"; a bare number is in s`)
	cmd.Flags().Var(&o.initial, "initial", `uniform temperature at the start, such as "40 degC" (default the ambient)`)
	o.addFlags(cmd)
	return cmd
}

func runTransient(ctx context.Context, g *globals, o transientOptions) error {
	p := startProgress(g.console, "preparing")
	defer p.stop()
	r, err := prepare(g, "transient", &o.simulateOptions)
	if err != nil {
		return err
	}
	plan, err := planSteps(ctx, g, r.Mesh.Stack, &o)
	if err != nil {
		return steadyInterrupted(err)
	}
	kept, err := o.outputs.settle(g, r.Mesh, o.out, plan.Steps)
	if err != nil {
		return err
	}
	if err := roomForSteps(r.Mesh, plan.Steps, kept, &o, availableMemory()); err != nil {
		return err
	}
	trace, err := report.NewTraceWriter(o.out, r.Mesh)
	if err != nil {
		return err
	}
	saved := false
	defer func() {
		if !saved {
			trace.Abort()
		}
	}()
	outputs, err := report.NewOutputs(r.Mesh, plan.Steps, kept)
	if err != nil {
		return err
	}
	defer outputs.Abort()
	peer, err := o.project.writer(r.Mesh, o.out, plan.Steps)
	if err != nil {
		return err
	}
	defer peer.Abort()
	var frames *report.FrameRecorder
	if o.pictures.wants("animation") {
		if frames, err = report.NewFrameRecorder(r.Mesh, o.pictures.frames); err != nil {
			return err
		}
	}
	if o.pictures.wants("traces") {
		trace.Keep()
	}
	solver := solverOptions(g, r.Mesh.Stack.Solver, p)
	history := o.pictures.history(&solver)
	p.enter("stepping")
	done := 0
	plan.OnStep = func(step gpusolve.Step, f gpusolve.Field) error {
		done++
		if err := outputs.Add(done, step.Time, f); err != nil {
			return err
		}
		if err := peer.Step(step.Time, f); err != nil {
			return err
		}
		g.detail("t = %s: %d iterations, hottest cell %.2f degC", seconds(step.Time), step.Iterations, celsius(step.MaxK))
		if o.json == jsonLines {
			if err := report.WriteJSONLine(g.stdout, "step", report.StepSummary{
				TimeS: step.Time, MaxK: step.MaxK, PowerW: step.PowerW, Iterations: step.Iterations, Converged: step.Converged,
			}); err != nil {
				return fmt.Errorf("cannot print a step: %w", err)
			}
		}
		if frames != nil {
			if err := frames.Add(step.Time, f); err != nil {
				return err
			}
		}
		return trace.Add(step, f)
	}
	r.Solution, err = o.project.transient(ctx, r.Mesh, solver, plan, o.initial.value > 0)
	defer r.Solution.Close()
	interrupted := errors.Is(err, context.Canceled)
	switch {
	case err != nil && !interrupted:
		return err
	case interrupted && len(r.Solution.Steps) == 0:
		return withStatus(exitInterrupted, errors.New("interrupted in the first step; nothing was written"))
	}
	logSolution(g, r)
	p.enter("drawing")
	saving, stop := outlast(ctx)
	defer stop()
	s, err := writeReport(saving, g, r, &o.simulateOptions, outputs, report.Options{Trace: trace.Kept(), History: *history, Frames: frames})
	if err != nil {
		return steadyInterrupted(err)
	}
	if err := trace.Commit(); err != nil {
		return err
	}
	saved = true
	told, err := report.OpenTrace(o.out)
	if err != nil {
		return fmt.Errorf("reading the trace back: %w", err)
	}
	defer told.Close()
	if _, err := outputs.Finish(saving, r, s, told, *history); err != nil {
		return steadyInterrupted(err)
	}
	if _, err := peer.Commit(); err != nil {
		return err
	}
	p.stop()
	if err := printSummary(g, r, s, &o.simulateOptions); err != nil {
		return err
	}
	if interrupted {
		return withStatus(exitInterrupted, fmt.Errorf("interrupted after %d of %d steps; what was finished is in %s", len(r.Solution.Steps), plan.Steps, o.out))
	}
	return verdict(r, s, o.tmax.value, o.out)
}
