package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/machine"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/report/quantity"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/reducedmodel"
	"thermsim/study/reducedmodel/compact"
	"thermsim/study/reducedmodel/modelfiles"
	"thermsim/study/reducedmodel/reduce"
)

const reduceHelp = `Build a reduced-order model of a stack for arbitrary powers over time.

A time step of the model takes microseconds. Inputs are the stack's blocks, uniform
powers and power maps. Outputs are the mean temperatures of their volumes (with
power_at, BLOCK and BLOCK:heated, of the layer's thickness and of the slice), the
probes, and with --peaks the hottest cell of each input when it is powered alone. The
model is linear: powers and traces may differ from those in the stack file, but the
geometry may not. --tol is the largest error allowed, in K, when the power of each
input switches between 0 and its maximum in the stack file. Poles are real and
negative; steady states match the full model.

--out receives model.json (for 'thermsim transient --model'), model.npz (for NumPy),
model.cir (a SPICE subcircuit), run.cir (a deck that runs it with the stack's
powers), and foster.csv and cauer.csv (a self-heating network for each input).
Stacks with temperature-dependent properties or coolant are rejected.

--films keeps the heat-transfer coefficient h of faces and patches as parameters:
top, bottom, west, east, south, north, sides (all four), or a patch as top/NAME. 'steady
--model' and 'transient --model' then take h from the stack or their --films. The
model is passive for any h >= 0; its error is stated for a range, such as top=5..500,
by default 1 to 10000 W/(m^2 K). model.mo (Modelica) replaces the decks and networks. If
no other face loses heat, compact.json, compact.cir, compact.mo and two-resistor.ecxml
hold compact models: two resistors, a star, and a star with shunts (DELPHI).
docs/guides/reduced-models.md has the equations and the accuracy reached.
`

const reduceExample = `  thermsim reduce examples/trace --out model
  thermsim transient examples/trace --model model/model.json --dt "1 ms" --steps 1000
  thermsim reduce chip.toml --tol "0.02 K" --peaks
  thermsim reduce chip.toml --films top=10..5000,bottom,sides=1..50
  cd model && ngspice -b run.cir`

// reduceTol is the default error in K.
const reduceTol = 0.1

type reduceOptions struct {
	study
	tol   float64
	peaks bool
	films []string

	layerCells []int // as in the stack file
}

func newReduceCommand(g *session.Session) *cobra.Command {
	var o reduceOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:     "reduce [STACK]",
		Short:   "Build a reduced-order model for fast transients and for SPICE",
		Long:    reduceHelp,
		Example: reduceExample,
		Annotations: exit.Statuses("0", "1", "2 usage error or invalid input, such as a stack that is not linear",
			"3 a solve of the full model did not converge", "4", "130"),
	}, &o.stack, func(ctx context.Context) error { return runReduce(ctx, g, o) })
	flags.AddOut(cmd, &o.out)
	flags.Rise.Var(cmd.Flags(), &o.tol, "tol", "estimated maximum error of the model (default 0.1 K)")
	cmd.Flags().BoolVar(&o.peaks, "peaks", false, "add the hottest cell of each input as an output")
	cmd.Flags().StringSliceVar(&o.films, "films", nil,
		"keep h as parameters for faces in `RANGES`, e.g. top=5..500,bottom")
	o.addStack(cmd)
	return cmd
}

// defaultFilms is the default range of films in W/(m2 K).
var defaultFilms = [2]float64{1, 1e4}

// parseFilms reads --films.
func parseFilms(texts []string) (films []reducedmodel.Film, err error) {
	for _, text := range texts {
		name, limits, given := strings.Cut(text, "=")
		if slices.ContainsFunc(films, func(f reducedmodel.Film) bool { return f.Name == name }) {
			return nil, exit.Usagef("--films: got %s twice; expected each film once", name)
		}
		film := reducedmodel.Film{Name: name, From: defaultFilms[0], To: defaultFilms[1]}
		if given {
			from, to, _ := strings.Cut(limits, "..")
			var wrong [2]error
			film.From, wrong[0] = stackfile.ParseHeatTransfer(from)
			film.To, wrong[1] = stackfile.ParseHeatTransfer(to)
			if errors.Join(wrong[:]...) != nil || !(film.From > 0 && film.To > film.From) {
				return nil, exit.Usagef("--films: got %q; expected NAME=FROM..TO in W/(m^2 K) with 0 < FROM < TO, "+
					"such as top=5..500", text)
			}
		}
		films = append(films, film)
	}
	return films, nil
}

