package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/picture"
	"thermsim/stack"
	"thermsim/stack/stackfile"
	"thermsim/study/sensitivity"
	"thermsim/study/sensitivity/display"
)

const sensitivityHelp = `Compute the derivatives of temperatures with respect to all parameters.

The parameters are every power, thickness, conductivity, contact and heat-transfer
coefficient of a stack. --positions adds x and y of every block, region, die and
patch; --key adds any number of the stack file. All derivatives come from one
additional (adjoint) solve per --of. Stacks with temperature-dependent properties or
coolant are rejected.

--of takes these outputs; without it, a p-norm over the temperature rises of all blocks
approximates the hottest:

  BLOCK, LAYER/BLOCK   mean of the volume that a block heats
  NAME:peak            hottest cell of a LAYER, LAYER/BLOCK or LAYER/REGION
  probe/NAME           probe
  max                  hottest cell of the stack
  limit                hottest cell of the part with the smallest margin to its tmax
  limits               hottest cells of all parts with a tmax, an output each
  peaks                hottest cells of all blocks, an output each
  rth                  (max - ambient) / power

The output files are sensitivity.csv, sensitivity.json and sensitivity.png, a tornado
chart of the effect of a 1 % increase of each parameter, for the first --of.
`

const sensitivityExample = `  thermsim sensitivity examples/mol10-ev6
  thermsim sensitivity chip.toml --of core0 --of max --positions
  thermsim sensitivity chip.toml --key layer.tim.thickness --key ambient
  thermsim sensitivity chip.toml --json | jq '.of[] | select(.kind == "thickness")'`

type sensitivityOptions struct {
	responseOptions
	of        []string
	norm      float64
	positions bool
	keys      []string
}

func newSensitivityCommand(g *session.Session) *cobra.Command {
	var o sensitivityOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:         "sensitivity [STACK]",
		Short:       "Compute how a temperature changes with each power, size, k, h and position",
		Long:        sensitivityHelp,
		Example:     sensitivityExample,
		Annotations: exit.Statuses("0", "1", "2", "3", "4", "130"),
	}, &o.stack, func(ctx context.Context) error { return runSensitivity(ctx, g, o) })
	f := cmd.Flags()
	f.StringArrayVar(&o.of, "of", nil, "differentiate this `OUTPUT`, e.g. max; repeatable (default all blocks)")
	f.Float64Var(&o.norm, "norm", sensitivity.DefaultNorm, "p-norm of block temperature rises; larger is nearer "+
		"the peak")
	f.BoolVar(&o.positions, "positions", false, "add x and y of blocks, regions, dies and patches")
	f.StringArrayVar(&o.keys, "key", nil, "add a number of the stack file, as `KEY` or KEY=VALUE; repeatable")
	o.addFlags(cmd)
	return cmd
}

// keysOf are the numbers of the stack file by which to differentiate.
func (o *study) keysOf(g *session.Session, texts []string) (all []sensitivity.Key, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	path, err := ownFile(o.stack)
	if err != nil {
		return nil, err
	}
	open := cached(o.opener())
	for _, text := range texts {
		key, value, given := strings.Cut(text, "=")
		if !given {
			if value, err = stackfile.ValueOf(open, path, key, o.set...); err != nil {
				return nil, err
			}
		}
		number, unit, err := stackfile.SplitQuantity(value)
		if err != nil {
			return nil, exit.Usagef("--key %s: got %q; expected a number with or without a unit. Fix: --key %s=VALUE",
				key, value, key)
		}
		all = append(all, sensitivity.Key{Name: key, Value: number, Unit: unit,
			Stack: func(x float64) (*stack.Stack, error) {
				set, err := stackfile.SetNumber(key, x, unit)
				if err != nil {
					return nil, err
				}
				s, err := stackfile.LoadWith(open, path, append(slices.Clone(o.set), set)...)
				if err == nil {
					g.Default.Apply(s)
				}
				return s, err
			}})
	}
	return all, nil
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
	keys, err := o.keysOf(g, o.keys)
	if err != nil {
		return err
	}
	p.Enter("solving")
	build, meshes := mesher(g, false), 0
	if o.of == nil {
		o.of = []string{""}
	}
	var objectives []sensitivity.Objective
	for _, of := range o.of {
		objectives = append(objectives, sensitivity.Objective{Of: of, Norm: o.norm})
	}
	all, err := sensitivity.Of(ctx, s, objectives, sensitivity.Options{Solver: solverOptions(g, s.Solver, p),
		Positions: o.positions, Keys: keys, Mesh: func(s *stack.Stack) (*mesh.Mesh, error) {
			if meshes++; meshes == 1 {
				return build(s)
			}
			p.Enter("differentiating") // a mesh as large as the first
			return mesh.Build(s)
		}})
	if err != nil {
		return exit.NothingWritten(err)
	}
	for n := range all {
		display.Sort(&all[n])
	}
	chart := display.Picture(cmp.Or(s.Title, s.File), &all[0])
	_, err = g.Publish(ctx, out,
		staging.File{Name: "sensitivity.csv", Write: func(w io.Writer) error { return display.CSV(w, all) }},
		staging.File{Name: "sensitivity.json", Write: func(w io.Writer) error { return display.JSON(w, all) }},
		staging.File{Name: "sensitivity.png", Write: func(w io.Writer) error { return chart.Write(w, picture.PNG) }})
	if err != nil {
		return err
	}
	p.Stop()
	return o.show(g, func(w io.Writer) error { return display.JSON(w, all) },
		func(c *terminal.Console) error {
			for n := range all {
				writeSensitivity(c, &all[n])
			}
			_, err := fmt.Fprintf(c.Stdout, "\nWrote sensitivity.csv, sensitivity.json, sensitivity.png into %s\n",
				out.Dir())
			return err
		})
}

func writeSensitivity(c *terminal.Console, r *sensitivity.Result) {
	t := terminal.Table{Header: []string{"parameter", ">value", "unit", ">" + r.Unit + " per unit",
		">" + r.Unit + " per +1 %"}, Cut: "sensitivity.csv, or -v"}
	moves := terminal.Table{Header: []string{"position", ">mm", ">" + r.Unit + " per mm"}, Cut: t.Cut}
	for i := range r.Of {
		v := &r.Of[i]
		value, derivative := strconv.FormatFloat(v.Value, 'g', 5, 64), strconv.FormatFloat(v.Derivative, 'g', 5, 64)
		percent := fmt.Sprintf("%+.4f", v.PerPercent())
		switch {
		case v.Position():
			moves.Add(display.Label(v), fmt.Sprintf("%.4g", v.Value*1e3), fmt.Sprintf("%+.4g", v.Derivative*1e-3))
			continue
		case !v.Scales():
			percent = "-"
		case r.Unit != "K":
			percent = fmt.Sprintf("%+.3g", v.PerPercent())
		}
		unit := v.Unit
		if v.Kind == sensitivity.Conductivity {
			unit = "times"
		}
		t.Add(display.Label(v), value, unit, derivative, percent)
	}
	fmt.Fprintf(c.Stdout, "%s  %s, %s\n", c.Bold("Sensitivities"), r.Name, display.Value(r))
	t.Write(c, c.Stdout)
	if len(moves.Rows) > 0 {
		moves.Write(c, c.Stdout)
	}
}
