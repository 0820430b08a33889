package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/ports"
	"thermsim/internal/staging"
	"thermsim/report/picture"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/response"
	"thermsim/study/response/display"
)

const zthHelp = `Compute the thermal impedance Zth(t) of a stack for a power step in each input.

Zth(t) is the temperature response to 1 W, in K/W, on a logarithmic time axis of 9
decades that ends long after the slowest time constant. For each heated input, the
responses of its mean and of its hottest cell are reported, plus the outputs
selected with --to and --probes. There is no time stepping: solves at real
frequencies give the response within 1e-4 at any time.

The deconvolution of JESD51-14 turns the response of an input's mean into the
spectrum of time constants (a Foster network), the Cauer network of the same
impedance, and the structure function: the heat capacity along the heat-flow path to
ambient.

The output files are zth.csv, zth_spectrum.csv, zth_structure.csv, zth.json, zth.html
and the pictures zth.png, zth_spectrum.png, zth_structure.png and
zth_differential.png. Stacks with temperature-dependent properties (materials,
heat-transfer coefficients, leakage) are rejected. docs/guides/rth-zth.md has the
method.
`

const zthExample = `  thermsim zth examples/quickstart
  thermsim zth examples/mol10-ev6 --grid 64x64 --from IntReg_0,L2 --to Icache
  thermsim zth chip.toml --times 1us:100s --probes`

type zthOptions struct {
	responseOptions
	from, to []string
	probes   bool
	times    [2]float64 // s, start and end
}

// mostDecades is what --times may span at most: more than any stack has.
const mostDecades = 15

// parseSpan reads a range of times, such as 1us:10s.
func parseSpan(text string) (t [2]float64, err error) {
	start, end, ok := strings.Cut(text, ":")
	if !ok {
		return t, errors.New("write it as START:END, such as 1us:10s")
	}
	for i, part := range []string{start, end} {
		if t[i], err = stackfile.ParseTime(part); err != nil {
			return t, err
		}
	}
	if !(t[0] > 0) || !(t[1] >= 10*t[0]) || t[1] > t[0]*math.Pow(10, mostDecades+0.01) || math.IsInf(t[1], 0) {
		return t, fmt.Errorf("the times must be positive, and the end 10 times to 1e%d times the start", mostDecades)
	}
	return t, nil
}

func newZthCommand(g *session.Session) *cobra.Command {
	var o zthOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:         "zth [STACK]",
		Short:       "Compute step responses, time constants and structure functions",
		Long:        zthHelp,
		Example:     zthExample,
		Annotations: exit.Statuses("0", "1", "2", "3", "4", "130"),
	}, &o.stack, func(ctx context.Context) error { return runZth(ctx, g, o) })
	f := cmd.Flags()
	f.StringSliceVar(&o.from, "from", nil, "heat the inputs in `LIST`, such as BLOCK or LAYER/BLOCK (default all)")
	f.StringSliceVar(&o.to, "to", nil, "also report the mean of the inputs in `LIST`, or of all")
	f.BoolVar(&o.probes, "probes", false, "also report every probe")
	flags.Var(f, &o.times, "times", "START:END", "time range instead of the default 9 decades", parseSpan)
	o.addFlags(cmd)
	return cmd
}

// request resolves names of inputs.
func (o *zthOptions) request(s *stack.Stack) (w response.Request, err error) {
	w.Probes, w.Start, w.End = o.probes, o.times[0], o.times[1]
	if o.probes && len(s.Probes) == 0 {
		return w, exit.Usagef("--probes: the stack has no probes")
	}
	if w.From, err = chosenInputs("--from", s, o.from); err != nil {
		return w, err
	}
	w.To, err = chosenInputs("--to", s, o.to)
	return w, err
}

