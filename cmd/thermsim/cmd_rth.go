package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/room"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/picture"
	"thermsim/stack"
	"thermsim/study/response"
	"thermsim/study/response/display"
)

var rthHelp = `Solve a stack for 1 W in each of its inputs, one at a time: every block, every
uniform power and every power map, whatever their watts in the file. The
thermal resistances, in K/W, tell how much each of them warms the mean of every
other and every probe, over what the stack has without power. By superposition
they give the temperatures at any powers.

Written are rth.csv (the matrix: outputs down, inputs across), rth.json,
rth.png and rth.html. The terminal shows the inputs and the couplings, the
strongest first. Heat goes from a to b as from b to a, unless coolant flows: how
well the matrix keeps to that is said below the table.

A stack in which something follows the temperature (materials, films, leakage)
has no such matrix and is refused. docs/guides/rth-zth.md has the definitions.
` + exit.Statuses("0", "1", "2", "3", "4", "130")

const rthExample = `  thermsim rth examples/quickstart
  thermsim rth examples/mol10-ev6 --grid 128x128 --peaks
  thermsim rth chip.toml --json | jq '.K_per_W[0][1]'`

type rthOptions struct {
	responseOptions
	peaks bool
}

// responseOptions are the flags that rth and zth share.
type responseOptions struct {
	stack, out string
	grid       flags.Grid
	device     flags.Device
	precond    flags.Preconditioner
	rtol       flags.Quantity
	json       bool
	noPage     bool
	project
}

func (o *responseOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.rtol = flags.Ratio()
	flags.AddOut(cmd, &o.out)
	flags.AddGrid(cmd, &o.grid)
	flags.AddDevice(cmd, &o.device)
	flags.AddPrecond(cmd, &o.precond, "as for steady")
	f.Var(&o.rtol, "rtol", "relative residual of solves by iteration (default 1e-12)")
	f.BoolVar(&o.json, "json", false, "print JSON in place of the tables")
	f.BoolVar(&o.noPage, "no-page", false, "leave out the page")
	o.set.Add(f)
	o.addOptions(f, flags.Formats()...)
}

func newRthCommand(g *session.Session) *cobra.Command {
	var o rthOptions
	cmd := &cobra.Command{
		Use:               "rth [STACK]",
		Short:             "Thermal resistances between all blocks and probes",
		Long:              rthHelp,
		Example:           rthExample,
		Args:              flags.StackArgument,
		ValidArgsFunction: flags.CompleteStack,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.stack = flags.First(args)
			return runRth(cmd.Context(), g, o)
		},
	}
	cmd.Flags().SortFlags = false
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.peaks, "peaks", false, "add the hottest cell of each input as an output (a second pass)")
	return cmd
}

// load reads the stack and takes the output folder.
func (o *responseOptions) load(ctx context.Context, g *session.Session, command string) (*stack.Stack,
	*staging.Transaction, error) {
	s, _, err := loadInput(g, o.stack, o.grid, &o.project)
	if err != nil {
		return nil, nil, err
	}
	if err := ports.CheckLinear(s); err != nil {
		return nil, nil, exit.With(exit.Input, fmt.Errorf("%s: %w", s.File, err))
	}
	if len(ports.InputsOf(s)) == 0 {
		return nil, nil, exit.With(exit.Input, fmt.Errorf("%s: %w", s.File, response.ErrNoInput))
	}
	if _, err := chooseGrid(ctx, g, s); err != nil {
		return nil, nil, exit.NothingWritten(err)
	}
	flags.Choose(s, o.device, o.precond)
	s.Solver.Tol, s.Solver.RTol, s.Solver.ATol = 0, o.rtol.Value, 0
	out, err := g.Begin(o.out, staging.Options{Set: command, Command: command, Shows: o.project.shown(s)})
	return s, out, err
}

// solving are the options of package response.
func (o *responseOptions) solving(g *session.Session, s *stack.Stack, p *terminal.Progress,
	transient bool) response.Options {
	on, solver := room.ThisMachine(), solverOptions(g, s.Solver, p)
	solver.Progress = nil
	return response.Options{
		Solver: solver,
		Mesh: func(s *stack.Stack) (*mesh.Mesh, error) {
			m, _, err := buildMesh(g, s, on, transient)
			return m, err
		},
		Progress: func(done, all int) { p.Update(gpusolve.Progress{Step: done, Steps: all}) },
	}
}

// responseError gives an error of package response its exit status.
func responseError(err error) error {
	if errors.Is(err, response.ErrNotConverged) {
		return exit.With(exit.NotConverged, err)
	}
	return exit.NothingWritten(err)
}

