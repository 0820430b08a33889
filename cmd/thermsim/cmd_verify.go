package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/spelling"
	"thermsim/study/verify"
)

const verifyHelp = `Solve cases with known analytical solutions, and compare.

The cases are slabs, spreading resistance, a manufactured solution, energy
balance, symmetry and superposition. With names, only those cases are run.
Comparisons with other programs (3D-ICE, HotSpot, Celsius 3D, ATSim3D), with an
independent solver and with measured chips need the source: go test
./study/verify. All references are in docs/explanation/verification.md.
`

// notBuiltIn is the evidence that the command does not repeat.
const notBuiltIn = `
Not built in: comparisons with 3D-ICE, HotSpot, Celsius 3D, ATSim3D and an
independent solver (in the source: go test ./study/verify), and with published
packages and measured chips. docs/explanation/verification.md has all.
`

const verifyExample = `  thermsim verify
  thermsim verify slab-steady --verbose
  thermsim verify --device gpu
  thermsim verify --json | jq 'all(.pass)'`

type verifyOptions struct {
	names  []string
	device string
	json   bool
}

func newVerifyCommand(g *session.Session) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:     "verify [CASE...]",
		Short:   "Check the solver against known answers",
		Long:    verifyHelp,
		Example: verifyExample,
		Annotations: exit.Statuses("0 every case passes", "1 a case fails", "2 no such case, or usage error",
			"4 device failure: no GPU where one was demanded", "130 interrupted"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runVerify(cmd.Context(), g, o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return caseNames(verify.Cases()), cobra.ShellCompDirectiveNoFileComp
		},
	}
	flags.AddDevice(cmd, &o.device, "auto, cpu, gpu or gpu:N; the cases are small, so auto uses the CPU")
	flags.AddJSON(cmd, &o.json)
	return cmd
}

func runVerify(ctx context.Context, g *session.Session, o verifyOptions) error {
	cases, err := selectCases(verify.CasesOn(o.device), o.names)
	if err != nil {
		return err
	}
	p := terminal.StartProgress(g.Console, "verifying")
	defer p.Stop()
	results := make([]verify.Result, len(cases))
	failed := 0
	for i, c := range cases {
		p.Enter(fmt.Sprintf("verifying: case %d of %d, %s", i+1, len(cases), c.Name))
		if results[i], err = c.Run(ctx); err != nil {
			if errors.Is(err, context.Canceled) {
				return exit.With(exit.Interrupted,
					errors.New("interrupted; run 'thermsim verify CASE' for single cases"))
			}
			return fmt.Errorf("case %s: %w", c.Name, err)
		}
		g.Detail("%s (%s): %s", c.Name, c.What, results[i])
		if !results[i].Pass {
			failed++
		}
	}
	p.Stop()
	if err := printCases(g, cases, results, o.json); err != nil {
		return err
	}
	if failed > 0 {
		return exit.With(exit.Internal,
			fmt.Errorf("%d of %d cases fail: results of this build cannot be relied on; please report the output of "+
				"'thermsim verify -v'", failed, len(cases)))
	}
	return nil
}

func selectCases(all []verify.Case, names []string) ([]verify.Case, error) {
	if len(names) == 0 {
		return all, nil
	}
	var cases []verify.Case
	for _, name := range names {
		i := slices.IndexFunc(all, func(c verify.Case) bool { return c.Name == name })
		if i < 0 {
			return nil, exit.Usagef("no case %q%s; the cases are %v", name, spelling.Hint(name, caseNames(all)),
				caseNames(all))
		}
		cases = append(cases, all[i])
	}
	return cases, nil
}

func caseNames(cases []verify.Case) []string {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.Name
	}
	return names
}

// caseJSON is one entry of verify --json.
type caseJSON struct {
	Name      string  `json:"name"`
	What      string  `json:"what"`
	Quantity  string  `json:"quantity"`
	Unit      string  `json:"unit"`
	Computed  float64 `json:"computed"`
	Expected  float64 `json:"expected"`
	Error     float64 `json:"error"`
	Tolerance float64 `json:"tolerance"`
	Order     float64 `json:"order,omitempty"`
	WantOrder float64 `json:"want_order,omitempty"`
	Pass      bool    `json:"pass"`
}

func printCases(g *session.Session, cases []verify.Case, results []verify.Result, asJSON bool) error {
	switch {
	case asJSON:
		out := make([]caseJSON, len(cases))
		for i, r := range results {
			out[i] = caseJSON{cases[i].Name, cases[i].What, r.Quantity, r.Unit, r.Computed, r.Expected, r.Error,
				r.Tolerance, r.Order, r.WantOrder, r.Pass}
		}
		e := json.NewEncoder(g.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(out)
	case g.Quiet:
		return nil
	}
	return writeCases(g.Console, cases, results)
}

func writeCases(c *terminal.Console, cases []verify.Case, results []verify.Result) error {
	t := terminal.Table{Header: []string{"", "case", ">computed", ">expected", ">error", ">limit", ">order",
		"quantity"}}
	passed := 0
	for i, r := range results {
		verdict, order := "pass", "-"
		if r.Pass {
			passed++
		} else {
			verdict = "FAIL"
		}
		if r.WantOrder != 0 {
			order = fmt.Sprintf("%.2f/%g", r.Order, r.WantOrder)
		}
		t.Add(verdict, cases[i].Name, fmt.Sprintf("%.6g", r.Computed), fmt.Sprintf("%.6g", r.Expected),
			fmt.Sprintf("%.1e", r.Error), fmt.Sprintf("%.0e", r.Tolerance), order, r.Quantity+", "+r.Unit)
	}
	t.Write(c, c.Stdout)
	_, err := fmt.Fprintf(c.Stdout, "\n%d of %d cases pass\n%s", passed, len(cases), notBuiltIn)
	return err
}
