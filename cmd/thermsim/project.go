package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/internal/inputfile"
	"thermsim/internal/staging"
	"thermsim/interop/export"
	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
	"thermsim/interop/threedice"
	"thermsim/mesh"
	"thermsim/stack"
)

// formats are the simulators whose projects can be imported.
func formats() []importer.Format { return []importer.Format{threedice.Format{}, hotspot.Format{}} }

// formatOf is the format of which path is a main file, nil for stack files of thermsim's own.
func formatOf(path string) importer.Format {
	for _, f := range formats() {
		if f.Main(path) {
			return f
		}
	}
	return nil
}

// project is how another simulator's project is run: the flags, and what was imported.
type project struct {
	compat   bool
	format   string // of further outputs, "" for none
	decimals places
	named    map[string]*string // options of the formats, by name
	set      overrides          // of a stack file of thermsim's own
	inTime   bool               // a transient is run
	served   bool               // powers come from a client

	watched *watched // notes what is read; nil where nobody watches

	result *importer.Result // nil where the stack is thermsim's own
}

// addFlags offers the flags of projects. Options that two formats share are offered once.
func (p *project) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	group(f, groupSolver, func() { p.set.addFlag(f) })
	group(f, groupProjects, func() {
		f.BoolVar(&p.compat, "compat", false, "calculate as the simulator does that the project was made for")
		f.StringVar(&p.format, "format", "", "write the files that the project asks for too, "+
			"as `FORMAT`: "+formatNames())
		f.Var(&p.decimals, "decimals", "decimals of temperatures in those files (default as the simulator writes)")
	})
	p.addOptions(f, formats()...)
	completeFlag(cmd, "format", strings.Split(formatNames(), ", "))
}

// addOptions offers the options of formats.
func (p *project) addOptions(f *pflag.FlagSet, formats ...importer.Format) {
	p.named = map[string]*string{}
	for _, format := range formats {
		group(f, optionsOf(format), func() {
			for _, o := range format.Options() {
				if p.named[o.Name] == nil {
					p.named[o.Name] = f.StringP(o.Name, o.Short, "", o.Usage)
				}
			}
		})
	}
}

func formatNames() string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.Name())
	}
	return strings.Join(names, ", ")
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
	format := formatOf(path)
	switch {
	case p.format != "" && !slices.Contains(strings.Split(formatNames(), ", "), p.format):
		return usagef("--format %s: no such format; there are %s", p.format, formatNames())
	case format != nil && len(p.set) > 0:
		return usagef("--set: %s is a project of %s; make a stack file of it with 'thermsim import %s'", path,
			format.Title(), format.Name())
	case format == nil && (p.compat || p.format != "" || len(p.values()) > 0):
		return usagef("--compat, --format and a simulator's own options need a project of that simulator, and %s is "+
			"a stack file; for one made by 'thermsim import', give the option to the import", path)
	case p.format != "" && p.format != format.Name():
		return usagef("--format %s: %s is a project of %s, whose format is %s", p.format, path, format.Title(),
			format.Name())
	case p.decimals.given && p.format == "":
		return usagef("--decimals needs --format: it is about the files of other simulators")
	}
	return nil
}

// load imports a project and says on stderr what became of it.
func (p *project) load(g *globals, format importer.Format, path string) (*stack.Stack, error) {
	r, err := format.Import(importer.Request{Files: []string{path}, Named: p.values(), Compat: p.compat, Direct: true,
		Served: p.served, Open: p.opener()})
	if err != nil {
		return nil, err
	}
	p.result = r
	p.tellNotes(g, r)
	return r.Stack, nil
}

// opener reads the files of a stack.
func (p *project) opener() stack.Opener {
	if p.watched != nil {
		return p.watched.read
	}
	return inputfile.Read
}

// tellNotes prints warnings; lines that were left out or adapted are a matter of -v and of the import command.
func (p *project) tellNotes(g *globals, r *importer.Result) {
	for _, n := range r.Notes {
		if n.Kind == importer.Warning {
			g.note("%s", n)
		} else {
			g.detail("%s", n)
		}
	}
	var own []string
	for _, d := range r.Deviations {
		if d.Emulated {
			g.detail("--compat: %s: %s", d.Name, d.What)
			continue
		}
		g.detail("%s calculates otherwise: %s: %s; here: %s", r.Format.Title(), d.Name, d.What, d.Instead)
		if d.Field || d.InTime && p.inTime {
			own = append(own, d.Name)
		}
	}
	if len(own) > 0 {
		g.note("%s calculates otherwise (%s): 'thermsim import %s' tells how much that matters here, --compat "+
			"does as it does", r.Format.Title(), strings.Join(own, ", "), r.Format.Name())
	}
}

// writer writes the simulator's own files; nil where none are asked for.
func (p *project) writer(m *mesh.Mesh, files *staging.Transaction, steps int) (export.Writer, error) {
	if p.format == "" || p.result == nil {
		return nil, nil
	}
	return export.New(p.result, m, export.Options{Files: files, Decimals: p.decimals.count(), Steps: steps})
}

// loadInput reads a stack file, or imports a project.
func loadInput(g *globals, argument string, grid gridWish, p *project) (*stack.Stack, time.Duration, error) {
	start := time.Now()
	path := stackPath(argument)
	if err := p.check(path); err != nil {
		return nil, 0, err
	}
	var s *stack.Stack
	var err error
	if format := formatOf(path); format != nil {
		s, err = p.load(g, format, path)
	} else {
		s, err = stack.LoadWith(p.opener(), path, p.set...)
	}
	if err != nil {
		return nil, 0, err
	}
	if grid.given() {
		if p.network() != nil {
			return nil, 0, usagef("--grid: with --compat the cells are those of the project; leave one of the two out")
		}
		if len(s.Grid.X.Segments)+len(s.Grid.Y.Segments) > 0 && grid.auto == nil {
			g.note("--grid takes the place of the graded grid in %s; its cells are equal", path)
		}
		s.Grid = grid.grid(s)
	}
	g.inputs = nil // --watch reads them again
	for _, in := range s.Inputs {
		g.inputs = append(g.inputs, in.Path)
		if file := g.timings.file; file != "" && sameFile(file, in.Path) {
			g.timings.log = nil
			return nil, 0, usagef("%s is an input of this run; name another file with --timings", file)
		}
	}
	spent := time.Since(start)
	g.detail("read %s and %d more files in %s", path, len(s.Inputs)-1, seconds(spent.Seconds()))
	return s, spent, nil
}
