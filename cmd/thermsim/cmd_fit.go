package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/inputfile"
	"thermsim/internal/staging"
	"thermsim/report/jsonfile"
	"thermsim/report/picture"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/fit"
	"thermsim/study/fit/display"
	"thermsim/study/sweep/lanes"
)

const fitHelp = `Calibrate values of a stack to measurements, by nonlinear least squares.

--vary names the values to fit, as --set does, with the range that each may have. The
fit starts from the value in the stack file, or else from the middle of the range.
DATA are CSV files, recognized by their header:

  probe, temperature [degC]        steady temperatures, as --measured takes them
  x [mm], y [mm], layer, temperature [degC]    the same as a map of layers
  time_s, Zth_K_per_W              a response to a step of 1 W, as in zth.csv
  R_K_per_W, tau_s                 the same as a Foster network
  R_K_per_W, C_J_per_K             the same as a Cauer network
  R_sum_K_per_W, C_sum_J_per_K     the same as a structure function

Temperatures that the stack file has in [measured] are used unless DATA has others.
The result lists each value with its 95 % confidence interval, and the combinations
of values that the data do not determine.

The output files are fit.csv, fit_values.csv, fit.json, fitted.toml (the stack with
the fitted values) and the pictures fit_residuals.png and fit_zth.png.
docs/guides/fit.md has the method.
`

const fitExample = `  thermsim fit chip.toml probes.csv --vary 'layer.tim.thickness=20:100 um' --sigma 0.2K
  thermsim fit chip.toml zth.csv --vary 'materials.grease.k=1:10' --vary boundary.top.h=1e3:1e4
  thermsim fit chip.toml camera.csv --vary 'layer.tim.thickness=20:100 um,50:5 um' --sigma 0.2K`

type fitOptions struct {
	study
	data, vary []string
	sigma      fit.Sigmas
}

