package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/findings"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/mesh/plausibility"
	"thermsim/report"
	"thermsim/report/jsonfile"
	"thermsim/report/summary"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/autogrid"
)

const checkHelp = `Check a stack without solving it.

All inputs are read and validated, and the stack and its floorplans are drawn into
--out. Check prints the layers, the mesh, the requested power and the power on the grid,
memory and time estimates, and warnings about input that is valid but probably not
intended: wrong units, blocks only a few cells wide, no heat-flow path to ambient.
For a grid that thermsim chose (a package without grid, or --grid auto), check explains
the choice and estimates the error; this takes a few small solves.

With --print, only the stack is written, to stdout, with materials, floorplans, powers
and units resolved. That file is self-contained and gives the same results.

With --format, only errors and warnings are written, to stdout, with their ranges in
the files: text (a line each, as compilers print them), json or sarif (for CI).
`

const checkExample = `  thermsim check examples/interposer-2.5d
  thermsim check chip.toml --grid 2048x2048        # does it fit in memory?
  thermsim check chip.toml --print > resolved.toml
  thermsim check chip.toml --watch                 # again after every change
  thermsim check chip.toml --format sarif > check.sarif
  thermsim check ev6.config -p gcc.ptrace -f ev6.flp   # a HotSpot project`

type checkOptions struct {
	stack string
	out   string
	grid  flags.Grid
	// precond replaces the stack's preconditioner.
	precond string
	print   bool
	format  string // of findings, the only output; "" for none
	strict  flags.Strictness
	json    bool
	formats []string
	watch   session.WatchFlag
	project
}

// defaultCheckOut is not the folder of runs: a stack may be checked while the previous run is still needed.
const defaultCheckOut = "thermsim-check"

func newCheckCommand(g *session.Session) *cobra.Command {
	var o checkOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:     "check [STACK]",
		Short:   "Validate a stack, draw it and estimate the run",
		Long:    checkHelp,
		Example: checkExample,
		Annotations: exit.Statuses("0 the stack is valid, with or without warnings", "1",
			"2 usage error, invalid input, or with --strict a warning; nothing was written",
			"3 with --grid auto: a solve did not converge", "4 the grid does not fit into memory",
			"6 with --grid auto: thermal runaway, the stack has no steady state",
			"130 interrupted, as --watch ends; nothing was written"),
	}, &o.stack, func(ctx context.Context) error {
		if !o.watch {
			return runCheck(ctx, g, o)
		}
		if o.print {
			return exit.Usagef("--print writes one file to stdout; omit --watch")
		}
		return session.WatchRuns(ctx, g, o.stack, func(ctx context.Context, w *session.Watched) error {
			once := o
			once.watched = w
			return runCheck(ctx, g, once)
		})
	})
	flags.AddOut(cmd, &o.out)
	o.out = defaultCheckOut
	cmd.Flags().Lookup("out").DefValue = defaultCheckOut
	flags.AddGrid(cmd, &o.grid)
	o.set.Add(cmd.Flags())
	flags.AddMethod(cmd, &o.precond, "estimate time and memory for this preconditioner")
	flags.AddFormats(cmd, &o.formats)
	cmd.Flags().BoolVar(&o.print, "print", false, "write the resolved stack file to stdout and nothing else")
	flags.Var(cmd.Flags(), &o.format, "format", "FORMAT", "write only errors and warnings to stdout: "+
		strings.Join(findings.Formats(), ", "), parseFindings)
	flags.Complete(cmd, "format", findings.Formats())
	flags.AddJSON(cmd, &o.json)
	o.strict.Add(cmd.Flags())
	o.watch.AddFlag(cmd.Flags())
	o.addOptions(cmd.Flags(), flags.Formats()...)
	return cmd
}

func parseFindings(text string) (string, error) {
	if !slices.Contains(findings.Formats(), text) {
		return "", fmt.Errorf("choose one of %s", strings.Join(findings.Formats(), ", "))
	}
	return text, nil
}

