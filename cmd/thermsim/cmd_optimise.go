package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
	"thermsim/interop/importer"
	"thermsim/report"
	"thermsim/report/jsonfile"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/optimise"
	"thermsim/study/optimise/display"
	"thermsim/study/sensitivity"
	"thermsim/study/sweep"
)

const optimiseHelp = `Minimise a temperature over numbers and positions of a stack.

FILE names a stack, the numbers to choose ([[vary]], each within a range) and the dies
and blocks to place ([[move]], without overlap). With [[net]] tables, the length of
wires is a second objective, and each weight in wire = [...] gives one design. With
minimise = "cost", the cost of the numbers is minimised while all limits are met.

Placements come from an annealing on a coarse linear model, from several random starts.
Exact gradients (adjoint solves) improve the best ones, and the numbers. An interrupted
run resumes when restarted. Stacks with temperature-dependent properties or coolant are
rejected.

The output files are optimise.csv and optimise.json (a row for each design), design_1.toml
and so on (the stacks), pictures of the best design (stack.png, floorplan_LAYER.png), and
with several weights optimise.png. docs/guides/optimise.md has the format of FILE.
`

const optimiseExample = `  thermsim optimise placement.toml
  thermsim optimise placement.toml --grid 32x32 --out better
  thermsim optimise placement.toml --json | jq '.designs[0].max_K'`

type optimiseOptions struct {
	study
	file string
}

func newOptimiseCommand(g *session.Session) *cobra.Command {
	var o optimiseOptions
	cmd := &cobra.Command{
		Use:     "optimise FILE",
		Short:   "Choose numbers of a stack and places of its parts for the lowest temperature",
		Long:    optimiseHelp,
		Example: optimiseExample,
		Annotations: exit.Statuses("0", "1", "2", "3 a solve did not converge, or no design meets all limits", "4",
			"130 interrupted; the solved designs are kept for the next run"),
		Args: flags.Arguments(1, 1, "an optimisation file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return runOptimise(cmd.Context(), g, o)
		},
	}
	flags.AddOut(cmd, &o.out)
	flags.AddJSON(cmd, &o.json)
	flags.AddGrid(cmd, &o.grid)
	flags.AddDevice(cmd, &o.device, flags.DeviceUsage)
	flags.AddPrecond(cmd, &o.precond)
	o.set.Add(cmd.Flags())
	return cmd
}

func runOptimise(ctx context.Context, g *session.Session, o optimiseOptions) error {
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	problem, base, err := o.problem(ctx, g)
	if err != nil {
		return err
	}
	problem.Progress = p.Enter
	out, err := o.begin(g, "optimise", base)
	if err != nil {
		return err
	}
	defer out.Abort()
	if problem.Journal, err = o.journal(g, base); err != nil {
		return err
	}
	r, files, err := o.publish(ctx, g, out, problem, cmp.Or(base.Title, o.file))
	if errors.Is(err, sensitivity.ErrObjective) {
		err = fmt.Errorf("%s: %w", o.stack, err)
	}
	if errors.Is(err, context.Canceled) {
		err = exit.With(exit.Interrupted, errors.New("interrupted"))
	}
	if err = problem.Journal.End(err); err != nil {
		return err
	}
	p.Stop()
	err = o.show(g, func(w io.Writer) error { return jsonfile.Write(w, r) },
		func(c *terminal.Console) error { return writeOptimise(c, problem, r, files, out.Dir()) })
	if d := &r.Designs[0]; err == nil && d.Margin != nil && *d.Margin < 0 {
		err = exit.With(exit.NotConverged, fmt.Errorf("no design was found that meets all limits; design 1 exceeds "+
			"them by %.3g K", -*d.Margin))
	}
	return err
}

