package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"thermsim/report"
)

const steadyHelp = `Solve for the steady temperatures of a stack under its constant powers, or the
means of its traces.

Tables go to stdout. Into --out go report.html, an interactive page; run.zip,
from which 'thermsim render' makes everything again without solving (unless the
field is large, see --save); summary.json, layers.csv, blocks.csv, and
map_<layer>.png and .csv of every layer with power and of those in --maps; each
file is complete or absent. Flags beat what the stack file says.
` + exitHelp

const steadyExample = `  thermsim steady                                  # ./stack.toml into ./thermsim-out
  thermsim steady examples/quickstart --grid 128x128
  thermsim steady examples/mol10-ev6 --maps all --out ev6
  thermsim steady chip.toml --files vtr,npz        # the whole field for other tools
  thermsim steady chip.toml --tmax "105 degC" --quiet && echo cool enough
  thermsim steady chip.toml --json | jq .temperature.max_K`

func newSteadyCommand(g *globals) *cobra.Command {
	o := newSimulateOptions()
	cmd := &cobra.Command{
		Use:               "steady [STACK]",
		Short:             "Solve for the steady temperatures",
		Long:              steadyHelp,
		Example:           steadyExample,
		Args:              stackArgument,
		ValidArgsFunction: completeStack,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.stack = firstArgument(args)
			return runSteady(cmd.Context(), g, o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func runSteady(ctx context.Context, g *globals, o simulateOptions) error {
	p := startProgress(g.console, "preparing")
	defer p.stop()
	r, err := prepare(g, "steady", &o)
	if err != nil {
		return err
	}
	kept, err := o.outputs.settle(g, r.Mesh, o.out, 0)
	if err != nil {
		return err
	}
	p.enter("solving")
	solver := solverOptions(g, r.Mesh.Stack.Solver, p)
	history := o.pictures.history(&solver)
	r.Solution, err = o.project.steady(ctx, r.Mesh, solver)
	defer r.Solution.Close()
	if err != nil {
		return steadyInterrupted(err)
	}
	logSolution(g, r)
	p.enter("drawing")
	outputs, err := report.NewOutputs(r.Mesh, 0, kept)
	if err != nil {
		return err
	}
	defer outputs.Abort()
	s, err := writeReport(ctx, g, r, &o, outputs, report.Options{History: *history})
	if err != nil {
		return steadyInterrupted(err)
	}
	if _, err := outputs.Finish(ctx, r, s, nil, *history); err != nil {
		return steadyInterrupted(err)
	}
	if err := o.project.writeSteady(r, o.out); err != nil {
		return err
	}
	p.stop()
	if err := printSummary(g, r, s, &o); err != nil {
		return err
	}
	return verdict(r, s, o.tmax.value, o.out)
}

// steadyInterrupted says what became of a run that the user ended.
func steadyInterrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return withStatus(exitInterrupted, errors.New("interrupted; nothing was written"))
	}
	return err
}
