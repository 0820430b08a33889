package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
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

// ownFile is the path of a stack file, which is not a project of another simulator.
func ownFile(path string) (string, error) {
	if path = session.StackPath(path); flags.FormatOf(path) != nil {
		return "", exit.Usagef("%s is a project of another simulator; make a stack file of it with 'thermsim import'",
			path)
	}
	return path, nil
}

// startOf is the number under a key, moved into a range with a warning; the middle of the range if the file has none.
func (o *study) startOf(g *session.Session, open stackfile.Opener, path, key, unit string, r stackfile.Range) float64 {
	if text, err := stackfile.ValueOf(open, path, key, o.set...); err == nil {
		if x, ok := stackfile.ConvertQuantity(text, unit); ok {
			start := min(r.High, max(r.Low, x))
			if start != x {
				g.Note("warning: %s: got %.6g in the stack file; expected %g to %g, and starting from %g. "+
					"Fix: a range that contains the value", key, x, r.Low, r.High, start)
			}
			return start
		}
	}
	return r.At(0.5)
}

// variant is the stack with other values, on the grid of base if that was chosen or given.
func (o *study) variant(open stackfile.Opener, path string, base *stack.Stack, set []stackfile.Override) (
	*stack.Stack, error) {
	s, err := stackfile.LoadWith(open, path, set...)
	if err != nil {
		return nil, err
	}
	for l := range min(len(s.Layers), len(base.Layers)) {
		s.Layers[l].Cells = base.Layers[l].Cells
	}
	if s.Solver = base.Solver; s.Grid.Auto != nil || o.grid.Given() {
		s.Grid = base.Grid
	}
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
