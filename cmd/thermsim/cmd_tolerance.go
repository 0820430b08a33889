package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/staging"
	"thermsim/report/jsonfile"
	"thermsim/report/picture"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/sensitivity"
	"thermsim/study/sweep"
	sweepdisplay "thermsim/study/sweep/display"
	"thermsim/study/tolerance"
	"thermsim/study/tolerance/display"
)

const toleranceHelp = `Compute the distribution of a temperature from the spreads of parameters.

--vary gives the distribution of any number of the stack file:

  KEY=50 um +- 5 um               mean and standard deviation (normal); or +- 10 %
  KEY=lognormal(50 um, 10 %)      mean and standard deviation (lognormal)
  KEY=uniform(40 um, 60 um)       lowest and highest
  KEY=triangular(4, 5, 8)         lowest, most frequent and highest

The stack is solved at quasi-random points: (number of spreads + 2) runs per sample.
The results are the quantiles, the yield (share of runs that meet all limits of the
stack, tmax), and the share of the variance that each parameter causes: S1 alone, ST
with its interactions (Sobol indices). A linear stack is also evaluated to first
order from one adjoint solve.

--out receives tolerance.json, tolerance.csv (the parameters), tolerance.png (a
histogram) and sweep.csv, the table of all runs. An interrupted command resumes when
repeated; --shard and --merge divide it as in 'thermsim sweep'.
`

const toleranceExample = `  thermsim tolerance chip.toml --vary 'layer.tim.thickness=50 um +- 10 %'
  thermsim tolerance chip.toml --vary 'boundary.top.h=uniform(4000, 6000)'
  thermsim tolerance --spreads spreads.toml --of die/core0 --samples 2000`

type toleranceOptions struct {
	sweepOptions
	stack, spreads string
	vary           []string
	of             string
	samples        int
	seed           uint64
	json           bool
}

func newToleranceCommand(g *session.Session) *cobra.Command {
	var o toleranceOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:     "tolerance [STACK]",
		Short:   "Compute the distribution of a temperature from spreads of parameters",
		Long:    toleranceHelp,
		Example: toleranceExample,
		Annotations: exit.Statuses("0", "1", "2 usage error or invalid input; nothing was solved",
			"3 at least one run failed; see the status column of sweep.csv", "4",
			"130 interrupted; the rows of finished runs were written"),
	}, &o.stack, func(ctx context.Context) error { return runTolerance(ctx, g, o) })
	o.addFlags(cmd, "thermsim-tolerance")
	f := cmd.Flags()
	f.StringArrayVar(&o.vary, "vary", nil, "spread of a number of the stack file, as `KEY=SPREAD`; repeatable")
	f.StringVar(&o.spreads, "spreads", "", "sweep `FILE` with the stack, and spreads in its [[vary]] tables")
	f.StringVar(&o.of, "of", "", "`OUTPUT` as in sweep files: LAYER/BLOCK, probe/NAME ... (default maximum)")
	f.IntVar(&o.samples, "samples", 512, "number of samples `N`, rounded up to a multiple of 8")
	f.Uint64Var(&o.seed, "seed", 1, "random seed `S` of the points")
	flags.AddJSON(cmd, &o.json)
	g.AddTimingsFlag(f)
	return cmd
}

// mostSpreads is the number of parameters up to which the points are evenly spread.
const mostSpreads = 100