// publish optimises, and writes all files.
func (o *optimiseOptions) publish(ctx context.Context, g *session.Session, out *staging.Transaction,
	problem *optimise.Problem, title string) (r *optimise.Result, written int, err error) {
	if r, err = optimise.Run(ctx, problem); err != nil {
		return nil, 0, err
	}
	problem.Progress("drawing")
	files, err := o.files(problem, r, title)
	if err != nil {
		return nil, 0, err
	}
	best, err := problem.Stack(r.Parts, &r.Designs[0])
	if err != nil {
		return nil, 0, err
	}
	m, err := problem.Mesh(best)
	if err != nil {
		return nil, 0, err
	}
	style, err := flags.DrawAs([]string{"png"})
	if err != nil {
		return nil, 0, err
	}
	if err := report.CheckPictures(ctx, out, m, &style); err != nil {
		return nil, 0, err
	}
	done, err := g.Publish(ctx, out, files...)
	if err != nil {
		return nil, 0, err
	}
	return r, len(done.Files), nil
}

// journal opens the journal of the solved designs, in a separate folder.
func (o *optimiseOptions) journal(g *session.Session, base *stack.Stack) (*optimise.Journal, error) {
	h := sha256.New()
	text, err := inputfile.Read(o.file)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(h, "%s\n%+v\n%s", text, o.grid, o.precond)
	for _, in := range base.Inputs {
		io.WriteString(h, "\n"+in.SHA256)
	}
	for _, set := range o.set {
		io.WriteString(h, "\n"+set.Text)
	}
	j, err := optimise.OpenJournal(filepath.Join(o.out, "optimise-journal"), versionText(), o.file,
		hex.EncodeToString(h.Sum(nil)))
	if errors.Is(err, sweep.ErrOther) || errors.Is(err, staging.ErrBusy) {
		return nil, exit.Usagef("%w; give another --out, or remove it", err)
	}
	if err == nil && j.Done > 0 {
		g.Note("resuming after %s in %s", importer.Plural(j.Done, "solved design"), j.Path)
	}
	if err == nil {
		g.Keeping("interrupted; the solved designs are in " + j.Path + "; run the same command again to do the rest")
	}
	return j, err
}

// optimiseRTol is the relative residual of solves, well below the differences between designs.
const optimiseRTol = 1e-9

