package main

import (
	"cmp"
	"context"
	"fmt"

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
	"thermsim/study/reducedmodel"
	"thermsim/study/reducedmodel/modelfiles"
	"thermsim/study/reducedmodel/reduce"
)

const reduceHelp = `Build a reduced-order model of a stack for arbitrary powers over time.

A time step of the model takes microseconds. Inputs are the stack's blocks, uniform
powers and power maps. Outputs are the mean temperatures of the heated volumes, the
probes, and with --peaks the hottest cell of each input when it is powered alone. The
model is linear: powers and traces may differ from those in the stack file, but the
geometry may not. --tol is the largest error allowed, in K, when the power of each
input switches between 0 and its maximum in the stack file. Poles are real and
negative; steady states match the full model.

--out receives model.json (for 'thermsim transient --model'), model.npz (for NumPy),
model.cir (a SPICE subcircuit), run.cir (a deck that runs it with the stack's
powers), and foster.csv and cauer.csv (a self-heating network for each input).
Stacks with temperature-dependent properties or coolant are rejected.
docs/guides/reduced-models.md has the equations and the accuracy reached.
`

const reduceExample = `  thermsim reduce examples/trace --out model
  thermsim transient examples/trace --model model/model.json --dt "1 ms" --steps 1000
  thermsim reduce chip.toml --tol "0.02 K" --peaks
  cd model && ngspice -b run.cir`

// reduceTol is the default error in K.
const reduceTol = 0.1

type reduceOptions struct {
	study
	tol   float64
	peaks bool
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
	o.addStack(cmd)
	return cmd
}

func runReduce(ctx context.Context, g *session.Session, o reduceOptions) error {
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	s, err := o.load(ctx, g, nil)
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
	build := mesher(g, true)
	model, err := reduce.Run(ctx, s, func(s *stack.Stack) (*mesh.Mesh, error) {
		m, err := build(s)
		if err == nil {
			err = capacity.Check(s, reduce.Bytes(m), machine.FreeMemory(), "memory")
		}
		return m, err
	}, options)
	if err != nil {
		return exit.NothingWritten(err)
	}
	model.Origin.StackSHA256, model.Origin.Version = o.shown(s), versionText()
	p.Enter("writing")
	dt, watts, err := deckPowers(s, model)
	if err != nil {
		return err
	}
	ports, written, err := modelfiles.Of(model, dt, watts)
	if err != nil {
		return err
	}
	if _, err := g.Publish(ctx, files, written...); err != nil {
		return err
	}
	p.Stop()
	if e := &model.Error; e.EstimateK > e.WantedK {
		g.Note("the estimated error of the model is %.2g K, above the requested %.2g K", e.EstimateK,
			e.WantedK)
	}
	if !g.Quiet {
		printModel(g.Console, model, ports, o.out)
	}
	return nil
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

// printModel describes the model.
func printModel(c *terminal.Console, m *reducedmodel.Model, ports []*reducedmodel.OnePort, out string) {
	e := &m.Error
	if m.Title != "" {
		fmt.Fprintln(c.Stdout, c.Bold(quantity.Shorten(m.Title, c.Style.Width)))
	}
	fmt.Fprintf(c.Stdout, "%s  %s\n", c.Bold("Reduced model"),
		c.Dim(fmt.Sprintf("of %d x %d x %d cells, by %d solves", m.Origin.Grid[0], m.Origin.Grid[1], m.Origin.Grid[2],
			e.Solves)))
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
	fmt.Fprintf(c.Stdout, "\nmodel.json, model.npz, model.cir, run.cir, foster.csv and cauer.csv are in %s\n", out)
}
