package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/interop/ecxml"
	"thermsim/mesh/plausibility"
	"thermsim/report"
	"thermsim/report/jsonfile"
	"thermsim/report/quantity"
	"thermsim/stack"
	"thermsim/stack/packaging"
	"thermsim/stack/stackfile"
)

const jedecHelp = `Compute a package's thermal resistances by simulating the JEDEC tests.

  jesd51-2a  still air        theta_JA, psi_JT, psi_JB
  jesd51-6   moving air       the same, for the h of the file or --h
  jesd51-8   ring cold plate  theta_JB
  jesd51-14  cold plate       theta_JC(top)

In still air the resistances depend on the power. A package designed for a heat sink
needs less than its rated power there: give --power. Leakage is added to the given
power at the temperature of each test; resistances are computed from the total. The
stack file needs a [package]. The tests use its powers, but not the size, grid,
boundaries, heat sink, probes and environment of the file. Nothing is written, except
with --ecxml the two-resistor model of theta_JC(top) and theta_JB (JESD15-3).
docs/guides/packages.md has the definitions, the models of the tests and their
validation.
`

const jedecExample = `  thermsim jedec examples/fcbga
  thermsim jedec chip.toml --h "25 W/(m^2 K)"
  thermsim jedec chip.toml --json | jq '.figures[] | select(.figure == "theta_JA")'`

type jedecOptions struct {
	stack  string
	grid   flags.Grid
	device string
	h      float64
	power  float64
	tol    float64
	json   bool
	set    flags.Set
	ecxml  string
	force  bool
}

func newJedecCommand(g *session.Session) *cobra.Command {
	var o jedecOptions
	cmd := flags.TakeStack(&cobra.Command{
		Use:     "jedec [STACK]",
		Short:   "Compute JEDEC thermal resistances of a package",
		Long:    jedecHelp,
		Example: jedecExample,
		Annotations: exit.Statuses("0", "1 internal failure", "2 usage error or invalid input",
			"3 a solve did not converge", "4",
			"6 thermal runaway: with its leakage the package has no steady state in a test", "130 interrupted"),
	}, &o.stack, func(ctx context.Context) error { return runJedec(ctx, g, o) })
	f := cmd.Flags()
	flags.HeatTransfer.Var(f, &o.h, "h", "h of moving air for jesd51-6 (default that of the file)")
	flags.Power.Var(f, &o.power, "power", "total package power for all tests; block powers are scaled proportionally")
	flags.AddGrid(cmd, &o.grid)
	flags.AddDevice(cmd, &o.device, flags.DeviceUsage)
	flags.Rise.Var(f, &o.tol, "tol", "convergence tolerance: estimated maximum error (default 1e-4 K)")
	o.set.Add(f)
	f.StringVar(&o.ecxml, "ecxml", "", "also write the two-resistor model to `FILE`, as an ECXML model")
	f.BoolVar(&o.force, "force", false, flags.ForceUsage)
	flags.AddJSON(cmd, &o.json)
	return cmd
}

// jedecFigure is a thermal resistance in one environment.
type jedecFigure struct {
	Environment string  `json:"environment"`
	Figure      string  `json:"figure"`
	KPerW       float64 `json:"K_per_W"`
	JunctionK   float64 `json:"junction_K"`
	Reference   string  `json:"reference"`
	ReferenceK  float64 `json:"reference_K"`
	PowerW      float64 `json:"power_W"`
}

func runJedec(ctx context.Context, g *session.Session, o jedecOptions) error {
	p := terminal.StartProgress(g.Console, "preparing")
	defer p.Stop()
	path := session.StackPath(o.stack)
	if flags.FormatOf(path) != nil {
		return exit.Usagef("%s is a project of another simulator: it has no package to test", path)
	}
	var all []jedecFigure
	var model ecxml.TwoResistor
	coarse := false
	for _, environment := range stackfile.TestEnvironments() {
		s, err := loadTest(ctx, g, path, environment, &o)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		if o.ecxml != "" {
			if err := session.RefuseToReplace("ecxml", o.force, s.Inputs, o.ecxml); err != nil {
				return err
			}
		}
		p.Enter("solving " + environment)
		found, err := testPackage(ctx, g, s, p, &coarse)
		if err != nil {
			return err
		}
		all = append(all, found...)
		if environment == string(packaging.TopColdPlate) { // the domain is the package
			model.Size, model.Ambient = [3]float64{s.Size[0], s.Size[1], s.Height()}, s.Ambient
			model.Name, model.Watts = cmp.Or(s.Title, "package"), s.Watts()
		}
	}
	p.Stop()
	if len(all) == 0 {
		return exit.With(exit.Input, fmt.Errorf("%s: the package has no heat source; set the power of at least "+
			"one die", path))
	}
	if o.ecxml != "" {
		if err := writeTwoResistor(ctx, g, o.ecxml, model, all); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		return jsonfile.Write(g.Stdout, struct {
			Figures []jedecFigure `json:"figures"`
		}{all})
	case g.Quiet:
		return nil
	}
	return writeJedec(g.Console, all)
}

// writeTwoResistor writes the two-resistor model of the resistances found.
func writeTwoResistor(ctx context.Context, g *session.Session, path string, m ecxml.TwoResistor,
	all []jedecFigure) error {
	for _, f := range all {
		switch f.Figure {
		case "theta_JC(top)":
			m.ToCase = f.KPerW
		case "theta_JB":
			m.ToBoard = f.KPerW
		}
	}
	if m.ToCase == 0 || m.ToBoard == 0 {
		return exit.Usagef("--ecxml: the two-resistor model needs theta_JC(top) and theta_JB, and a test does not " +
			"apply to this package; -v shows which")
	}
	return g.WriteOutputs(ctx, filepath.Dir(path), staging.File{Name: filepath.Base(path), Write: m.Write})
}