func runCheck(ctx context.Context, g *session.Session, o checkOptions) error {
	if o.json && o.print || o.format != "" && (o.json || o.print) {
		return exit.Usagef("--json, --print and --format all write to stdout; give one of them")
	}
	style, err := flags.DrawAs(o.formats)
	if err != nil {
		return err
	}
	if o.format != "" {
		return listFindings(ctx, g, &o)
	}
	s, choice, err := o.read(ctx, g)
	if err != nil {
		return err
	}
	if o.print {
		return stackfile.Print(g.Stdout, s)
	}
	files, err := g.Begin(o.out, staging.Options{Set: session.CheckFiles, Command: "check", Shows: o.project.shown(s)})
	if err != nil {
		return err
	}
	defer files.Abort()
	if run := files.Before().Set(report.RunFiles); run != nil && run.Shows != o.project.shown(s) {
		return exit.Usagef("%s holds a run of another stack or grid, which these drawings would not show. Fix: "+
			"choose another folder with --out", o.out)
	}
	on := capacity.ThisMachine()
	m, _, err := buildMesh(g, s, on, false)
	if err != nil {
		return err
	}
	found := append(plausibility.Of(m), o.gridWarnings()...)
	if err := o.strict.Refuse(found, ""); err != nil {
		return err
	}
	grid := explainChoice(choice)
	if s.Grid.Default {
		if grid, err = explainDefault(ctx, s); err != nil {
			return err
		}
	}
	p := terminal.StartProgress(g.Console, "drawing")
	defer p.Stop()
	if err := report.CheckPictures(ctx, files, m, &style); err != nil {
		return exit.NothingWritten(err)
	}
	done, err := g.Commit(ctx, files)
	p.Stop()
	if err != nil {
		return exit.NothingWritten(err)
	}
	if o.json {
		return writeCheckJSON(g.Stdout, m, grid, found, done.Files)
	}
	if g.Quiet {
		return nil
	}
	w := bufio.NewWriter(g.Stdout)
	d := &description{Console: g.Console, w: w, m: m, powerGrid: o.project.grid}
	d.all(grid, found, on, done.Files)
	return w.Flush()
}

// read reads the stack and puts it on its grid; a method that cannot solve it is an error.
func (o *checkOptions) read(ctx context.Context, g *session.Session) (*stack.Stack, *autogrid.Choice, error) {
	s, _, err := loadInput(g, o.stack, o.grid, &o.project)
	if err != nil {
		return nil, nil, err
	}
	if !o.print {
		if err := o.heatByGrid(ctx, s); err != nil {
			return nil, nil, err
		}
	}
	flags.Choose(&s.Solver, "", o.precond)
	choice, err := chooseGrid(ctx, g, s)
	if err != nil {
		return nil, nil, err
	}
	if err := refusal(s); err != nil {
		return nil, nil, err
	}
	if !o.print {
		s.Solver.Device = "auto" // a stack that names a GPU is valid on a machine without one
	}
	return s, choice, nil
}

// listFindings writes the errors and warnings about a stack, and nothing else. The exit status is that of check.
func listFindings(ctx context.Context, g *session.Session, o *checkOptions) error {
	var found []plausibility.Warning
	s, _, err := o.read(ctx, g)
	if err == nil {
		var m *mesh.Mesh
		if m, _, err = buildMesh(g, s, capacity.ThisMachine(), false); err == nil {
			found = append(plausibility.Of(m), o.gridWarnings()...)
		}
	}
	if ctx.Err() != nil {
		return exit.NothingWritten(err)
	}
	list := findings.Of(err, found, session.StackPath(o.stack), bool(o.strict))
	if err := findings.Write(g.Stdout, o.format, versionText(), list); err != nil {
		return err
	}
	switch {
	case err != nil:
		return exit.Quiet(exit.Status(err))
	case bool(o.strict) && len(found) > 0:
		return exit.Quiet(exit.Input)
	}
	return nil
}

// all prints the stack, its mesh and estimates before a solve.
func (d *description) all(grid *gridExplanation, found []plausibility.Warning, on capacity.Resources, files []string) {
	d.headline(len(found))
	d.warnings(found)
	d.grid(grid)
	d.layers()
	d.power()
	d.coolant()
	d.faces()
	d.estimate(on)
	d.pictures(files)
}

// refusal is why the method that the stack names cannot solve it, as steady reports it.
func refusal(s *stack.Stack) error {
	v := &s.Solver
	return gpusolve.Refusal(s, gpusolve.Options{Preconditioner: v.Preconditioner, Tol: v.Tol, RTol: v.RTol,
		ATol: v.ATol, MaxIter: v.MaxIter})
}

// checkJSON is what check --json prints, in SI units.
type checkJSON struct {
	Schema   int                    `json:"schema"` // 1
	Command  string                 `json:"command"`
	Version  string                 `json:"version"`
	Stack    string                 `json:"stack"`
	Title    string                 `json:"title"`
	Warnings []plausibility.Warning `json:"warnings"`
	Size     [3]float64             `json:"size_m"`
	Grid     summary.Grid           `json:"grid"`
	Chosen   *gridExplanation       `json:"chosen_grid,omitempty"` // where the grid was
	Power    summary.Power          `json:"power"`
	Grounded bool                   `json:"steady_state"` // some face leads heat to a temperature
	Method   string                 `json:"method"`       // fourier where the stack is solved directly
	Why      string                 `json:"not_direct,omitempty"`
	Layers   []checkLayerJSON       `json:"layers"` // bottom to top
	Memory   checkMemoryJSON        `json:"memory"`
	Pictures []string               `json:"pictures"`
}

