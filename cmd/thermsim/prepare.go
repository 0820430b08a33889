package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/internal/machine"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/report"
	"thermsim/stack"
)

// stackPath is the file that a STACK argument stands for.
func stackPath(argument string) string {
	if argument == "" {
		return "stack.toml"
	}
	if info, err := os.Stat(argument); err == nil && info.IsDir() {
		return filepath.Join(argument, "stack.toml")
	}
	return argument
}

// buildMesh puts the stack on its grid, if the machine has the memory to solve it.
func buildMesh(g *globals, s *stack.Stack, on resources, transient bool) (*mesh.Mesh, time.Duration, error) {
	placed := g.timings.log.Begin("check the memory")
	note, err := on.place(s, transient)
	if placed(); err != nil {
		return nil, 0, err
	}
	if note != "" {
		g.detail("%s", note)
	}
	start := time.Now()
	m, err := mesh.Build(s)
	if err != nil {
		return nil, 0, withStatus(exitInput, err)
	}
	spent := time.Since(start)
	g.timings.log.Add("mesh", start, spent)
	if err := on.confirm(m, transient); err != nil {
		return nil, 0, err
	}
	machine.CollectWithin(on.memory)
	g.detail("meshed %d x %d x %d = %d cells, %d materials of cells, in %s",
		m.NX(), m.NY(), m.NZ(), m.Cells(), len(m.Palette), seconds(spent.Seconds()))
	return m, spent, nil
}

// prepare does everything that can fail because of the input before anything is solved, and takes the output folder.
// Ranks of the run meet in it.
func prepare(ctx context.Context, g *globals, p *progress, command string, o *simulateOptions, t *team) (*simulation,
	error) {
	s, parse, err := o.input(ctx, g, command, t)
	if err = t.meet(ctx, &o.ranks, o.facts(command, t, s), err); err != nil {
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
func (o *simulateOptions) input(ctx context.Context, g *globals, command string, t *team) (*stack.Stack, time.Duration,
	error) {
	if err := o.check(); err != nil {
		return nil, 0, err
	}
	if _, err := os.Stat(o.stack); err != nil && o.stack == "lines" && bool(o.json) {
		return nil, 0, usagef("--json takes no value; say --json-lines for a line per step")
	}
	o.project.inTime = command == "transient"
	parsed := g.timings.log.Begin("stack")
	s, parse, err := loadInput(g, o.stack, o.grid, &o.project)
	if parsed(); err != nil {
		return nil, 0, err
	}
	if _, err := chooseGrid(ctx, g, s); err != nil {
		return nil, 0, steadyInterrupted(err)
	}
	o.apply(s)
	o.project.printed(&s.Solver)
	if err := t.place(s, o); err != nil {
		return nil, 0, err
	}
	if err := report.CheckMaps(s, s.Output.Maps); err != nil {
		return nil, 0, withStatus(exitInput, err)
	}
	if err := o.pictures.check(s, command == "transient"); err != nil {
		return nil, 0, err
	}
	return s, parse, o.outputs.check(s, command == "transient")
}

// build takes the output folder, where this process writes, and makes the mesh.
func (r *simulation) build(s *stack.Stack, parse time.Duration, command string) error {
	var err error
	if r.team.reports() {
		r.files, err = begin(r.g, r.o.out,
			staging.Options{Set: report.RunFiles, Command: command, Shows: shown(s, &r.o.project),
				Replaces: []string{checkFiles}})
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
	limit := plausibility.OfLimit(s, r.o.tmax.value)
	if err := r.o.strict.refuse(append(plausibility.Of(m), limit...), ""); err != nil {
		return err
	}
	r.Run = &report.Run{Command: command, Version: versionText(), Mesh: m, Warnings: limit, Parse: parse, Build: build,
		Start: r.g.start, Timeline: r.g.timings.log}
	r.solver = options
	return nil
}
