package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/stack"
)

// study are the arguments and flags of the commands that solve a stack for something else than its temperatures.
type study struct {
	stack, out string
	grid       flags.Grid
	device     string
	precond    string
	json       bool
	project
}

// addStack offers the flags about the stack and its solution.
func (o *study) addStack(cmd *cobra.Command) {
	flags.AddGrid(cmd, &o.grid)
	flags.AddDevice(cmd, &o.device, flags.DeviceUsage)
	flags.AddPrecond(cmd, &o.precond)
	o.set.Add(cmd.Flags())
	o.addOptions(cmd.Flags(), flags.Formats()...)
}

// load reads the stack, unless check refuses it, and puts it on its grid.
func (o *study) load(ctx context.Context, g *session.Session, check func(*stack.Stack) error) (*stack.Stack, error) {
	s, _, err := loadInput(g, o.stack, o.grid, &o.project)
	if err != nil {
		return nil, err
	}
	if check != nil {
		if err := check(s); err != nil {
			return nil, err
		}
	}
	choice, err := chooseGrid(ctx, g, s)
	if err != nil {
		return nil, err
	}
	noteAccuracy(g, choice)
	flags.Choose(&s.Solver, o.device, o.precond)
	return s, nil
}

// begin takes the folder for the files of a command.
func (o *study) begin(g *session.Session, command string, s *stack.Stack) (*staging.Transaction, error) {
	return g.Begin(o.out, staging.Options{Set: command, Command: command, Shows: o.shown(s)})
}

// show prints what was found: as JSON, as tables, or with --quiet not at all.
func (o *study) show(g *session.Session, asJSON func(io.Writer) error, tables func(*terminal.Console) error) error {
	switch {
	case o.json:
		return asJSON(g.Stdout)
	case g.Quiet:
		return nil
	}
	return tables(g.Console)
}

// mesher puts stacks on their grids, as far as this machine has the memory to solve them.
func mesher(g *session.Session, transient bool) func(*stack.Stack) (*mesh.Mesh, error) {
	on := capacity.ThisMachine()
	return func(s *stack.Stack) (*mesh.Mesh, error) {
		m, _, err := buildMesh(g, s, on, transient)
		return m, err
	}
}

// quietOptions are the options of a solve that is one of many.
func quietOptions(g *session.Session, v stack.Solver) gpusolve.Options {
	o := solverOptions(g, v, new(terminal.Progress))
	o.Progress = nil
	return o
}

// sorted are the numbers from 0 to n-1 in the order that compare gives them, the later ones last among equals.
func sorted(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}