func newFitCommand(g *session.Session) *cobra.Command {
	var o fitOptions
	cmd := &cobra.Command{
		Use:     "fit [STACK] [DATA]...",
		Short:   "Calibrate values of a stack to measured temperatures and step responses",
		Long:    fitHelp,
		Example: fitExample,
		Annotations: exit.Statuses("0", "1", "2", "3 the fit did not converge, and its files were written; or a solve",
			"4", "130"),
		ValidArgsFunction: flags.CompleteStack,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.data = args; len(args) > 0 && !strings.EqualFold(filepath.Ext(args[0]), ".csv") {
				o.stack, o.data = args[0], args[1:]
			}
			return runFit(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.vary, "vary", nil, "fit a value within `KEY=LOW:HIGH`; add ,MEAN:SIGMA for a prior; repeatable")
	flags.Rise.Var(f, &o.sigma.Temperature, "sigma", "standard deviation of temperatures (default: from the residuals)")
	flags.Ratio.Var(f, &o.sigma.Impedance, "sigma-zth", "relative standard deviation of responses (default: from "+
		"the residuals)")
	flags.AddOut(cmd, &o.out)
	flags.AddJSON(cmd, &o.json)
	flags.AddGrid(cmd, &o.grid)
	flags.AddDevice(cmd, &o.device, flags.DeviceUsage)
	flags.AddPrecond(cmd, &o.precond)
	o.set.Add(f)
	return cmd
}

// fitter makes stacks of values.
type fitter struct {
	fit.Problem
	o        *fitOptions
	path     string
	open     stackfile.Opener
	base     *stack.Stack // on its grid, which all others share if it was chosen or given
	measured []string     // files of temperatures
	model    fit.Model
}

func runFit(ctx context.Context, g *session.Session, o fitOptions) error {
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	v := &fitter{o: &o, open: cached(inputfile.Read)}
	if err := v.prepare(ctx, g); err != nil {
		return err
	}
	out, err := o.begin(g, "fit", v.base)
	if err != nil {
		return err
	}
	defer out.Abort()
	opened, err := lanes.Open(v.model.Solver)
	if err != nil {
		return err
	}
	if !g.Ends {
		defer opened.Close()
	}
	v.Compute = func(ctx context.Context, x []float64) ([]float64, error) {
		s, err := v.stack(x)
		if err != nil {
			return nil, err
		}
		m := v.model
		lane := <-opened.Free
		defer func() { opened.Free <- lane }()
		m.Solver.Executor = lane
		return m.Compute(ctx, s)
	}
	v.Progress = func(iteration int) { p.Enter(fmt.Sprintf("iteration %d", iteration)) }
	r, err := fit.Run(ctx, &v.Problem)
	if err != nil {
		return exit.NothingWritten(err)
	}
	files, err := v.files(r)
	if err != nil {
		return err
	}
	done, err := g.Publish(ctx, out, files...)
	if err != nil {
		return err
	}
	p.Stop()
	err = o.show(g, func(w io.Writer) error { return jsonfile.Write(w, r.Report) },
		func(c *terminal.Console) error { return writeFit(c, r, len(done.Files), out.Dir()) })
	if r.AllAtBounds() {
		g.Note("warning: all fitted values are at their bounds, so that this is no fit. Fix: wider ranges of --vary, " +
			"or check the units of the data, the powers and the other values of the stack")
	}
	if err == nil && !r.Converged {
		err = exit.With(exit.NotConverged, fmt.Errorf("the fit did not converge: %s", r.Reason))
	}
	return err
}

// prepare reads everything, and checks that it fits together.
func (v *fitter) prepare(ctx context.Context, g *session.Session) (err error) {
	if v.path, err = ownFile(v.o.stack); err != nil {
		return err
	}
	if v.base, err = v.o.load(ctx, g, nil); err != nil {
		return err
	}
	for _, path := range v.o.data {
		data, err := v.open(path)
		if err != nil {
			return exit.Usagef("cannot read the data: %w", err)
		}
		g.Inputs = append(g.Inputs, path)
		curves, err := fit.ReadCurves(path, data)
		if err != nil {
			return err
		}
		if v.model.Curves = append(v.model.Curves, curves...); len(curves) == 0 {
			v.measured = append(v.measured, path)
		}
	}
	if err := v.readParameters(g); err != nil {
		return err
	}
	first, err := v.stack(nil)
	if err != nil {
		return err
	}
	if v.Values, v.Known, err = v.model.Values(first, v.o.sigma); err != nil {
		return err
	}
	if len(v.Values) == 0 {
		return exit.Usagef("fit: got no measured values. Fix: give DATA, or [measured] in the stack file")
	}
	prior := slices.ContainsFunc(v.Parameters, func(p fit.Parameter) bool { return p.Prior != nil })
	if !v.Known && (prior || len(v.model.Curves) > 0 && len(first.Measured.Values) > 0) {
		return exit.Usagef("fit: got values without standard deviations, which weight temperatures, responses and " +
			"priors against each other. Fix: add --sigma and --sigma-zth")
	}
	v.model.Solver, v.model.Mesh = quietOptions(g, v.base.Solver), mesher(g, len(v.model.Curves) > 0)
	return nil
}

// readParameters reads --vary. A fit starts from the values in the stack file.
func (v *fitter) readParameters(g *session.Session) error {
	if len(v.o.vary) == 0 {
		return exit.Usagef("fit: got nothing to fit. Fix: add --vary, such as --vary boundary.top.h=1000:10000")
	}
	for _, text := range v.o.vary {
		p, err := fit.ParseParameter(text)
		if err != nil {
			return exit.Usagef("--vary %s: %w", text, err)
		}
		p.Start = v.o.startOf(g, v.open, v.path, p.Key, p.Unit, p.Range)
		v.Parameters = append(v.Parameters, p)
	}
	return nil
}

// set sets some values of the first parameters.
func (v *fitter) set(x []float64) ([]stackfile.Override, error) {
	set := slices.Clone(v.o.set)
	for i := range x {
		o, err := stackfile.SetNumber(v.Parameters[i].Key, x[i], v.Parameters[i].Unit)
		if err != nil {
			return nil, err
		}
		set = append(set, o)
	}
	return set, nil
}

// stack of some values, with the measured temperatures.
func (v *fitter) stack(x []float64) (*stack.Stack, error) {
	set, err := v.set(x)
	if err != nil {
		return nil, err
	}
	s, err := v.o.variant(v.open, v.path, v.base, set)
	if err != nil {
		return nil, err
	}
	var values []stack.MeasuredValue
	for _, path := range v.measured {
		if err := stackfile.LoadMeasured(v.open, s, path); err != nil {
			return nil, err
		}
		values = append(values, s.Measured.Values...)
		s.Measured.Values = values
	}
	return s, nil
}

// files are all files of a fit.
func (v *fitter) files(r *fit.Result) ([]staging.File, error) {
	x := make([]float64, len(r.Fitted))
	comments := stackfile.Comments{Head: []string{"Values that thermsim " + versionText() + " fitted to " +
		strconv.Itoa(len(r.Values)) + " measured values:"}}
	for i := range x {
		e := &r.Fitted[i]
		x[i] = e.Value
		comments.Head = append(comments.Head, fmt.Sprintf("%s = %.6g %s, %s", e.Key, x[i], e.Unit, intervalText(e)))
	}
	set, err := v.set(x)
	if err != nil {
		return nil, err
	}
	fitted, err := stackfile.LoadWith(v.open, v.path, set...)
	if err != nil {
		return nil, err
	}
	title := cmp.Or(v.base.Title, v.path)
	residuals, responses := display.Residuals(title, r), display.Responses(title, r)
	files := []staging.File{
		{Name: "fit.csv", Write: func(w io.Writer) error { return display.CSV(w, r) }},
		{Name: "fit_values.csv", Write: func(w io.Writer) error { return display.Values(w, r) }},
		{Name: "fit.json", Write: func(w io.Writer) error { return jsonfile.Write(w, r.Report) }},
		{Name: "fitted.toml", Write: func(w io.Writer) error { return stackfile.PrintCommented(w, fitted, comments) }},
		{Name: "fit_residuals.png", Write: func(w io.Writer) error { return residuals.Write(w, picture.PNG) }},
	}
	if responses != nil {
		files = append(files, staging.File{Name: "fit_zth.png", Write: func(w io.Writer) error {
			return responses.Write(w, picture.PNG)
		}})
	}
	return files, nil
}

// intervalText is the confidence interval of a parameter, or why it has none.
func intervalText(e *fit.Estimate) string {
	if e.Interval != nil {
		return fmt.Sprintf("%.5g to %.5g", e.Interval[0], e.Interval[1])
	}
	return string(e.State)
}

// mostChiSquare is the sum of squares per degree of freedom above which a fit is doubtful.
const mostChiSquare = 3

// curved is the ratio of increases of chi-square above which the covariance does not describe the joint region.
const curved = 2

func writeRegion(c *terminal.Console, r *fit.Region) {
	if r == nil {
		return
	}
	fmt.Fprintf(c.Stdout, "Joint 95 %% region: chi-square at most %.3g above its minimum; the start is %.3g above.\n",
		r.Increase, r.Start)
	if r.Ends > curved*r.Increase {
		fmt.Fprintf(c.Stdout, "The region is curved: on the ellipsoid of the covariance, chi-square rises by up to "+
			"%.3g. Judge several parameters together by chi-square, not by their correlations.\n", r.Ends)
	}
}

func writeFit(c *terminal.Console, r *fit.Result, files int, dir string) error {
	t := terminal.Table{Header: []string{"parameter", ">start", ">fitted", "95 % interval", "unit"},
		Cut: "fit.csv, or -v"}
	for i := range r.Fitted {
		e := &r.Fitted[i]
		t.Add(e.Key, fmt.Sprintf("%.5g", e.Start), fmt.Sprintf("%.5g", e.Value), intervalText(e), e.Unit)
	}
	verdict := "Converged"
	switch {
	case !r.Converged:
		verdict = "Not converged"
	case r.AllAtBounds():
		verdict = "No fit"
	}
	t.Titled(c, "Fit", fmt.Sprintf("%d values, %d iterations, %d evaluations", len(r.Values), r.Iterations,
		r.Solved))
	fmt.Fprintf(c.Stdout, "\n%s: %s.\n", verdict, r.Reason)
	for _, d := range r.Deviations {
		fmt.Fprintf(c.Stdout, "Residuals of %d %s values: %.3g %s rms, before the fit %.3g %[4]s.\n", d.Values, d.Kind,
			d.After, d.Unit, d.Before)
	}
	if r.Known && r.Freedom > 0 {
		ratio, doubt := r.ChiSquare/float64(r.Freedom), ""
		if ratio > mostChiSquare {
			doubt = " The model does not explain the data within sigma: the intervals are too narrow."
		}
		fmt.Fprintf(c.Stdout, "Chi-square per degree of freedom: %.3g (of %d); 1 is expected.%s\n", ratio, r.Freedom,
			doubt)
	}
	writeRegion(c, r.Region)
	for _, w := range r.Weak {
		text := ""
		for n, key := range w.Keys {
			text += fmt.Sprintf(", %s by %+.3g %s", key, w.Changes[n], w.Units[n])
		}
		fmt.Fprintf(c.Stdout, "Not determined by the data: changing %s shifts no value by more than %.2g standard "+
			"deviations.\n", strings.TrimSpace(text[2:]), w.Effect)
	}
	_, err := fmt.Fprintf(c.Stdout, "Wrote %d files into %s, the stack with these values as fitted.toml\n", files, dir)
	return err
}