// chosenInputs are those that a flag names; nil where none are named.
func chosenInputs(flag string, s *stack.Stack, given []string) ([]int, error) {
	inputs := ports.InputsOf(s)
	if len(given) == 1 && given[0] == "all" {
		return sorted(len(inputs), cmp.Compare), nil
	}
	var names []string
	for n := range inputs {
		names = append(names, inputs[n].Name)
	}
	var found []int
	for _, name := range given {
		n, err := ports.Find(names, name)
		if err != nil {
			return nil, exit.Usagef("%s: %w", flag, err)
		}
		if !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	return found, nil
}

func runZth(ctx context.Context, g *session.Session, o zthOptions) error {
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	s, out, err := o.begin(ctx, g, "zth")
	if err != nil {
		return err
	}
	defer out.Abort()
	requested, err := o.request(s)
	if err != nil {
		return err
	}
	p.Enter("solving")
	x, err := response.StepResponses(ctx, s, solving(g, s, p, true), requested)
	if err != nil {
		return exit.NothingWritten(err)
	}
	p.Enter("deconvolving")
	networks, err := display.Networks(ctx, x)
	if err != nil {
		return exit.NothingWritten(err)
	}
	p.Enter("writing")
	title := cmp.Or(s.Title, s.File)
	table := zthTable(x)
	files, err := zthFiles(title, x, networks, table, o.noPage)
	if err != nil {
		return err
	}
	done, err := g.Publish(ctx, out, files...)
	if err != nil {
		return err
	}
	p.Stop()
	return o.show(g, func(w io.Writer) error { return display.StepsJSON(w, x, networks) },
		func(c *terminal.Console) error {
			table.Titled(c, "Step responses", fmt.Sprintf("Zth in K/W after a step of 1 W; %d times from %s to %s",
				len(x.Times), terminal.Seconds(x.Times[0]), terminal.Seconds(x.Times[len(x.Times)-1])))
			_, err = fmt.Fprintf(c.Stdout, "\n%s\nWrote %d files into %s, the curves as zth.csv\n", resolvedText(x),
				len(done.Files), out.Dir())
			return err
		})
}

// zthFiles are all files of a run.
func zthFiles(title string, x *response.Steps, networks []display.Network, t *terminal.Table,
	noPage bool) ([]staging.File, error) {
	files := []staging.File{
		{Name: "zth.csv", Write: func(w io.Writer) error { return display.Steps(w, x) }},
		{Name: "zth_spectrum.csv", Write: func(w io.Writer) error { return display.Spectra(w, x, networks) }},
		{Name: "zth_structure.csv", Write: func(w io.Writer) error { return display.Structures(w, x, networks) }},
		{Name: "zth.json", Write: func(w io.Writer) error { return display.StepsJSON(w, x, networks) }},
	}
	page := &display.Page{
		Title: title, What: "step responses", Foot: "thermsim " + versionText() + ". " + resolvedText(x),
		Lead: "Thermal impedances after a step of 1 W, and the heat-flow path they reveal.",
		Facts: [][2]string{
			{"curves", fmt.Sprint(len(x.Curves))}, {"slowest time constant", terminal.Seconds(x.Slowest)},
			{"resolved from", terminal.Seconds(x.Resolved)},
			{"solved by", x.Status.Method + ", " + x.Status.Preconditioner}, {"device", x.Device.Kind},
		},
	}
	for _, d := range []struct {
		name, title string
		drawing     *picture.Chart
	}{
		{"zth.png", "Thermal impedance", display.StepPicture(title, x)},
		{"zth_spectrum.png", "Time constants", display.SpectrumPicture(title, x, networks)},
		{"zth_structure.png", "Cumulative structure function", display.CumulativePicture(title, x, networks)},
		{"zth_differential.png", "Differential structure function", display.DifferentialPicture(title, x, networks)},
	} {
		files = append(files, staging.File{Name: d.name, Write: func(w io.Writer) error {
			return d.drawing.Write(w, picture.PNG)
		}})
		if noPage {
			continue
		}
		if err := page.AddPicture(d.title, d.drawing); err != nil {
			return nil, err
		}
	}
	if !noPage {
		page.AddTable("Step responses", t.Header, t.Rows)
		files = append(files, staging.File{Name: "zth.html", Write: page.Write})
	}
	return files, nil
}

// zthTable lists the curves with their values a few decades apart, the highest resistance first.
func zthTable(x *response.Steps) *terminal.Table {
	t := &terminal.Table{Header: []string{"heated", "output", ">Rth", ">90 % at"}, Cut: "zth.csv, or -v"}
	const every, columns = 40, 3 // two decades
	var at []int
	for n := len(x.Times) - 1 - every; n >= 0 && len(at) < columns; n -= every {
		at = append(at, n)
	}
	slices.Reverse(at)
	for _, n := range at {
		t.Header = append(t.Header, ">"+terminal.Seconds(x.Times[n]))
	}
	for _, n := range sorted(len(x.Curves), func(a, b int) int {
		return cmp.Compare(x.Curves[b].Steady, x.Curves[a].Steady)
	}) {
		c := &x.Curves[n]
		if c.To.Kind == ports.Peak {
			continue
		}
		row := []string{x.Inputs[c.From].Name, outputText(c), kPerW(c.Steady), reaches(x, c, 0.9)}
		for _, n := range at {
			if !c.Own() && math.Abs(c.Z[n]) < response.FilterBound*c.Steady {
				row = append(row, "0") // below what the response is good to; an input's own is good to that at any time
				continue
			}
			row = append(row, kPerW(c.Z[n]))
		}
		t.Add(row...)
	}
	return t
}

func outputText(c *response.Curve) string {
	if c.Own() {
		return "itself"
	}
	return c.To.Name
}

// reaches is the time at which a curve has come to a part of its end.
func reaches(x *response.Steps, c *response.Curve, part float64) string {
	for n, z := range c.Z {
		if z >= part*c.Steady {
			return terminal.Seconds(x.Times[n])
		}
	}
	return "later"
}

func resolvedText(x *response.Steps) string {
	return fmt.Sprintf("Results are grid-resolved from %s; at shorter times the heated cells behave "+
		"adiabatically.\nSlowest time constant: %s.", terminal.Seconds(x.Resolved), terminal.Seconds(x.Slowest))
}
