package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/report"
	"thermsim/stack"
)

const jedecHelp = `Put the package of a stack file into the tests of JEDEC's standards, one after
the other, and print the thermal resistances that data sheets give:

  jesd51-2a  still air        theta_JA, psi_JT, psi_JB
  jesd51-6   moving air       the same, for the h of the file or --h
  jesd51-8   ring cold plate  theta_JB
  jesd51-14  cold plate       theta_JC(top)

In still air the figures depend on the power. That of a package which is meant
for a heat sink is too much for it: give --power. What leaks comes on top of the
power given, by the temperature in each test, and the figures divide by both.
The stack file needs a [package]. Its powers count as they are; size, grid,
boundaries, heat sink, probes and environment of the file do not. Nothing is written.
docs/guides/packages.md has the definitions, what each test is modelled as, and how far
the figures were checked.

EXIT STATUS
===========

  0    done
  1    internal failure
  2    wrong usage or invalid input
  3    a solve did not converge
  4    device failure, or not enough memory
  6    thermal runaway: with its leakage the package has no steady state in a test
  130  interrupted
` + crashHelp

const jedecExample = `  thermsim jedec examples/fcbga
  thermsim jedec chip.toml --h "25 W/(m^2 K)"
  thermsim jedec chip.toml --json | jq '.figures[] | select(.figure == "theta_JA")'`

type jedecOptions struct {
	stack  string
	device deviceName
	h      quantity
	power  quantity
	tol    quantity
	json   bool
	set    overrides
}

func newJedecCommand(g *globals) *cobra.Command {
	o := jedecOptions{tol: temperatureRise(), h: heatTransfer(), power: power()}
	cmd := &cobra.Command{
		Use:               "jedec [STACK]",
		Short:             "Thermal resistances of a package by JEDEC's tests",
		Long:              jedecHelp,
		Example:           jedecExample,
		Args:              stackArgument,
		ValidArgsFunction: completeStack,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.stack = firstArgument(args)
			return runJedec(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&o.h, "h", "of moving air, in place of the file's (without either no jesd51-6)")
	f.Var(&o.power, "power", "of the whole package in all tests, in the proportions of the file")
	f.Var(&o.device, "device", deviceUsage)
	f.Var(&o.tol, "tol", "largest error of each solve, as estimated (default 1e-4 K)")
	o.set.addFlag(f)
	f.BoolVar(&o.json, "json", false, "print JSON in place of the table")
	completeFlag(cmd, "device", deviceNames())
	return cmd
}

// jedecFigure is a figure in one environment.
type jedecFigure struct {
	Environment string  `json:"environment"`
	Figure      string  `json:"figure"`
	KPerW       float64 `json:"K_per_W"`
	JunctionK   float64 `json:"junction_K"`
	Reference   string  `json:"reference"`
	ReferenceK  float64 `json:"reference_K"`
	PowerW      float64 `json:"power_W"`
}

func runJedec(ctx context.Context, g *globals, o jedecOptions) error {
	p := startProgress(g.console, "preparing")
	defer p.stop()
	path := stackPath(o.stack)
	if formatOf(path) != nil {
		return usagef("%s is a project of another simulator: it has no package to test", path)
	}
	var all []jedecFigure
	for _, environment := range stack.TestEnvironments() {
		s, err := loadTest(g, path, environment, &o)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		p.enter("solving " + environment)
		found, err := testPackage(ctx, g, s, p)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	p.stop()
	if len(all) == 0 {
		return withStatus(exitInput, fmt.Errorf("%s: nothing heats the package; give a die power", path))
	}
	switch {
	case o.json:
		return report.WriteJSON(g.stdout, struct {
			Figures []jedecFigure `json:"figures"`
		}{all})
	case g.quiet:
		return nil
	}
	return writeJedec(g.console, all)
}

// loadTest reads the stack file with its package in a test; nil where the test does not apply.
func loadTest(g *globals, path, environment string, o *jedecOptions) (*stack.Stack, error) {
	s, err := stack.LoadIn(path, environment, o.h.value, o.set...)
	if err != nil {
		return nil, err
	}
	if s == nil {
		g.detail("%s is left out", environment)
		return nil, nil
	}
	if o.power.value > 0 {
		s.ScalePower(o.power.value)
	}
	if o.device != "" {
		s.Solver.Device = string(o.device)
	}
	if o.tol.value > 0 {
		s.Solver.Tol, s.Solver.RTol, s.Solver.ATol = o.tol.value, 0, 0
	}
	return s, nil
}

// testPackage solves a package in its test.
func testPackage(ctx context.Context, g *globals, s *stack.Stack, p *progress) ([]jedecFigure, error) {
	m, build, err := buildMesh(g, s, thisMachine(), false)
	if err != nil {
		return nil, err
	}
	sol, err := gpusolve.Steady(ctx, m, solverOptions(g, s.Solver, p))
	if err != nil {
		return nil, steadyInterrupted(err)
	}
	defer sol.Close()
	environment := s.Jedec.Environment
	if sol.Status.Reason == solution.ReasonRunaway {
		return nil,
			withStatus(exitRunaway,
				fmt.Errorf("thermal runaway in %s: the package has no steady state there; lower the power (--power) "+
					"or the leakage", environment))
	}
	if !sol.Status.Converged {
		return nil, withStatus(exitNotConverged, fmt.Errorf("%s did not converge: %s", environment, sol.Status.Reason))
	}
	sum, err := report.Summarise(&report.Run{Command: "jedec", Version: versionText(), Mesh: m, Solution: sol,
		Build: build, Start: g.start})
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

func writeJedec(c *console, all []jedecFigure) error {
	t := textTable{header: []string{"figure", ">K/W", "test", ">junction degC", ">reference degC", "reference"}}
	for _, f := range all {
		digits := max(2, 2-int(math.Floor(math.Log10(math.Abs(f.KPerW)+1e-9))))
		t.add(f.Figure, fmt.Sprintf("%.*f", min(digits, 4), f.KPerW), f.Environment,
			fmt.Sprintf("%.2f", celsius(f.JunctionK)), fmt.Sprintf("%.2f", celsius(f.ReferenceK)), f.Reference)
	}
	power := fmt.Sprintf("%g W", all[0].PowerW)
	watts := func(a, b jedecFigure) int { return cmp.Compare(a.PowerW, b.PowerW) }
	// by the temperature in each test
	if least, most := slices.MinFunc(all, watts).PowerW, slices.MaxFunc(all, watts).PowerW; least < most {
		power = fmt.Sprintf("%.4g to %.4g W with the leakage", least, most)
	}
	fmt.Fprintf(c.stdout, "%s  %s\n", c.bold("Thermal resistances"), c.dim(power+", from the hottest cell"))
	t.write(c, c.stdout)
	if hottest := slices.MaxFunc(all, func(a, b jedecFigure) int {
		return cmp.Compare(a.JunctionK, b.JunctionK)
	}); hottest.JunctionK > hotJunction {
		fmt.Fprintf(c.stdout, "\n%s heats the junction to %.0f degC, where no package is tested, and in still air "+
			"the figures depend on the power: give --power.\n", hottest.Environment, celsius(hottest.JunctionK))
	}
	return nil
}

// hotJunction is a temperature in K above which no package is tested.
const hotJunction = 448.15
