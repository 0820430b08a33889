package main

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"sort"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/room"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/fields"
	"thermsim/internal/staging"
	"thermsim/interop/serve/threedice"
	project3dice "thermsim/interop/threedice"
	"thermsim/mesh"
)

// prepare loads and meshes what is served.
func (o *serveOptions) prepare(ctx context.Context, g *session.Session) (*mesh.Mesh, error) {
	o.project.inTime, o.project.served = true, o.protocol == protocol3DICE
	path := session.StackPath(o.stack)
	if o.protocol == protocol3DICE {
		if f := flags.FormatOf(path); f == nil || f.Name() != (project3dice.Format{}).Name() {
			return nil, exit.Usagef("--protocol %s serves projects of 3D-ICE, and %s is none: give a .stk file",
				protocol3DICE, path)
		}
	}
	s, _, err := loadInput(g, o.stack, o.grid, &o.project)
	if err != nil {
		return nil, err
	}
	if o.project.network() != nil {
		return nil, exit.Usagef("--compat: this project is solved as a network of nodes with it, which serve does " +
			"not step; leave --compat away")
	}
	if o.protocol == protocol3DICE && !o.project.result.Transient {
		return nil, exit.Usagef("%s is a steady project; 3D-ICE's server steps transients: say transient in its "+
			"solver section", path)
	}
	if _, err := chooseGrid(ctx, g, s); err != nil {
		return nil, err
	}
	o.apply(s)
	if o.initial.kelvin > 0 {
		s.Transient.Initial = o.initial.kelvin
	}
	m, _, err := buildMesh(g, s, room.ThisMachine(), true)
	return m, err
}

// open opens the session at its initial field, which is nil for a uniform one.
func (o *serveOptions) open(ctx context.Context, g *session.Session, m *mesh.Mesh,
	p *terminal.Progress) (*gpusolve.Session, gpusolve.Field, error) {
	dt, err := o.timeStep(ctx, g, m)
	if err != nil {
		return nil, nil, err
	}
	solver := solverOptions(g, m.Stack.Solver, p)
	start, err := o.start(ctx, g, m, solver)
	if err != nil {
		return nil, nil, err
	}
	solver.Progress = nil
	served, err := gpusolve.OpenSession(m, solver, dt, start)
	return served, start, err
}

// timeStep is that of --dt or of the stack, or a part of its slowest time constant.
func (o *serveOptions) timeStep(ctx context.Context, g *session.Session, m *mesh.Mesh) (float64, error) {
	switch {
	case o.dt > 0:
		return o.dt, nil
	case m.Stack.Transient.Dt > 0:
		return m.Stack.Transient.Dt, nil
	}
	return chosenStep(ctx, g, m.Stack)
}

// start is the field that the session starts from, on the host.
func (o *serveOptions) start(ctx context.Context, g *session.Session, m *mesh.Mesh,
	solver gpusolve.Options) (gpusolve.Field, error) {
	if o.initial.run != "" {
		return o.savedStart(g, m)
	}
	field, done, err := o.project.startField(ctx, m, solver, nil, &o.initial)
	if err != nil || field == nil {
		return nil, err
	}
	defer done()
	return fields.Hold(m, field)
}

// savedStart is the field of a saved run.
func (o *serveOptions) savedStart(g *session.Session, m *mesh.Mesh) (gpusolve.Field, error) {
	field, run, doubts, err := o.initial.startField(m)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	for _, d := range doubts {
		g.Note("%s", d)
	}
	return fields.Hold(m, field)
}

// serve3DICE speaks the protocol of 3D-ICE.
func (o *serveOptions) serve3DICE(ctx context.Context, g *session.Session, served *gpusolve.Session,
	l net.Listener) error {
	outputs, ok := o.project.result.Outputs.(*project3dice.Outputs)
	if !ok {
		return exit.Usagef("%s asks for no outputs of 3D-ICE", o.stack)
	}
	if err := o.roomForPrinted(g, outputs); err != nil {
		return err
	}
	say := func(text string) { g.Note("%s", text) }
	server, err := threedice.New(outputs, served, say)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	idle, patience := o.times()
	host := threedice.Host(l, server, threedice.HostOptions{Idle: idle, Patience: patience, Keep: o.keep, Say: say})
	if err := host.Run(ctx); err != nil {
		return err
	}
	return o.writePrinted(ctx, g, server.Printed())
}

// printedFiles is the set of files that clients of 3D-ICE's protocol had printed.
var printedFiles = staging.Options{Set: "serve", Command: "serve"}

// roomForPrinted makes sure that the files have their names free in the end.
func (o *serveOptions) roomForPrinted(g *session.Session, outputs *project3dice.Outputs) error {
	options := printedFiles
	options.Force, options.Inputs, options.Outputs = g.Force, g.Inputs,
		[]string{"xaxis.txt", "yaxis.txt", "xyaxis_*.txt"}
	for _, ins := range outputs.Instructions {
		name := filepath.FromSlash(ins.File)
		if !filepath.IsLocal(name) {
			name = filepath.Base(name)
		}
		options.Outputs = append(options.Outputs, filepath.ToSlash(filepath.Clean(name)))
	}
	if err := staging.Check(o.out, options); err != nil {
		return exit.With(exit.Input, err)
	}
	return nil
}

// writePrinted writes the files that a client had printed.
func (o *serveOptions) writePrinted(ctx context.Context, g *session.Session, texts map[string][]byte) error {
	if len(texts) == 0 {
		return nil
	}
	var files []staging.File
	for name, text := range texts {
		files = append(files, staging.File{Name: name, Write: func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}})
	}
	sort.Slice(files, func(a, b int) bool { return files[a].Name < files[b].Name })
	_, err := g.WriteFiles(ctx, o.out, printedFiles, files...)
	return exit.NothingWritten(err)
}