// problem reads the file and the stack.
func (o *optimiseOptions) problem(ctx context.Context, g *session.Session) (*optimise.Problem, *stack.Stack, error) {
	file, err := stackfile.LoadOptimise(o.file)
	if err != nil {
		return nil, nil, err
	}
	g.Inputs = append(g.Inputs, o.file)
	o.stack, o.set = file.Stack, append(slices.Clone(file.Set), o.set...)
	path, err := ownFile(o.stack)
	if err != nil {
		return nil, nil, err
	}
	open := cached(o.opener())
	base, err := o.load(ctx, g, func(s *stack.Stack) error {
		if err := sensitivity.Check(s); err != nil {
			return exit.With(exit.Input, err)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	asked, err := stackfile.LoadWith(open, path, o.set...)
	if err != nil {
		return nil, nil, err
	}
	if asked.Grid.Auto != nil { // it is refined where the parts are now
		base.Grid.Auto, base.Grid.X.Segments, base.Grid.Y.Segments = nil, nil, nil
	}
	base.Solver.Tol, base.Solver.RTol, base.Solver.ATol = 0, optimiseRTol, 0
	q := &optimise.Problem{File: file, Solver: quietOptions(g, base.Solver), Mesh: mesher(g, false)}
	for _, v := range file.Vary {
		q.Start = append(q.Start, o.startOf(g, open, path, v.Key, v.Unit, v.Range))
	}
	q.Load = func(numbers []float64) (*stack.Stack, error) {
		set := slices.Clone(o.set)
		for i, x := range numbers {
			change, err := stackfile.SetNumber(file.Vary[i].Key, x, file.Vary[i].Unit)
			if err != nil {
				return nil, err
			}
			set = append(set, change)
		}
		return o.variant(open, path, base, set)
	}
	return q, base, nil
}

// files are all files except the pictures of the stack.
func (o *optimiseOptions) files(q *optimise.Problem, r *optimise.Result, title string) ([]staging.File, error) {
	files := []staging.File{
		{Name: "optimise.csv", Write: func(w io.Writer) error { return display.CSV(w, r) }},
		{Name: "optimise.json", Write: func(w io.Writer) error { return jsonfile.Write(w, r) }},
	}
	for n := range r.Designs {
		d := &r.Designs[n]
		s, err := q.Stack(r.Parts, d)
		if err != nil {
			return nil, err
		}
		head := []string{fmt.Sprintf("Design %d that thermsim %s found for %s: at most %.2f degC.", n+1, versionText(),
			o.file, d.Max-quantity.ZeroCelsius)}
		files = append(files, staging.File{Name: fmt.Sprintf("design_%d.toml", n+1), Write: func(w io.Writer) error {
			return stackfile.PrintCommented(w, s, stackfile.Comments{Head: head})
		}})
	}
	if len(r.Designs) > 1 {
		chart := display.Front(title, r)
		files = append(files, staging.File{Name: "optimise.png", Write: func(w io.Writer) error {
			return chart.Write(w, picture.PNG)
		}})
	}
	return files, nil
}

func writeOptimise(c *terminal.Console, q *optimise.Problem, r *optimise.Result, files int, dir string) error {
	best := &r.Designs[0]
	fmt.Fprintf(c.Stdout, "%s  %s\n", c.Bold("Optimised"), display.Verdict(r))
	t := terminal.Table{Header: []string{"design", ">objective", ">max degC"}, Cut: "optimise.csv, or -v"}
	wired := r.Initial.Length > 0
	if wired {
		t.Header = append(t.Header, ">wire mm", ">weight")
	}
	limited := r.Initial.Margin != nil
	if limited {
		t.Header = append(t.Header, ">margin K")
	}
	costly := slices.ContainsFunc(q.File.Vary, func(v stackfile.Choice) bool { return v.Cost != 0 })
	if costly {
		t.Header = append(t.Header, map[bool]string{false: ">cost K", true: ">cost"}[limited])
	}
	for i, d := range append([]optimise.Design{r.Initial}, r.Designs...) {
		name := strconv.Itoa(i)
		if i == 0 {
			name = "initial"
		}
		row := []string{name, display.Value(r, d.Value), fmt.Sprintf("%.2f", d.Max-quantity.ZeroCelsius)}
		if wired {
			row = append(row, fmt.Sprintf("%.6g", d.Length*1e3), fmt.Sprintf("%g", d.Weight))
			if i == 0 {
				row[len(row)-1] = ""
			}
		}
		if limited {
			row = append(row, fmt.Sprintf("%+.3f", *d.Margin))
		}
		if costly {
			row = append(row, fmt.Sprintf("%.4g", d.Cost))
		}
		t.Add(row...)
	}
	t.Write(c, c.Stdout)
	parts := terminal.Table{Header: []string{"design 1", ">initial", ">optimised", "unit"}, Cut: "optimise.csv, or -v"}
	for i, v := range q.File.Vary {
		parts.Add(v.Key, fmt.Sprintf("%.5g", r.Initial.Numbers[i]), fmt.Sprintf("%.5g", best.Numbers[i]), v.Unit)
	}
	place := func(at [2]float64) string { return fmt.Sprintf("%.3f, %.3f", at[0]*1e3, at[1]*1e3) }
	for i, name := range r.Parts {
		to := place(best.Places[i])
		if best.Quarters[i] > 0 {
			to += fmt.Sprintf(" turned %d", 90*best.Quarters[i])
		}
		parts.Add(name, place(r.Initial.Places[i]), to, "mm")
	}
	parts.Write(c, c.Stdout)
	var better []string
	for i := range r.Designs {
		if !r.Designs[i].Dominated {
			better = append(better, strconv.Itoa(i+1))
		}
	}
	if len(r.Designs) > 1 {
		fmt.Fprintf(c.Stdout, "Pareto front: designs %s.\n", strings.Join(better, ", "))
	}
	_, err := fmt.Fprintf(c.Stdout, "Wrote %d files into %s, the stacks as design_1.toml and so on\n", files, dir)
	return err
}