// design reads the spreads.
func (o *toleranceOptions) design() (*stackfile.SweepFile, *tolerance.Design, error) {
	file := &stackfile.SweepFile{Stack: o.stack, Outputs: []string{}}
	if o.spreads != "" {
		if o.stack != "" {
			return nil, nil, exit.Usagef("--spreads names a file with its stack; omit STACK")
		}
		var err error
		if file, err = stackfile.LoadSweep(o.spreads); err != nil {
			return nil, nil, err
		}
		file.Outputs = []string{}
	}
	if o.of != "" {
		file.Outputs = []string{o.of}
	}
	for _, text := range o.vary {
		v, err := stackfile.ParseVary(text)
		if err != nil {
			return nil, nil, exit.Usagef("--vary %s: %v", text, err)
		}
		file.Vary = append(file.Vary, v)
	}
	for i := range file.Vary {
		if v := &file.Vary[i]; v.Spread == nil {
			return nil, nil, exit.Usagef("%s has no spread. Fix: spread = \"50 um +- 5 um\"", v.Label)
		}
	}
	switch n := len(file.Vary); {
	case n == 0 || n > mostSpreads:
		return nil, nil, exit.Usagef("got %d spreads; expected 1 to %d. Fix: --vary 'KEY=50 um +- 5 um'", n,
			mostSpreads)
	case o.samples < 1:
		return nil, nil, exit.Usagef("--samples %d: write a number above 0", o.samples)
	}
	o.samples = (o.samples + tolerance.Replicates - 1) / tolerance.Replicates * tolerance.Replicates
	h := sha256.New()
	fmt.Fprintf(h, "tolerance %s %d %d", file.SHA256, o.samples, o.seed)
	for i := range file.Vary {
		fmt.Fprintf(h, "\n%q=%q", file.Vary[i].Keys, file.Vary[i].Spread.Text)
	}
	file.SHA256 = hex.EncodeToString(h.Sum(nil))
	return file, &tolerance.Design{Samples: o.samples, Seed: o.seed, Vary: file.Vary}, nil
}

func runTolerance(ctx context.Context, g *session.Session, o toleranceOptions) error {
	file, d, err := o.design()
	if err != nil {
		return err
	}
	plan, err := d.Plan()
	if err != nil {
		return exit.Usagef("%v", err)
	}
	o.file = cmp.Or(o.spreads, session.StackPath(o.stack))
	v, err := o.sweeper(g, file, plan)
	if err != nil {
		return err
	}
	v.finished = func(path string) error { return o.finish(ctx, v, d, path) }
	return v.run(ctx, nil)
}

// finish evaluates the complete table of runs.
func (o *toleranceOptions) finish(ctx context.Context, v *sweeper, d *tolerance.Design, path string) error {
	rows, err := sweep.ReadTable(path)
	if err != nil {
		return err
	}
	table := sweepdisplay.New(v.plan, rows)
	r := tolerance.Evaluate(d, cmp.Or(o.of, sensitivity.Max), o.outcomes(table))
	if r.Runs == 0 {
		return unresolved(len(rows)-1, len(rows)-1, path)
	}
	if err := o.firstOrder(ctx, v, d, r); err != nil {
		v.g.Note("no first-order estimate: %v", err)
	}
	display.Sort(r)
	chart := display.Picture(v.title(), r, table.Numbers(o.column()))
	for _, f := range []staging.File{
		{Name: "tolerance.json", Write: func(w io.Writer) error { return jsonfile.Write(w, r) }},
		{Name: "tolerance.csv", Write: func(w io.Writer) error { return display.CSV(w, r) }},
		{Name: "tolerance.png", Write: func(w io.Writer) error { return chart.Write(w, picture.PNG) }},
	} {
		if err := staging.Replace(filepath.Join(o.out, f.Name), f.Write); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		return jsonfile.Write(v.g.Stdout, r)
	case v.g.Quiet:
		return nil
	}
	writeTolerance(v.g.Console, r)
	_, err = fmt.Fprintf(v.g.Stdout, "\nWrote tolerance.json, tolerance.csv, tolerance.png and sweep.csv into %s\n",
		o.out)
	return err
}

// column of the output in the table of runs.
func (o *toleranceOptions) column() string { return cmp.Or(o.of, "max") + "_K" }

// outcomes of the runs of a table. A thermal runaway is infinitely hot and exceeds any limit.
func (o *toleranceOptions) outcomes(t *sweepdisplay.Table) []tolerance.Outcome {
	kelvin, margin := t.Numbers(o.column()), t.Numbers("margin_K")
	all := make([]tolerance.Outcome, len(kelvin))
	for run := range all {
		all[run] = tolerance.Outcome{Kelvin: kelvin[run], Margin: margin[run]}
		if t.Rows[run][t.Index["status"]] == sweep.Runaway {
			all[run] = tolerance.Outcome{Kelvin: math.Inf(1), Margin: math.Inf(-1)}
		}
	}
	return all
}