func runRth(ctx context.Context, g *session.Session, o rthOptions) error {
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	s, out, err := o.load(ctx, g, "rth")
	if err != nil {
		return err
	}
	defer out.Abort()
	p.Enter("solving")
	x, err := response.Resistances(ctx, s, o.solving(g, s, p, false), o.peaks)
	if err != nil {
		return responseError(err)
	}
	p.Enter("writing")
	title := cmp.Or(s.Title, s.File)
	drawn := display.MatrixPicture(title, x)
	files := []staging.File{
		{Name: "rth.csv", Write: func(w io.Writer) error { return display.Resistances(w, x) }},
		{Name: "rth.json", Write: func(w io.Writer) error { return display.ResistancesJSON(w, x) }},
		{Name: "rth.png", Write: func(w io.Writer) error { return drawn.Write(w, picture.PNG) }},
	}
	own, ties := ownTable(x), couplings(x)
	if !o.noPage {
		page := &display.Page{Title: title, What: "thermal resistances", Lead: "Thermal resistances between all " +
			"inputs: mean temperatures for 1 W in each.", Foot: "thermsim " + versionText() + ". " + symmetryText(x),
			Facts: rthFacts(x)}
		if err := page.AddPicture("Matrix", drawn); err != nil {
			return err
		}
		page.AddTable("Inputs", own.Header, own.Rows)
		page.AddTable("Strongest couplings", ties.Header, ties.Rows)
		files = append(files, staging.File{Name: "rth.html", Write: page.Write})
	}
	if err := out.WriteFiles(ctx, files...); err != nil {
		return exit.NothingWritten(err)
	}
	if _, err := g.Commit(ctx, out); err != nil {
		return exit.NothingWritten(err)
	}
	p.Stop()
	switch {
	case o.json:
		return display.ResistancesJSON(g.Stdout, x)
	case g.Quiet:
		return nil
	}
	c := g.Console
	fmt.Fprintf(c.Stdout, "%s  %s\n", c.Bold("Inputs"),
		c.Dim("rise for 1 W in the input alone, and at the powers of the file"))
	own.Write(c, c.Stdout)
	fmt.Fprintf(c.Stdout, "\n%s  %s\n", c.Bold("Couplings"), c.Dim("rise of one for 1 W in the other, strongest first"))
	ties.Write(c, c.Stdout)
	_, err = fmt.Fprintf(c.Stdout, "\n%s\nWrote rth.csv, rth.json, rth.png%s into %s\n", symmetryText(x),
		pageText(o.noPage, "rth.html"), out.Dir())
	return err
}

func pageText(without bool, name string) string {
	if without {
		return ""
	}
	return ", " + name
}

// kPerW has four digits, and no exponent where people read it easily.
func kPerW(v float64) string {
	if a := math.Abs(v); v == 0 || a >= 1e-4 && a < 1e6 {
		return strconv.FormatFloat(v, 'f', max(0, 3-int(math.Floor(math.Log10(a+1e-300)))), 64)
	}
	return strconv.FormatFloat(v, 'e', 3, 64)
}

// ownTable lists the inputs, the highest resistance first.
func ownTable(x *response.Matrix) *terminal.Table {
	t := &terminal.Table{Header: []string{"input", ">mean K/W", ">hottest K/W", ">power W", ">rise K", ">of it own K"}}
	var watts []float64
	for _, in := range x.Inputs {
		watts = append(watts, in.Watts)
	}
	rises := x.Rises(watts)
	order := indices(len(x.Inputs))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.R[b][b], x.R[a][a]) })
	for _, n := range order {
		t.Add(x.Inputs[n].Name, kPerW(x.R[n][n]), kPerW(x.Hottest[n]), fmt.Sprintf("%.4g", watts[n]),
			fmt.Sprintf("%.3f", rises[n]), fmt.Sprintf("%.3f", x.R[n][n]*watts[n]))
	}
	return t
}

func indices(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}

// mostCouplings is how many are shown.
const mostCouplings = 15

// couplings lists pairs of inputs, and probes, the strongest first. A pair is there once where heat goes both ways
// alike.
func couplings(x *response.Matrix) *terminal.Table {
	t := &terminal.Table{Header: []string{"heated", "warmed", ">K/W", ">of its own"}}
	type pair struct{ from, to int }
	var all []pair
	for o, out := range x.Outputs {
		for n := range x.Inputs {
			twice := out.Kind == ports.Mean && (out.Of == n || out.Of < n && !x.Cooled)
			if !twice && out.Kind != ports.Peak {
				all = append(all, pair{n, o})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(x.R[b.to][b.from], x.R[a.to][a.from]) })
	for _, p := range all[:min(len(all), mostCouplings)] {
		r := x.R[p.to][p.from]
		t.Add(x.Inputs[p.from].Name, x.Outputs[p.to].Name, kPerW(r), fmt.Sprintf("%.1f %%", 100*r/x.R[p.from][p.from]))
	}
	return t
}

func symmetryText(x *response.Matrix) string {
	if x.Cooled {
		return fmt.Sprintf("Coolant carries heat one way, so that the matrix need not be symmetric: heating a and "+
			"reading b, and the reverse, differ by up to %.1g of their own resistances.", x.Asymmetry)
	}
	return fmt.Sprintf("Reciprocity holds to %.1g: so much of their own resistances do heating a and reading b, and "+
		"the reverse, differ at most.", x.Asymmetry)
}

func rthFacts(x *response.Matrix) [][2]string {
	return [][2]string{
		{"inputs", strconv.Itoa(len(x.Inputs))}, {"outputs", strconv.Itoa(len(x.Outputs))},
		{"asymmetry", fmt.Sprintf("%.1e", x.Asymmetry)},
		{"solved by", x.Status.Method + ", " + x.Status.Preconditioner}, {"device", x.Device.Kind},
	}
}
