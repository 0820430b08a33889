package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/solution"
	"thermsim/internal/inputfile"
	"thermsim/internal/staging"
	"thermsim/interop/export"
	"thermsim/interop/importer"
	"thermsim/interop/network"
	"thermsim/interop/network/netsolve"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/electrothermal"
)

// project is how another simulator's project is run: the flags, and what was imported.
type project struct {
	compat   bool
	format   string // of further outputs, "" for none
	decimals *int
	named    map[string]*string // options of the formats, by name
	set      flags.Set          // of a stack file of thermsim's own
	inTime   bool               // a transient is run
	served   bool               // powers come from a client

	watched *session.Watched // notes what is read; nil without --watch

	result *importer.Result     // nil where the stack is thermsim's own
	grid   *electrothermal.Grid // power grid of the stack; nil without one
}

// addFlags offers the flags of projects. Options that two formats share are offered once.
func (p *project) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	flags.Group(f, flags.GroupSolver, func() { p.set.Add(f) })
	flags.Group(f, flags.GroupProjects, func() {
		f.BoolVar(&p.compat, "compat", false, "reproduce the results of the project's simulator")
		f.StringVar(&p.format, "format", "", "also write the files that the project requests, "+
			"as `FORMAT`: "+flags.FormatNames(true))
		flags.PlacesVar(f, &p.decimals, "decimals",
			"number of decimals in those files (default that of the simulator)")
	})
	p.addOptions(f, flags.Formats()...)
	flags.Complete(cmd, "format", strings.Split(flags.FormatNames(true), ", "))
}

// addOptions offers the options of formats.
func (p *project) addOptions(f *pflag.FlagSet, formats ...*importer.Format) {
	p.named = map[string]*string{}
	for _, format := range formats {
		flags.Group(f, flags.OptionsOf(format), func() {
			for _, o := range format.Options {
				if p.named[o.Name] == nil {
					p.named[o.Name] = f.StringP(o.Name, o.Short, "", o.Usage)
				}
				if o.Switch {
					f.Lookup(o.Name).NoOptDefVal = "true"
				}
			}
		})
	}
}

// values are the options that were given.
func (p *project) values() map[string]string {
	given := map[string]string{}
	for name, value := range p.named {
		if *value != "" {
			given[name] = *value
		}
	}
	return given
}

// check finds flags that do not fit the input.
func (p *project) check(path string) error {
	format := flags.FormatOf(path)
	switch {
	case p.format != "" && !slices.Contains(strings.Split(flags.FormatNames(true), ", "), p.format):
		return exit.Usagef("--format %s: no such format; there are %s", p.format, flags.FormatNames(true))
	case format != nil && len(p.set) > 0:
		return exit.Usagef("--set: %s is a project of %s; make a stack file of it with 'thermsim import %s'", path,
			format.Title, format.Name)
	case format == nil && (p.compat || p.format != "" || len(p.values()) > 0):
		return exit.Usagef("--compat, --format and a simulator's own options need a project of that simulator, and "+
			"%s is a stack file; for one made by 'thermsim import', give the option to the import", path)
	case p.format != "" && p.format != format.Name:
		return exit.Usagef("--format %s: %s is a project of %s, whose format is %s", p.format, path, format.Title,
			format.Name)
	case p.decimals != nil && p.format == "":
		return exit.Usagef("--decimals needs --format: it is about the files of other simulators")
	}
	return nil
}

// load imports a project and reports on stderr how it was converted.
func (p *project) load(g *session.Session, format *importer.Format, path string) (*stack.Stack, error) {
	r, err := format.Import(importer.Request{Files: []string{path}, Named: p.values(), Compat: p.compat, Direct: true,
		Served: p.served, Open: p.opener()})
	if err != nil {
		return nil, err
	}
	p.result = r
	p.printNotes(g, r)
	return r.Stack, nil
}

// opener reads the files of a stack.
func (p *project) opener() stackfile.Opener {
	if p.watched != nil {
		return p.watched.Read
	}
	return inputfile.Read
}