func runReduce(ctx context.Context, g *session.Session, o reduceOptions) error {
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	s, err := o.load(ctx, g, func(s *stack.Stack) error {
		o.layerCells = reduce.LayerCells(s)
		return nil
	})
	if err != nil {
		return err
	}
	options := reduce.Options{Tol: cmp.Or(o.tol, reduceTol), Peaks: o.peaks, Solve: quietOptions(g, s.Solver)}
	options.Progress = func(solves, states int) {
		p.Enter(fmt.Sprintf("solve %d of the full model, %d directions", solves, states))
	}
	files, err := g.Begin(o.out, staging.Options{Set: "reduce", Command: "reduce"})
	if err != nil {
		return err
	}
	defer files.Abort()
	mesher := mesher(g, true)
	build := func(s *stack.Stack) (*mesh.Mesh, error) {
		m, err := mesher(s)
		if err == nil {
			err = capacity.Check(s, reduce.Bytes(m, len(o.films)), machine.FreeMemory(), "memory")
		}
		return m, err
	}
	var written []staging.File
	var show func()
	if len(o.films) > 0 {
		written, show, err = reduceFilms(ctx, g, s, &o, build, options)
	} else {
		written, show, err = reduceFixed(ctx, g, s, &o, build, options)
	}
	if err != nil {
		return err
	}
	p.Enter("writing")
	if _, err := g.Publish(ctx, files, written...); err != nil {
		return err
	}
	p.Stop()
	if show(); !g.Quiet {
		fmt.Fprintf(g.Stdout, "\n%s are in %s\n", listed(written), o.out)
	}
	return nil
}

