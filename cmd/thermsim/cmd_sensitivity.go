package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
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
	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/report/jsonfile"
	"thermsim/report/picture"
	"thermsim/study/sensitivity"
)

var sensitivityHelp = `Tell how far a temperature moves with every power, thickness, conductivity, contact
and film of a stack: all derivatives by one further solve (the adjoint).

The temperature is the mean of a block, or without --of a norm of the rises of all
blocks that comes close to the hottest. Stacks in which something follows the
temperature, and those with coolant, are refused.

Into --out go sensitivity.csv, sensitivity.json and sensitivity.png, a tornado chart
of what 1 % more of each does.
` + exit.Statuses("0", "1", "2", "3", "4", "130")

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
		Use:     "sensitivity [STACK]",
		Short:   "How a temperature changes with every power, thickness, k and h",
		Long:    sensitivityHelp,
		Example: sensitivityExample,
	}, &o.stack, func(ctx context.Context) error { return runSensitivity(ctx, g, o) })
	f := cmd.Flags()
	f.StringVar(&o.of, "of", "", "the mean of this block, as `BLOCK` or LAYER/BLOCK (default all of them)")
	f.Float64Var(&o.norm, "norm", sensitivity.DefaultNorm, "of the rises of all blocks; larger is closer to "+
		"the hottest")
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
	r, err := sensitivity.Of(ctx, s, sensitivity.Objective{Of: o.of, Norm: o.norm},
		sensitivity.Options{Solver: solverOptions(g, s.Solver, p), Mesh: mesher(g, false)})
	if err != nil {
		return exit.NothingWritten(err)
	}
	slices.SortStableFunc(r.Of, func(a, b sensitivity.Sensitivity) int {
		return cmp.Compare(strength(&b), strength(&a))
	})
	chart := tornado(cmp.Or(s.Title, s.File), r)
	_, err = g.Publish(ctx, out,
		staging.File{Name: "sensitivity.csv", Write: func(w io.Writer) error { return sensitivityCSV(w, r) }},
		staging.File{Name: "sensitivity.json", Write: func(w io.Writer) error { return sensitivityJSON(w, r) }},
		staging.File{Name: "sensitivity.png", Write: func(w io.Writer) error { return chart.Write(w, picture.PNG) }})
	if err != nil {
		return err
	}
	p.Stop()
	return o.show(g, func(w io.Writer) error { return sensitivityJSON(w, r) },
		func(c *terminal.Console) error { return writeSensitivity(c, r, out.Dir()) })
}

// strength of a parameter for the order of tables. Temperatures come last: 1 % of 300 K says nothing.
func strength(v *sensitivity.Sensitivity) float64 {
	if v.Kind == sensitivity.Temperature {
		return -1
	}
	return math.Abs(v.PerPercent())
}

// sensitivityLabel names a parameter.
func sensitivityLabel(v *sensitivity.Sensitivity) string {
	switch v.Kind {
	case sensitivity.Contact:
		return "contact above " + v.Name
	case sensitivity.Temperature:
		return "ambient of " + v.Name
	}
	return string(v.Kind) + " of " + v.Name
}

// mostBars is how many of the strongest a chart and the terminal show.
const mostBars = 25

// tornado draws the strongest, without temperatures.
func tornado(title string, r *sensitivity.Result) *picture.Tornado {
	t := &picture.Tornado{Title: title, Subtitle: fmt.Sprintf("%s: %.2f °C", r.Name, terminal.Celsius(r.Kelvin)),
		X: "K for 1 % more"}
	for i := range r.Of {
		if v := &r.Of[i]; v.Kind != sensitivity.Temperature && len(t.Names) < mostBars {
			t.Names, t.Values = append(t.Names, sensitivityLabel(v)), append(t.Values, v.PerPercent())
		}
	}
	return t
}

func sensitivityCSV(w io.Writer, r *sensitivity.Result) error {
	rows := [][]string{{"kind", "name", "value", "unit", "K_per_unit", "K_per_percent"}}
	for i := range r.Of {
		v := &r.Of[i]
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }
		rows = append(rows, []string{string(v.Kind), printable.Cell(v.Name), number(v.Value), v.Unit,
			number(v.Derivative), number(v.PerPercent())})
	}
	table := csv.NewWriter(w)
	return errors.Join(table.WriteAll(rows), table.Error())
}

func sensitivityJSON(w io.Writer, r *sensitivity.Result) error {
	type row struct {
		Kind        sensitivity.Kind `json:"kind"`
		Name        string           `json:"name"`
		Value       float64          `json:"value"`
		Unit        string           `json:"unit"`
		KPerUnit    float64          `json:"K_per_unit"`
		KPerPercent float64          `json:"K_per_percent"`
	}
	out := struct {
		Objective string  `json:"objective"`
		Kelvin    float64 `json:"objective_K"`
		Of        []row   `json:"of"`
	}{Objective: r.Name, Kelvin: r.Kelvin}
	for i := range r.Of {
		v := &r.Of[i]
		out.Of = append(out.Of, row{v.Kind, v.Name, v.Value, v.Unit, v.Derivative, v.PerPercent()})
	}
	return jsonfile.Write(w, out)
}

func writeSensitivity(c *terminal.Console, r *sensitivity.Result, dir string) error {
	t := terminal.Table{Header: []string{"parameter", ">value", "unit", ">K per unit", ">K per +1 %"}}
	shown := 0
	for i := range r.Of {
		v := &r.Of[i]
		if shown++; shown > mostBars {
			break
		}
		percent := fmt.Sprintf("%+.4f", v.PerPercent())
		if v.Kind == sensitivity.Temperature {
			percent = "-"
		}
		unit := v.Unit
		if v.Kind == sensitivity.Conductivity {
			unit = "times"
		}
		t.Add(sensitivityLabel(v), strconv.FormatFloat(v.Value, 'g', 5, 64), unit,
			strconv.FormatFloat(v.Derivative, 'g', 5, 64), percent)
	}
	fmt.Fprintf(c.Stdout, "%s  %s, %.3f degC\n", c.Bold("Sensitivities"), r.Name, terminal.Celsius(r.Kelvin))
	t.Write(c, c.Stdout)
	if more := len(r.Of) - mostBars; more > 0 {
		fmt.Fprintf(c.Stdout, "and %d weaker ones in sensitivity.csv\n", more)
	}
	_, err := fmt.Fprintf(c.Stdout, "\nWrote sensitivity.csv, sensitivity.json, sensitivity.png into %s\n", dir)
	return err
}
