package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/jsonfile"
	"thermsim/report/quantity"
	"thermsim/report/tables"
	"thermsim/stack"
	"thermsim/study/converge"
)

const convergeHelp = `Estimate the discretization error of a stack's grid by two finer grids.

The stack is solved on its grid and twice with every cell halved along x, y and z.
For the maxima of the stack and of every block, and for every probe, it prints the
observed order of convergence, the Richardson extrapolation to zero cell size, and
the uncertainty: half the width of the interval in which the exact value is
expected.

The finest grid has 64 times the cells: give a coarse --grid. A maximum is that
of parabolas through the hottest cell and its neighbours, independent of where the
cell centers lie; blocks.csv has the values at cell centers. The default method is
multigrid. With --out, the table is also written, to converge.csv and converge.json.
docs/guides/converge.md has the equations.
`

const convergeExample = `  thermsim converge examples/quickstart --grid 32x32
  thermsim converge chip.toml --grid 64x64 --device gpu
  thermsim converge chip.toml --json | jq '.quantities[0]'`

// convergeTol is the default error of solves in K: well below the changes from grid to grid.
const convergeTol = 1e-5

type convergeOptions struct {
	study
	tol float64
}

func newConvergeCommand(g *session.Session) *cobra.Command {
	var o convergeOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:     "converge [STACK]",
		Short:   "Estimate the discretization error from three grids",
		Long:    convergeHelp,
		Example: convergeExample,
		Annotations: exit.Statuses("0", "1 internal failure", "2 usage error or invalid input",
			"3 a solve did not converge",
			"4 device failure, or the finest grid does not fit into memory",
			"6 thermal runaway: with its leakage the stack has no steady state", "130 interrupted"),
	}, &o.stack, func(ctx context.Context) error { return runConverge(ctx, g, o) })
	flags.AddOut(cmd, &o.out)
	out := cmd.Flags().Lookup("out")
	o.out, out.DefValue, out.Usage = "", "", "write the files into `DIR` (default: no files)"
	o.addStack(cmd)
	flags.Rise.Var(cmd.Flags(), &o.tol, "tol", "convergence tolerance: estimated maximum error (default 1e-5 K)")
	flags.AddJSON(cmd, &o.json)
	return cmd
}

func runConverge(ctx context.Context, g *session.Session, o convergeOptions) error {
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	s, err := o.load(ctx, g, nil)
	if err != nil {
		return err
	}
	var out *staging.Transaction
	if o.out != "" {
		if out, err = o.begin(g, "converge", s); err != nil {
			return err
		}
		defer out.Abort()
	}
	s.Solver.Tol, s.Solver.RTol, s.Solver.ATol = cmp.Or(o.tol, convergeTol), 0, 0
	build := mesher(g, false)
	study, err := converge.Run(ctx, s, solverOptions(g, s.Solver, p),
		func(level int, s *stack.Stack) (*mesh.Mesh, error) {
			p.Enter(fmt.Sprintf("solving grid %d of 3", 3-level))
			return build(s)
		})
	if err != nil {
		return exit.NothingWritten(err)
	}
	asJSON := func(w io.Writer) error { return writeStudyJSON(w, study) }
	if out != nil {
		_, err := g.Publish(ctx, out, staging.File{Name: "converge.json", Write: asJSON},
			staging.File{Name: "converge.csv", Write: func(w io.Writer) error { return writeStudyCSV(w, study) }})
		if err != nil {
			return err
		}
	}
	p.Stop()
	return o.show(g, asJSON,
		func(c *terminal.Console) error { return writeStudy(c, study) })
}

func writeStudy(c *terminal.Console, study *converge.Study) error {
	t := terminal.Table{Header: []string{"maximum of", ">" + gridText(study.Grids[0]), ">" + gridText(study.Grids[1]),
		">" + gridText(study.Grids[2]), ">order", ">extrapolated", ">uncertainty K", "layer"},
		Cut: "-v or --json"}
	for i := range study.Quantities {
		q := &study.Quantities[i]
		order := "-"
		if !math.IsNaN(q.Order) {
			order = fmt.Sprintf("%.2f", q.Order)
		}
		digits := decimals(q.Uncertainty)
		kelvin := func(v float64) string { return fmt.Sprintf("%.*f", digits, terminal.Celsius(v)) }
		t.Add(quantityName(q), kelvin(q.Values[0]), kelvin(q.Values[1]), kelvin(q.Values[2]), order,
			kelvin(q.Extrapolated), fmt.Sprintf("%.2g", q.Uncertainty), q.Layer)
	}
	t.Titled(c, "Convergence", "degC; cells along x, y and z of the three grids")
	_, err := fmt.Fprintf(c.Stdout, "\nThe exact value is expected within the uncertainty of the extrapolated one.\n"+
		"Order 2 is that of the scheme; - means that none was observed.\n")
	return err
}

func gridText(g converge.Grid) string { return fmt.Sprintf("%dx%dx%d", g.NX, g.NY, g.NZ) }

func quantityName(q *converge.Quantity) string {
	switch q.Kind {
	case "block":
		return q.Block
	case "probe":
		return "probe " + q.Probe
	}
	return "the stack"
}

// decimals show two digits of an uncertainty, 2 to 6 of them.
func decimals(uncertainty float64) int {
	if !(uncertainty > 0) {
		return 6
	}
	return min(6, max(2, 1-int(math.Floor(math.Log10(uncertainty)))))
}

// writeStudyCSV writes a row for each quantity; an order that was not observed is empty.
func writeStudyCSV(w io.Writer, study *converge.Study) error {
	rows := [][]string{{"kind", "layer", "name", "coarse_K", "medium_K", "fine_K", "order", "extrapolated_K",
		"uncertainty_K"}}
	for i := range study.Quantities {
		q := &study.Quantities[i]
		row := []string{q.Kind, q.Layer, cmp.Or(q.Block, q.Probe)}
		for _, v := range append(q.Values[:], q.Order, q.Extrapolated, q.Uncertainty) {
			row = append(row, quantity.Number(v))
		}
		rows = append(rows, row)
	}
	return tables.WriteRows(w, rows)
}

type quantityJSON struct {
	Kind          string     `json:"kind"`
	Layer         string     `json:"layer,omitempty"`
	Block         string     `json:"block,omitempty"`
	Probe         string     `json:"probe,omitempty"`
	ValuesK       [3]float64 `json:"values_K"`
	Order         *float64   `json:"order"` // null where none was observed
	ExtrapolatedK float64    `json:"extrapolated_K"`
	UncertaintyK  float64    `json:"uncertainty_K"`
}

func writeStudyJSON(w io.Writer, study *converge.Study) error {
	var out struct {
		Grids      [3][3]int      `json:"grids"`
		Quantities []quantityJSON `json:"quantities"`
	}
	for i, grid := range study.Grids {
		out.Grids[i] = [3]int{grid.NX, grid.NY, grid.NZ}
	}
	for i := range study.Quantities {
		q := &study.Quantities[i]
		entry := quantityJSON{q.Kind, q.Layer, q.Block, q.Probe, q.Values, nil, q.Extrapolated, q.Uncertainty}
		if !math.IsNaN(q.Order) {
			entry.Order = &q.Order
		}
		out.Quantities = append(out.Quantities, entry)
	}
	return jsonfile.Write(w, out)
}
