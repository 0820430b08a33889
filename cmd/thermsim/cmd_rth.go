package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/internal/staging"
	"thermsim/report/picture"
	"thermsim/stack"
	"thermsim/study/response"
	"thermsim/study/response/display"
)

const rthHelp = `Compute the thermal resistances between all inputs and outputs of a stack.

The stack is solved for 1 W in each of its inputs, one at a time: every block, every
uniform power and every power map, whatever its power in the file. The outputs are
the mean temperature of each input and the temperature of each probe. Each thermal
resistance, in K/W, is the rise of an output per watt in an input, relative to the
unpowered stack. By superposition they give the temperatures for any powers.

The output files are rth.csv (the matrix: outputs down, inputs across), rth.json,
rth.png and rth.html. The terminal shows the inputs and the couplings, the
strongest first, and the reciprocity error |R_ab - R_ba|, which is zero without
coolant.

Stacks with temperature-dependent properties (materials, heat-transfer coefficients,
leakage) have no such matrix and are rejected. docs/guides/rth-zth.md has the
definitions.
`

const rthExample = `  thermsim rth examples/quickstart
  thermsim rth examples/mol10-ev6 --grid 128x128 --peaks
  thermsim rth chip.toml --json | jq '.K_per_W[0][1]'`

type rthOptions struct {
	responseOptions
	peaks bool
}

// responseOptions are the flags that rth, zth and sensitivity share.
type responseOptions struct {
	study
	rtol   float64
	noPage bool
}

func (o *responseOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	flags.AddOut(cmd, &o.out)
	flags.Ratio.Var(f, &o.rtol, "rtol", "relative residual for iterative solves (default 1e-12)")
	flags.AddJSON(cmd, &o.json)
	flags.AddNoPage(f, &o.noPage)
	o.addStack(cmd)
}

func newRthCommand(g *session.Session) *cobra.Command {
	var o rthOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:         "rth [STACK]",
		Short:       "Compute thermal resistances between all blocks and probes",
		Long:        rthHelp,
		Example:     rthExample,
		Annotations: exit.Statuses("0", "1", "2", "3", "4", "130"),
	}, &o.stack, func(ctx context.Context) error { return runRth(ctx, g, o) })
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.peaks, "peaks", false, "add the hottest cell of each input as an output")
	return cmd
}

// begin reads a stack that has the responses, and takes the output folder.
func (o *responseOptions) begin(ctx context.Context, g *session.Session, command string) (*stack.Stack,
	*staging.Transaction, error) {
	s, err := o.load(ctx, g, func(s *stack.Stack) error {
		err := ports.CheckLinear(s)
		if err == nil && len(ports.InputsOf(s)) == 0 {
			err = response.ErrNoInput
		}
		if err != nil {
			return exit.With(exit.Input, fmt.Errorf("%s: %w", s.File, err))
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	s.Solver.Tol, s.Solver.RTol, s.Solver.ATol = 0, o.rtol, 0
	out, err := o.study.begin(g, command, s)
	return s, out, err
}

// solving are the options of package response.
func solving(g *session.Session, s *stack.Stack, p *terminal.Progress, transient bool) response.Options {
	return response.Options{
		Solver: quietOptions(g, s.Solver), Mesh: mesher(g, transient),
		Progress: func(done, all int) { p.Update(gpusolve.Progress{Step: done, Steps: all}) },
	}
}

func runRth(ctx context.Context, g *session.Session, o rthOptions) error {
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	s, out, err := o.begin(ctx, g, "rth")
	if err != nil {
		return err
	}
	defer out.Abort()
	p.Enter("solving")
	x, err := response.Resistances(ctx, s, solving(g, s, p, false), o.peaks)
	if err != nil {
		return exit.NothingWritten(err)
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
	if _, err := g.Publish(ctx, out, files...); err != nil {
		return err
	}
	p.Stop()
	return o.show(g, func(w io.Writer) error { return display.ResistancesJSON(w, x) }, func(c *terminal.Console) error {
		own.Titled(c, "Inputs", "rise for 1 W in the input alone, and at the powers of the file")
		fmt.Fprintln(c.Stdout)
		ties.Titled(c, "Couplings", "rise of one for 1 W in the other, strongest first")
		page := ", rth.html"
		if o.noPage {
			page = ""
		}
		_, err = fmt.Fprintf(c.Stdout, "\n%s\nWrote rth.csv, rth.json, rth.png%s into %s\n", symmetryText(x), page,
			out.Dir())
		return err
	})
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
	t := &terminal.Table{Header: []string{"input", ">mean K/W", ">hottest K/W", ">power W", ">rise " +
		"K", ">self-heating K"}, Cut: "rth.csv, or -v"}
	var watts []float64
	for _, in := range x.Inputs {
		watts = append(watts, in.Watts)
	}
	rises := x.Rises(watts)
	for _, n := range sorted(len(watts), func(a, b int) int { return cmp.Compare(x.R[b][b], x.R[a][a]) }) {
		t.Add(x.Inputs[n].Name, kPerW(x.R[n][n]), kPerW(x.Hottest[n]), fmt.Sprintf("%.4g", watts[n]),
			fmt.Sprintf("%.3f", rises[n]), fmt.Sprintf("%.3f", x.R[n][n]*watts[n]))
	}
	return t
}

// mostCouplings is how many are shown.
const mostCouplings = 15

// couplings lists pairs of inputs, and probes, the strongest first. A pair is there once where heat goes both ways
// alike.
func couplings(x *response.Matrix) *terminal.Table {
	t := &terminal.Table{Header: []string{"heated", "warmed", ">K/W", ">% of self"},
		Cut: "rth.csv; -v prints the 15 strongest"}
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
		return fmt.Sprintf("Coolant carries heat downstream, so the matrix is not symmetric: |R_ab - R_ba| is up to "+
			"%.1g of sqrt(R_aa R_bb).", x.Asymmetry)
	}
	return fmt.Sprintf("Reciprocity check: |R_ab - R_ba| <= %.1g of sqrt(R_aa R_bb).", x.Asymmetry)
}

func rthFacts(x *response.Matrix) [][2]string {
	return [][2]string{
		{"inputs", strconv.Itoa(len(x.Inputs))}, {"outputs", strconv.Itoa(len(x.Outputs))},
		{"asymmetry", fmt.Sprintf("%.1e", x.Asymmetry)},
		{"solved by", x.Status.Method + ", " + x.Status.Preconditioner}, {"device", x.Device.Kind},
	}
}
