package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/picture"
	"thermsim/stack"
	"thermsim/study/sensitivity"
	"thermsim/study/sensitivity/display"
)

const sensitivityHelp = `Compute the derivatives of a temperature with respect to all parameters.

The parameters are every power, thickness, conductivity, contact and heat-transfer
coefficient of a stack; all derivatives come from one additional (adjoint) solve.
The temperature is the mean of a block, or without --of a p-norm over the
temperature rises of all blocks, which approximates the hottest. Stacks with
temperature-dependent properties or coolant are rejected.

The output files are sensitivity.csv, sensitivity.json and sensitivity.png, a tornado
chart of the effect of a 1 % increase of each parameter.
`

const sensitivityExample = `  thermsim sensitivity examples/mol10-ev6
  thermsim sensitivity chip.toml --of core0
  thermsim sensitivity chip.toml --json | jq '.of[] | select(.kind == "thickness")'`

type sensitivityOptions struct {
	responseOptions
	of   string
	norm float64
}

func newSensitivityCommand(g *session.Session) *cobra.Command {
	var o sensitivityOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:         "sensitivity [STACK]",
		Short:       "Compute how a temperature changes with each power, thickness, k and h",
		Long:        sensitivityHelp,
		Example:     sensitivityExample,
		Annotations: exit.Statuses("0", "1", "2", "3", "4", "130"),
	}, &o.stack, func(ctx context.Context) error { return runSensitivity(ctx, g, o) })
	f := cmd.Flags()
	f.StringVar(&o.of, "of", "", "the mean of this block, as `BLOCK` or LAYER/BLOCK (default all of them)")
	f.Float64Var(&o.norm, "norm", sensitivity.DefaultNorm, "p-norm of block temperature rises; larger is nearer "+
		"the peak")
	o.addFlags(cmd)
	return cmd
}

func runSensitivity(ctx context.Context, g *session.Session, o sensitivityOptions) error {
	if !(o.norm >= 1 && o.norm <= 1000) {
		return exit.Usagef("--norm %g: write a number from 1 to 1000", o.norm)
	}
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	s, out, err := o.begin(ctx, g, "sensitivity")
	if err != nil {
		return err
	}
	defer out.Abort()
	p.Enter("solving")
	build, meshes := mesher(g, false), 0
	r, err := sensitivity.Of(ctx, s, sensitivity.Objective{Of: o.of, Norm: o.norm},
		sensitivity.Options{Solver: solverOptions(g, s.Solver, p), Mesh: func(s *stack.Stack) (*mesh.Mesh, error) {
			if meshes++; meshes == 1 {
				return build(s)
			}
			p.Enter(fmt.Sprintf("differentiating, mesh %d", meshes)) // as large as the first
			return mesh.Build(s)
		}})
	if err != nil {
		return exit.NothingWritten(err)
	}
	display.Sort(r)
	chart := display.Picture(cmp.Or(s.Title, s.File), r)
	_, err = g.Publish(ctx, out,
		staging.File{Name: "sensitivity.csv", Write: func(w io.Writer) error { return display.CSV(w, r) }},
		staging.File{Name: "sensitivity.json", Write: func(w io.Writer) error { return display.JSON(w, r) }},
		staging.File{Name: "sensitivity.png", Write: func(w io.Writer) error { return chart.Write(w, picture.PNG) }})
	if err != nil {
		return err
	}
	p.Stop()
	return o.show(g, func(w io.Writer) error { return display.JSON(w, r) },
		func(c *terminal.Console) error { return writeSensitivity(c, r, out.Dir()) })
}

func writeSensitivity(c *terminal.Console, r *sensitivity.Result, dir string) error {
	t := terminal.Table{Header: []string{"parameter", ">value", "unit", ">K per unit", ">K per +1 %"},
		Cut: "sensitivity.csv, or -v"}
	for i := range r.Of {
		v := &r.Of[i]
		percent := fmt.Sprintf("%+.4f", v.PerPercent())
		if v.Kind == sensitivity.Temperature {
			percent = "-"
		}
		unit := v.Unit
		if v.Kind == sensitivity.Conductivity {
			unit = "times"
		}
		t.Add(display.Label(v), strconv.FormatFloat(v.Value, 'g', 5, 64), unit,
			strconv.FormatFloat(v.Derivative, 'g', 5, 64), percent)
	}
	fmt.Fprintf(c.Stdout, "%s  %s, %.3f degC\n", c.Bold("Sensitivities"), r.Name, terminal.Celsius(r.Kelvin))
	t.Write(c, c.Stdout)
	_, err := fmt.Fprintf(c.Stdout, "\nWrote sensitivity.csv, sensitivity.json, sensitivity.png into %s\n", dir)
	return err
}