// firstOrder differentiates the output by all parameters at their means.
func (o *toleranceOptions) firstOrder(ctx context.Context, v *sweeper, d *tolerance.Design,
	r *tolerance.Result) error {
	// at is the stack at the means, with another value of parameter i.
	at := func(i int, value float64) (*stack.Stack, error) {
		var all []stackfile.Override
		for n := range d.Vary {
			s := d.Vary[n].Spread
			x := s.Mean
			if n == i {
				x = value
			}
			for _, key := range d.Vary[n].Keys {
				set, err := stackfile.SetNumber(key, x, s.Unit)
				if err != nil {
					return nil, err
				}
				all = append(all, set)
			}
		}
		return v.stack(all)
	}
	s, err := at(-1, 0)
	if err == nil {
		err = sensitivity.Check(s)
	}
	if err == nil {
		err = v.chooseGrid(ctx, s)
	}
	if err != nil {
		return err
	}
	s.Solver.Tol, s.Solver.RTol, s.Solver.ATol, s.Solver.Device = 0, 0, 0, o.device
	options := sensitivity.Options{Solver: quietOptions(v.g, s.Solver), Mesh: mesher(v.g, false), KeysOnly: true}
	for i := range d.Vary {
		p := d.Vary[i].Spread
		options.Keys = append(options.Keys, sensitivity.Key{Name: d.Vary[i].Label, Value: p.Mean, Unit: p.Unit,
			Width: p.Sigma / 4, Stack: func(x float64) (*stack.Stack, error) { return at(i, x) }})
	}
	of := cmp.Or(o.of, sensitivity.Max)
	if o.of != "" && !strings.HasPrefix(o.of, sensitivity.Probe) {
		of += sensitivity.Peak
	}
	all, err := sensitivity.Of(ctx, s, []sensitivity.Objective{{Of: of}}, options)
	if err != nil {
		return err
	}
	derivatives := make([]float64, len(d.Vary))
	for i := range derivatives {
		derivatives[i] = all[0].Of[i].Derivative
	}
	r.Linear(all[0].Value, derivatives)
	return nil
}

// writeTolerance prints the verdict, the distribution and the contributions.
func writeTolerance(c *terminal.Console, r *tolerance.Result) {
	fmt.Fprintf(c.Stdout, "%s  %s\n", c.Bold("Tolerance"), display.Verdict(r))
	t := terminal.Table{Header: []string{"degC", ">P1", ">P5", ">P50", ">P95", ">P99", ">mean", ">sigma K"}}
	row := []string{r.Output}
	for _, q := range r.Quantiles {
		row = append(row, display.Celsius(q.Kelvin))
	}
	t.Add(append(row, display.Celsius(r.Mean), fmt.Sprintf("%.3f", r.Sigma))...)
	if f := r.First; f != nil {
		row := []string{"first order"}
		for _, q := range r.Quantiles {
			row = append(row, display.Celsius(f.Kelvin+f.Sigma*math.Sqrt2*math.Erfinv(2*q.Part-1)))
		}
		t.Add(append(row, display.Celsius(f.Kelvin), fmt.Sprintf("%.3f", f.Sigma))...)
	}
	t.Write(c, c.Stdout)
	t = terminal.Table{Header: []string{"parameter", "spread", ">S1 %", ">ST %", ">ST +-", ">first order %"},
		Cut: "tolerance.csv, or -v"}
	for _, p := range r.Parameters {
		first := "-"
		if r.First != nil {
			first = fmt.Sprintf("%.1f", 100*p.Share)
		}
		t.Add(p.Name, p.Spread, fmt.Sprintf("%.1f", 100*p.Alone), fmt.Sprintf("%.1f", 100*p.Total),
			fmt.Sprintf("%.1f", 100*p.TotalError), first)
	}
	t.Titled(c, "Contributions", fmt.Sprintf("to the variance, from %d runs", r.Runs))
}
