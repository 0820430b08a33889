package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/plausibility"
	"thermsim/report"
	"thermsim/stack"
	"thermsim/staging"
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
func buildMesh(g *globals, s *stack.Stack, on machine, transient bool) (*mesh.Mesh, time.Duration, error) {
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
	collectWithin(on.memory)
	g.detail("meshed %d x %d x %d = %d cells, %d materials of cells, in %s",
		m.NX(), m.NY(), m.NZ(), m.Cells(), len(m.Palette), seconds(spent.Seconds()))
	return m, spent, nil
}

// prepare does everything that can fail because of the input before anything is solved, and takes the output folder.
func prepare(ctx context.Context, g *globals, p *progress, command string, o *simulateOptions) (*simulation, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(o.stack); err != nil && o.stack == "lines" && bool(o.json) {
		return nil, usagef("--json takes no value; say --json-lines for a line per step")
	}
	o.project.inTime = command == "transient"
	parsed := g.timings.log.Begin("stack")
	s, parse, err := loadInput(g, o.stack, o.grid, &o.project)
	if parsed(); err != nil {
		return nil, err
	}
	if _, err := chooseGrid(ctx, g, s); err != nil {
		return nil, steadyInterrupted(err)
	}
	o.apply(s)
	o.project.printed(&s.Solver)
	if err := report.CheckMaps(s, s.Output.Maps); err != nil {
		return nil, withStatus(exitInput, err)
	}
	if err := o.pictures.check(s, command == "transient"); err != nil {
		return nil, err
	}
	if err := o.outputs.check(s, command == "transient"); err != nil {
		return nil, err
	}
	ahead := gpusolve.OpenAhead(s, solverOptions(g, s.Solver, p))
	run, err := o.meshed(g, s, command)
	if err != nil {
		go ahead.Close()
		return nil, err
	}
	run.Parse, run.progress, run.ahead = parse, p, ahead
	return run, nil
}

// meshed takes the output folder and meshes a stack.
func (o *simulateOptions) meshed(g *globals, s *stack.Stack, command string) (_ *simulation, err error) {
	files, err := begin(g, o.out, staging.Options{Set: report.RunFiles, Command: command, Shows: shown(s, &o.project), Replaces: []string{checkFiles}})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			files.Abort()
		}
	}()
	m, build, err := buildMesh(g, s, thisMachine(), command == "transient")
	if err != nil {
		return nil, err
	}
	limit := plausibility.OfLimit(s, o.tmax.value)
	if err := o.strict.refuse(append(plausibility.Of(m), limit...), ""); err != nil {
		return nil, err
	}
	r := &report.Run{Command: command, Version: versionText(), Mesh: m, Warnings: limit, Build: build, Start: g.start, Timeline: g.timings.log}
	return &simulation{Run: r, g: g, o: o, files: files}, nil
}