// loadTest reads the stack file with its package in a test; nil where the test does not apply.
func loadTest(ctx context.Context, g *session.Session, path, environment string, o *jedecOptions) (*stack.Stack,
	error) {
	s, err := stackfile.LoadIn(path, environment, o.h, o.set...)
	if err != nil {
		return nil, err
	}
	if s == nil {
		g.Detail("%s is skipped", environment)
		return nil, nil
	}
	if o.power > 0 {
		s.ScalePower(o.power)
	}
	if o.grid.Given() {
		s.Grid = o.grid.In(s)
	}
	choice, err := chooseGrid(ctx, g, s)
	if err != nil {
		return nil, err
	}
	noteAccuracy(g, choice)
	g.Default.Apply(s)
	flags.Choose(&s.Solver, o.device, "")
	if o.tol > 0 {
		s.Solver.Tol, s.Solver.RTol, s.Solver.ATol = o.tol, 0, 0
	}
	return s, nil
}

// testPackage solves a package in its test. It reports a coarse grid unless it was reported.
func testPackage(ctx context.Context, g *session.Session, s *stack.Stack, p *terminal.Progress,
	reported *bool) ([]jedecFigure, error) {
	m, build, err := buildMesh(g, s, capacity.ThisMachine(), false)
	if err != nil {
		return nil, err
	}
	for _, w := range plausibility.Of(m) {
		if w.Code == plausibility.CoarseGrid && !*reported {
			*reported = true
			g.Note("%s: %s", s.Jedec.Environment, w)
		}
	}
	sol, err := gpusolve.Steady(ctx, m, solverOptions(g, s.Solver, p))
	if err != nil {
		return nil, exit.NothingWritten(err)
	}
	defer sol.Close()
	environment := s.Jedec.Environment
	if sol.Status.Reason == solution.ReasonRunaway {
		return nil,
			exit.With(exit.Runaway,
				fmt.Errorf("thermal runaway in %s: the package has no steady state in this test%s. Fix: lower the "+
					"power (--power) or the leakage", environment, largestPower(sol.Status.Nonlinear)))
	}
	if !sol.Status.Converged {
		return nil, exit.With(exit.NotConverged, fmt.Errorf("%s did not converge: %s", environment, sol.Status.Reason))
	}
	sum, err := report.Summarise(&report.Run{Command: "jedec", Version: versionText(), Mesh: m, Solution: sol,
		Build: build, Start: g.Start})
	if err != nil {
		return nil, err
	}
	var out []jedecFigure
	for _, f := range sum.Jedec.Figures {
		out = append(out, jedecFigure{environment, f.Name, f.KPerW, sum.Jedec.JunctionK, f.Reference, f.ReferenceK,
			sum.Jedec.PowerW})
	}
	return out, nil
}

// largestPower says, after a runaway, with what power the test has a steady state; "" if none was found.
func largestPower(n *solution.Nonlinear) string {
	if n == nil || n.Leakage == nil || !(n.Leakage.Factor > 0) {
		return ""
	}
	return fmt.Sprintf("; it has one up to %s times its power, with the leakage scaled alike",
		quantity.Significant(n.Leakage.Factor, 3))
}

func writeJedec(c *terminal.Console, all []jedecFigure) error {
	t := terminal.Table{Header: []string{"figure", ">K/W", "test", ">junction degC", ">reference degC", "reference"}}
	for _, f := range all {
		digits := max(2, 2-int(math.Floor(math.Log10(math.Abs(f.KPerW)+1e-9))))
		t.Add(f.Figure, fmt.Sprintf("%.*f", min(digits, 4), f.KPerW), f.Environment,
			fmt.Sprintf("%.2f", terminal.Celsius(f.JunctionK)), fmt.Sprintf("%.2f", terminal.Celsius(f.ReferenceK)),
			f.Reference)
	}
	power := fmt.Sprintf("%g W", all[0].PowerW)
	watts := func(a, b jedecFigure) int { return cmp.Compare(a.PowerW, b.PowerW) }
	// by the temperature in each test
	if least, most := slices.MinFunc(all, watts).PowerW, slices.MaxFunc(all, watts).PowerW; least < most {
		power = fmt.Sprintf("%.4g to %.4g W with the leakage", least, most)
	}
	t.Titled(c, "Thermal resistances", power+", from the hottest cell")
	if hottest := slices.MaxFunc(all, func(a, b jedecFigure) int {
		return cmp.Compare(a.JunctionK, b.JunctionK)
	}); hottest.JunctionK > hotJunction {
		fmt.Fprintf(c.Stdout, "\n%s heats the junction to %.0f degC, which is unrealistic. In still air the "+
			"resistances depend on the power: give --power, such as --power \"%g W\".\n", hottest.Environment,
			terminal.Celsius(hottest.JunctionK), usualPower(&hottest))
	}
	return nil
}

// usualPower is a power in W, of one digit, with a rise of the junction of about 60 K.
func usualPower(f *jedecFigure) float64 {
	watts := f.PowerW * 60 / (f.JunctionK - 300)
	digit := math.Pow10(int(math.Floor(math.Log10(watts))))
	return math.Round(watts/digit) * digit
}

// hotJunction is a temperature in K above which no package is tested.
const hotJunction = 448.15