// listed lists the names of files.
func listed(files []staging.File) string {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// reduceFixed reduces a stack with fixed boundaries.
func reduceFixed(ctx context.Context, g *session.Session, s *stack.Stack, o *reduceOptions, build reduce.Builder,
	options reduce.Options) (files []staging.File, show func(), err error) {
	model, err := reduce.Run(ctx, s, build, options)
	if err != nil {
		return nil, nil, exit.NothingWritten(err)
	}
	model.Origin.StackSHA256, model.Origin.Version = o.shown(s), versionText()
	model.Origin.LayerCells = o.layerCells
	dt, watts, err := deckPowers(s, model)
	if err != nil {
		return nil, nil, err
	}
	ports, files, err := modelfiles.Of(model, dt, watts)
	return files, func() {
		noteEstimate(g, model.Error.EstimateK, model.Error.WantedK)
		if !g.Quiet {
			printModel(g.Console, model, ports)
		}
	}, err
}

func noteEstimate(g *session.Session, estimate, wanted float64) {
	if estimate > wanted {
		g.Note("the estimated error of the model is %.2g K, above the requested %.2g K", estimate, wanted)
	}
}

// reduceFilms reduces a stack with films as parameters.
func reduceFilms(ctx context.Context, g *session.Session, s *stack.Stack, o *reduceOptions, build reduce.Builder,
	options reduce.Options) (files []staging.File, show func(), err error) {
	films, err := parseFilms(o.films)
	if err != nil {
		return nil, nil, err
	}
	p, err := reduce.RunFilms(ctx, s, build, films, options)
	if err != nil {
		return nil, nil, exit.NothingWritten(err)
	}
	p.Origin.StackSHA256, p.Origin.Version = o.shown(s), versionText()
	p.Origin.LayerCells = o.layerCells
	size := [3]float64{s.Size[0], s.Size[1], s.Height()}
	models, files, err := modelfiles.OfFilms(p, size)
	return files, func() {
		noteEstimate(g, math.Max(p.Error.BoundK, p.Error.EstimateK()), p.Error.WantedK)
		noteNetworks(g, models)
		if !g.Quiet {
			printFilms(g.Console, p, models)
		}
	}, err
}

// noteNetworks warns of compact models that are useless in a part of the ranges.
func noteNetworks(g *session.Session, models *compact.Models) {
	if models == nil {
		return
	}
	for i := range models.Networks {
		n, open := &models.Networks[i], ""
		if films := models.Open(n); len(films) > 0 {
			open = ", because it does not connect " + strings.Join(films, ", ")
		}
		if n.JunctionMax > 1 {
			g.Note("compact model %s: the error of the junction's rise reaches %.2g %%%s; use another one", n.Name,
				100*n.JunctionMax, open)
		}
	}
}

// printFilms describes a model with films, and its compact models.
func printFilms(c *terminal.Console, p *reducedmodel.Parametric, models *compact.Models) {
	e := &p.Error
	printHeading(c, p.Title, "Reduced model with films", fullModel(&p.Origin, e.Solves))
	t := terminal.Table{Header: []string{"", ""}}
	t.Add("states", fmt.Sprint(p.States()))
	t.Add("inputs, outputs", fmt.Sprintf("%d, %d", len(p.Inputs), len(p.Outputs)))
	for _, f := range p.Films {
		t.Add("film "+f.Name, fmt.Sprintf("%.4g to %.4g W/(m^2 K), default %.4g, %.4g mm2", f.From, f.To, f.H,
			f.Area*1e6))
	}
	t.Add("error, steady", fmt.Sprintf("at most %.2g K at %d combinations of h, %.2g K wanted", e.BoundK, e.Points,
		e.WantedK))
	t.Add("error after steps", fmt.Sprintf("%.2g K estimated", e.StepK))
	t.Add("error checked", fmt.Sprintf("%.2g K at %d random combinations of h", e.CheckedK, e.Checks))
	t.Write(c, c.Stdout)
	if models == nil {
		return
	}
	fmt.Fprintf(c.Stdout, "\n%s  %s\n", c.Bold("Compact models"), c.Dim(fmt.Sprintf("junction %s; largest errors "+
		"at %d combinations of h, no bounds", models.Junction, models.Environments)))
	networks := terminal.Table{Header: []string{"model", ">resistors", ">junction max %", ">mean %", ">heat max %"}}
	for _, n := range models.Networks {
		networks.Add(n.Name, fmt.Sprint(len(n.Resistors)), fmt.Sprintf("%.2g", 100*n.JunctionMax),
			fmt.Sprintf("%.2g", 100*n.JunctionMean), fmt.Sprintf("%.2g", 100*n.HeatMax))
	}
	networks.Write(c, c.Stdout)
}

// deckSteps is how many steps a SPICE run takes at most: each is a corner of every source.
const deckSteps = 2000

// deckPowers are the powers of the stack over its steps of time, or a step from 0 to the steady powers where none are
// given.
func deckPowers(s *stack.Stack, m *reducedmodel.Model) (dt float64, watts [][]float64, err error) {
	dt, steps := modelSteps(&s.Transient, 0, 0, m.Tau[0])
	source, err := inputPowers(s)
	if err != nil {
		return 0, nil, err
	}
	for n := range min(steps, deckSteps) {
		w, err := source.InputWatts(float64(n)*dt, float64(n+1)*dt)
		if err != nil {
			return 0, nil, err
		}
		watts = append(watts, w)
	}
	return dt, watts, nil
}

// inputPowers is the power of a stack on a single cell: sums are all that is asked of it.
func inputPowers(s *stack.Stack) (*powermap.Map, error) {
	p, err := powermap.New(s, powermap.Grid{X: []float64{0, s.Size[0]}, Y: []float64{0, s.Size[1]}})
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	return p, nil
}

// printHeading introduces a model or its results.
func printHeading(c *terminal.Console, title, what, about string) {
	if title != "" {
		fmt.Fprintln(c.Stdout, c.Bold(quantity.Shorten(title, c.Style.Width)))
	}
	fmt.Fprintf(c.Stdout, "%s  %s\n", c.Bold(what), c.Dim(about))
}

// fullModel describes what a model was made of.
func fullModel(o *reducedmodel.Origin, solves int) string {
	return fmt.Sprintf("of %d x %d x %d cells, by %d solves", o.Grid[0], o.Grid[1], o.Grid[2], solves)
}

// printModel describes the model.
func printModel(c *terminal.Console, m *reducedmodel.Model, ports []*reducedmodel.OnePort) {
	e := &m.Error
	printHeading(c, m.Title, "Reduced model", fullModel(&m.Origin, e.Solves))
	t := terminal.Table{Header: []string{"", ""}}
	t.Add("states", fmt.Sprintf("%d, of %d directions", m.States(), e.BasisStates))
	t.Add("inputs, outputs", fmt.Sprintf("%d, %d", len(m.Inputs), len(m.Outputs)))
	t.Add("time constants", fmt.Sprintf("%s to %s", terminal.Seconds(m.Tau[len(m.Tau)-1]), terminal.Seconds(m.Tau[0])))
	t.Add("error after steps", fmt.Sprintf("%.2g K estimated, %.2g K wanted, within the power ranges of the inputs",
		e.EstimateK, e.WantedK))
	t.Add("error held out", fmt.Sprintf("%.2g K at %d frequencies that are not in the basis", e.FrequencyK,
		len(e.HeldOut)))
	sections := 0
	for _, p := range ports {
		sections = max(sections, len(p.Foster.R))
	}
	t.Add("Foster and Cauer", fmt.Sprintf("%d networks of up to %d sections", len(ports), sections))
	t.Write(c, c.Stdout)
}
