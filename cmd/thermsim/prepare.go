package main

import (
	"context"
	"os"
	"slices"
	"time"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/internal/machine"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/report"
	"thermsim/report/quantity"
	"thermsim/stack"
	"thermsim/study/autogrid"
)

// buildMesh puts the stack on its grid, if the machine has the memory to solve it.
func buildMesh(g *session.Session, s *stack.Stack, on capacity.Resources, transient bool) (*mesh.Mesh, time.Duration,
	error) {
	placed := g.Timings.Log.Begin("check the memory")
	note, err := on.Place(s, transient)
	if placed(); err != nil {
		return nil, 0, err
	}
	if note != "" {
		g.Detail("%s", note)
	}
	start := time.Now()
	m, err := mesh.Build(s)
	if err != nil {
		return nil, 0, exit.With(exit.Input, err)
	}
	spent := time.Since(start)
	g.Timings.Log.Add("mesh", start, spent)
	if err := on.Confirm(m, transient); err != nil {
		return nil, 0, err
	}
	machine.CollectWithin(on.Memory)
	g.Detail("meshed %d x %d x %d = %s cells, %d materials of cells, in %s",
		m.NX(), m.NY(), m.NZ(), quantity.Count(m.Cells()), len(m.Palette), terminal.Seconds(spent.Seconds()))
	return m, spent, nil
}

// prepare does everything that can fail because of the input before anything is solved, and takes the output folder.
// Ranks of the run meet in it.
func prepare(ctx context.Context, g *session.Session, p *terminal.Progress, command string, o *simulateOptions,
	t *team) (*simulation, error) {
	s, parse, err := o.input(ctx, g, command, t)
	if err = t.meet(ctx, o.facts(command, t, s), err); err != nil {
		return nil, err
	}
	r := &simulation{g: g, o: o, progress: p, team: t}
	if err := t.spread(s, &o.device, device.List); err != nil {
		return nil, r.end(err)
	}
	if err := r.build(s, parse, command); err != nil {
		return nil, r.end(err)
	}
	return r, nil
}

// input reads the stack, and checks what is asked for against it.
func (o *simulateOptions) input(ctx context.Context, g *session.Session, command string, t *team) (*stack.Stack,
	time.Duration, error) {
	if err := o.check(); err != nil {
		return nil, 0, err
	}
	if _, err := os.Stat(o.stack); err != nil && o.stack == "lines" && bool(o.json) {
		return nil, 0, exit.Usagef("--json takes no value; say --json-lines for a line per step")
	}
	o.project.inTime = command == "transient"
	parsed := g.Timings.Log.Begin("stack")
	s, parse, err := loadInput(g, o.stack, o.grid, &o.project)
	if parsed(); err != nil {
		return nil, 0, err
	}
	read, err := o.measured.Apply(o.project.opener(), s)
	if err != nil {
		return nil, 0, err
	}
	g.Inputs = append(g.Inputs, read...)
	if s.PowerGrid != nil && !t.alone() {
		return nil, 0, exit.Usagef("a stack with a power grid is solved on one device; omit --ranks, and name one GPU")
	}
	if err := o.project.heatByGrid(ctx, s); err != nil {
		return nil, 0, err
	}
	choice, err := chooseGrid(ctx, g, s)
	if err != nil {
		return nil, 0, err
	}
	noteAccuracy(g, choice)
	o.apply(s)
	o.project.printed(&s.Solver)
	if err := t.place(s, o); err != nil {
		return nil, 0, err
	}
	if err := report.CheckMaps(s, s.Output.Maps); err != nil {
		return nil, 0, exit.With(exit.Input, err)
	}
	if err := o.pictures.Check(s, command == "transient"); err != nil {
		return nil, 0, err
	}
	o.outputs.Apply(s)
	return s, parse, o.outputs.Check(s, command == "transient")
}

// build takes the output folder, where this process writes, and makes the mesh.
func (r *simulation) build(s *stack.Stack, parse time.Duration, command string) error {
	var err error
	if r.team.reports() {
		r.files, err = r.g.Begin(r.o.out,
			staging.Options{Set: report.RunFiles, Command: command, Shows: r.o.project.shown(s),
				Replaces: []string{session.CheckFiles}})
		if err != nil {
			return err
		}
	}
	options := solverOptions(r.g, s.Solver, r.progress)
	if r.team.alone() {
		r.ahead = gpusolve.OpenAhead(s, options)
		options.Ahead = r.ahead
	}
	m, build, err := buildMesh(r.g, s, r.team.resources(), command == "transient")
	if err != nil {
		return err
	}
	limit := plausibility.OfLimit(s, r.o.tmax)
	before := slices.Concat(plausibility.Of(m), limit, r.o.project.gridWarnings())
	if err := r.o.strict.Refuse(before, ""); err != nil {
		return err
	}
	r.Run = &report.Run{Command: command, Version: versionText(), Mesh: m, Warnings: limit, Parse: parse, Build: build,
		Start: r.g.Start, Timeline: r.g.Timings.Log}
	r.solver = options
	return nil
}

// chooseGrid puts a stack whose grid is to be chosen on one; the choice is nil where the stack has a grid.
func chooseGrid(ctx context.Context, g *session.Session, s *stack.Stack) (*autogrid.Choice, error) {
	if s.Grid.Auto == nil {
		return nil, nil
	}
	if s.Cooled() {
		return nil, exit.Usagef("--grid auto: a grid cannot be chosen where coolant flows; give NXxNY, or leave " +
			"--grid out")
	}
	c, err := autogrid.Choose(ctx, s)
	if err != nil {
		return nil, exit.NothingWritten(err)
	}
	if c.Piloted {
		c.Stack.Grid.ErrorK = c.Lateral + c.Height
	}
	s.Grid, s.Layers = c.Stack.Grid, c.Stack.Layers
	for _, line := range c.Reasons() {
		g.Detail("grid: %s", line)
	}
	if doubt := c.Doubt(); doubt != "" {
		g.Note("grid: %s", doubt)
	}
	return c, nil
}

// noteAccuracy prints the estimated error of a chosen grid, unless it was already printed.
func noteAccuracy(g *session.Session, c *autogrid.Choice) {
	if c != nil && c.Piloted && c.Needed == 0 && !g.Verbose {
		g.Note("grid: %s", c.Accuracy())
	}
}