type checkLayerJSON struct {
	Name       string     `json:"name"`
	Material   string     `json:"material"`
	K          [3]float64 `json:"k_W_per_mK"`
	ThicknessM float64    `json:"thickness_m"`
	Cells      int        `json:"cells"`
	Requested  float64    `json:"requested_W"`
	Mapped     float64    `json:"mapped_W"`
}

// gridExplanation is why a grid is as it is.
type gridExplanation struct {
	Note     string   `json:"-"`
	Uniform  bool     `json:"uniform"`
	WantedK  float64  `json:"wanted_error_K"`
	LateralK *float64 `json:"lateral_error_K"` // estimated; null without an estimate, as the next
	HeightK  *float64 `json:"height_error_K"`
	PeakK    *float64 `json:"peak_error_K,omitempty"` // of a default grid, estimated
	Needed   float64  `json:"cells_needed,omitempty"` // for the wanted error, where that is more than are allowed
	Growth   float64  `json:"growth"`                 // largest ratio of neighbouring cells along x and y
	Reasons  []string `json:"reasons"`
	Doubt    string   `json:"doubt,omitempty"`
}

func explainChoice(c *autogrid.Choice) *gridExplanation {
	if c == nil {
		return nil
	}
	out := &gridExplanation{Note: "chosen; --print writes it", Uniform: c.Uniform, WantedK: c.Wanted, Needed: c.Needed,
		Growth: c.Growth, Reasons: c.Reasons(), Doubt: c.Doubt()}
	if c.Piloted {
		out.LateralK, out.HeightK = &c.Lateral, &c.Height
	}
	return out
}

// explainDefault estimates the error of the grid that the geometry determines.
func explainDefault(ctx context.Context, s *stack.Stack) (*gridExplanation, error) {
	a, err := autogrid.Assess(ctx, s)
	if err != nil {
		return nil, exit.NothingWritten(err)
	}
	out := &gridExplanation{Note: "default for this geometry; --print writes it", Growth: a.Growth,
		Reasons: a.Reasons(), WantedK: stack.DefaultRelativeError * a.Rise}
	if a.Doubt == "" {
		out.PeakK = &a.Peak
	}
	return out, nil
}

// checkMemoryJSON is the need of a run on the processor.
type checkMemoryJSON struct {
	Steady    int64 `json:"steady_bytes"`
	Transient int64 `json:"transient_bytes"`
}

func writeCheckJSON(w io.Writer, m *mesh.Mesh, grid *gridExplanation, found []plausibility.Warning,
	pictures []string) error {
	s := m.Stack
	need := func(inTime bool) int64 {
		return int64(memory.OfSystem(m, s.Solver.Preconditioner, inTime, false).Peak())
	}
	out := checkJSON{
		Schema: 1, Command: "check", Version: versionText(), Stack: s.File, Title: s.Title,
		Warnings: append([]plausibility.Warning{}, found...),
		Size:     [3]float64{s.Size[0], s.Size[1], s.Height()},
		Chosen:   grid,
		Grid:     summary.Grid{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Cells: m.Cells()},
		Power: summary.Power{RequestedW: m.Power.Requested, MappedW: m.Power.Mapped,
			LeakageW: m.Stack.LeakageAt(m.Stack.Ambient)},
		Grounded: m.Grounded(), Memory: checkMemoryJSON{need(false), need(true)}, Pictures: pictures,
	}
	out.Method, out.Why = methods.Choice(m, s.Solver.Preconditioner)
	for l := range s.Layers {
		layer, planes := &s.Layers[l], m.LayerPlanes[l]
		material := &s.Materials[layer.Material]
		out.Layers = append(out.Layers, checkLayerJSON{Name: layer.Name, Material: material.Name, K: material.K,
			ThicknessM: layer.Thickness, Cells: planes[1] - planes[0]})
	}
	coverage := m.Power.Coverage()
	for i := range coverage {
		row := &out.Layers[m.Power.Layers[i].Layer]
		row.Requested, row.Mapped = coverage[i].Requested, coverage[i].Mapped
	}
	return jsonfile.Write(w, out)
}