// printNotes prints warnings; lines that were left out or adapted are a matter of -v and of the import command.
func (p *project) printNotes(g *session.Session, r *importer.Result) {
	for _, n := range r.Notes {
		if n.Kind == importer.Warning {
			g.Note("%s", n)
		} else {
			g.Detail("%s", n)
		}
	}
	var own []string
	for _, d := range r.Deviations {
		if d.Emulated {
			g.Detail("--compat: %s: %s", d.Name, d.What)
			continue
		}
		g.Detail("the numerics of %s differ: %s: %s; here: %s", r.Format.Title, d.Name, d.What, d.Instead)
		if d.Field || d.InTime && p.inTime {
			own = append(own, d.Name)
		}
	}
	if len(own) > 0 {
		g.Note("the numerics of %s differ (%s). Run 'thermsim import %s' to quantify the difference, or add "+
			"--compat to reproduce its results", r.Format.Title, strings.Join(own, ", "), r.Format.Name)
	}
}

// shown identifies stack and grid in the record of a folder.
func (p *project) shown(s *stack.Stack) string {
	h := sha256.New()
	for _, in := range s.Inputs {
		fmt.Fprintln(h, in.SHA256)
	}
	for _, set := range s.Set {
		fmt.Fprintln(h, set)
	}
	fmt.Fprintln(h, s.Grid.X.Cells, s.Grid.Y.Cells, p.compat, p.values()) // maps print in the order of their keys
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// places are the decimals that the simulator's files are to have, -1 where it decides.
func (p *project) places() int {
	if p.decimals == nil {
		return -1
	}
	return *p.decimals
}

// writer writes the simulator's own files; nil where none are asked for.
func (p *project) writer(m *mesh.Mesh, files *staging.Transaction, steps int) (export.Writer, error) {
	if p.format == "" || p.result == nil {
		return nil, nil
	}
	return export.New(p.result, m, export.Options{Files: files, Decimals: p.places(), Steps: steps})
}

// loadInput reads a stack file, or imports a project.
func loadInput(g *session.Session, argument string, grid flags.Grid, p *project) (*stack.Stack, time.Duration, error) {
	start := time.Now()
	path := session.StackPath(argument)
	if err := p.check(path); err != nil {
		return nil, 0, err
	}
	var s *stack.Stack
	var err error
	if format := flags.FormatOf(path); format != nil {
		s, err = p.load(g, format, path)
	} else {
		s, err = stackfile.LoadWith(p.opener(), path, p.set...)
	}
	if err != nil {
		return nil, 0, err
	}
	if grid.Given() {
		if p.network() != nil {
			return nil, 0, exit.Usagef("--grid: with --compat the cells are those of the project; omit one of the " +
				"two")
		}
		if len(s.Grid.X.Segments)+len(s.Grid.Y.Segments) > 0 && grid.Auto == nil {
			g.Note("--grid replaces the graded grid in %s with a uniform one", path)
		}
		s.Grid = grid.In(s)
	}
	g.Default.Apply(s)
	g.Inputs = nil // --watch reads them again
	for _, in := range s.Inputs {
		g.Inputs = append(g.Inputs, in.Path)
		if file := g.Timings.File; file != "" && session.SameFile(file, in.Path) {
			g.Timings.Log = nil
			return nil, 0, exit.Usagef("%s is an input of this run; name another file with --timings", file)
		}
	}
	spent := time.Since(start)
	g.Detail("read %s and %d more files in %s", path, len(s.Inputs)-1, terminal.Seconds(spent.Seconds()))
	return s, spent, nil
}

// heatByGrid takes the power grid out of a stack of a steady state, and heats its layers.
func (p *project) heatByGrid(ctx context.Context, s *stack.Stack) (err error) {
	if s.PowerGrid == nil || p.inTime {
		return nil // meshing refuses it
	}
	p.grid, err = electrothermal.New(ctx, s)
	return err
}

// gridWarnings are those about the power grid.
func (p *project) gridWarnings() []plausibility.Warning {
	if p.grid == nil {
		return nil
	}
	return p.grid.Warnings()
}

// network is what stands in for the mesh, nil in most cases.
func (p *project) network() *network.Network {
	if p.result == nil {
		return nil
	}
	return p.result.Network
}

// steady solves for the steady field of the mesh, or of the network that stands in for it.
func (p *project) steady(ctx context.Context, m *mesh.Mesh, o gpusolve.Options) (*solution.Solution, error) {
	if n := p.network(); n != nil {
		return netsolve.Steady(ctx, n, m, o)
	}
	return gpusolve.Steady(ctx, m, o)
}

// transient steps the field of the mesh, or of the network that stands in for it. It starts from what the project says,
// unless that is overruled.
func (p *project) transient(ctx context.Context, m *mesh.Mesh, o gpusolve.Options, t gpusolve.TransientOptions,
	start *initialState) (*solution.Solution, error) {
	n := p.network()
	switch {
	case n != nil && start.run != "":
		return nil, exit.Usagef("--initial %s starts thermsim's own transients; under --compat give the simulator's "+
			"own file of initial temperatures", start.text)
	case n != nil && start.steady:
		return nil, exit.Usagef("--initial steady starts thermsim's own transients; under --compat give the " +
			"simulator's own file of initial temperatures")
	case n != nil:
		if start.kelvin > 0 {
			plain := *n
			plain.Initial = nil
			n = &plain
		}
		return netsolve.Transient(ctx, n, m, o, t)
	case t.Checkpoints != nil && t.Checkpoints.From != nil: // it has the state
	default:
		field, done, err := p.startField(ctx, m, o, t.Initial, start)
		if err != nil {
			return nil, err
		}
		defer done()
		t.Initial = field
	}
	return gpusolve.Transient(ctx, m, o, t)
}

// startField is the field that a run in time starts from, until done is called; nil for a uniform one. saved is that of
// a saved run where one is asked for.
func (p *project) startField(ctx context.Context, m *mesh.Mesh, o gpusolve.Options, saved solution.Field,
	start *initialState) (f solution.Field, done func(), err error) {
	switch {
	case start.steady:
		return steadyField(ctx, m, o)
	case saved == nil && p.result != nil && p.result.Initial != nil && start.kelvin == 0:
		f, err = m.Initial(p.result.Initial)
		return f, func() {}, err
	}
	return saved, func() {}, nil
}

// steadyField is the field of the steady state to start from, until done is called. Among ranks rank 0 has it in
// memory, and the others have none: they serve the solution of a steady state as long as it is open, and shall go on.
func steadyField(ctx context.Context, m *mesh.Mesh, o gpusolve.Options) (f solution.Field, done func(), err error) {
	first, err := steadyStart(ctx, m, o)
	if err != nil {
		return nil, nil, err
	}
	if o.Ranks == nil {
		return first.Field, func() { first.Close() }, nil
	}
	defer first.Close()
	if o.Ranks.Rank() == 0 {
		f, err = fields.Hold(m, first.Field)
	}
	return f, func() {}, err
}

// steadyStart is the steady state to start from.
func steadyStart(ctx context.Context, m *mesh.Mesh, o gpusolve.Options) (*solution.Solution, error) {
	first, err := gpusolve.Steady(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if first.Status.Converged {
		return first, nil
	}
	first.Close()
	if first.Status.Reason == solution.ReasonRunaway {
		return nil,
			exit.With(exit.Runaway,
				errors.New("thermal runaway: there is no steady state to start from; 'thermsim steady' gives the "+
					"largest power that has one; nothing was written"))
	}
	return nil,
		exit.With(exit.NotConverged,
			fmt.Errorf("the steady state to start from was not reached: %s after %d iterations; nothing was written",
				first.Status.Reason, first.Status.Iterations))
}

// finestTol is the tolerance in K below which --compat does not go by itself.
const finestTol = 1e-9

// printed makes --compat solve to what the simulator's files show: a tenth of their last decimal, unless another
// tolerance is asked for.
func (p *project) printed(v *stack.Solver) {
	if !p.compat || p.format == "" || p.places() < 0 || v.Tol > 0 || v.RTol > 0 || v.ATol > 0 {
		return
	}
	v.Tol = math.Max(finestTol, math.Min(gpusolve.DefaultTol, math.Pow10(-p.places()-1)))
}
