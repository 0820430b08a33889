package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/machine"
	"thermsim/internal/staging"
	"thermsim/report"
	"thermsim/report/jsonfile"
)

const diffHelp = `Compare the fields of two saved runs: the first minus the second, in K.

RUN_A and RUN_B are folders of runs, or their run.zip.

The stacks have the same size along x and y. Layers are compared by name; where
the grids differ, the second field is interpolated to the first one's. Tables go
to stdout; --out receives diff.json, diff.html with both runs and their
difference, and diff_<layer>.png for powered layers and for those listed in --maps.
`

const diffExample = `  thermsim diff before after
  thermsim diff coarse fine --limit "0.5 K" --quiet || echo the grid matters
  thermsim diff a b --step 10 --json | jq .all`

type diffOptions struct {
	runs       [2]string
	out        string
	maps       []string
	formats    []string
	step       int
	limit      float64 // K
	limitText  string
	json       bool
	pageBudget float64
	pageError  float64
}

func newDiffCommand(g *session.Session) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:     "diff RUN_A RUN_B",
		Short:   "Compare two saved runs",
		Long:    diffHelp,
		Example: diffExample,
		Annotations: exit.Statuses("0", "1", "2 usage error, no saved run, or stacks that cannot be compared",
			"5 with --limit: larger differences, or unreliable ones; the files were written", "130"),
		Args: flags.Arguments(2, 2, "the folders of two runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			copy(o.runs[:], args)
			o.limitText = cmd.Flag("limit").Value.String()
			return runDiff(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	flags.Group(f, "Comparison", func() {
		flags.CountVar(f, &o.step, "step", "compare this step of two transients (default the last of each)")
		flags.Rise.Var(f, &o.limit, "limit", "exit with status 5 if the fields differ by more, or are in doubt")
	})
	flags.Group(f, flags.GroupResults, func() {
		f.StringVarP(&o.out, "out", "o", "thermsim-diff", "write the files into `DIR`")
		flags.AddForce(cmd)
		flags.AddJSON(cmd, &o.json)
		flags.AddMaps(cmd, &o.maps)
		flags.AddFormats(cmd, &o.formats)
		flags.AddPageLimits(f, &o.pageBudget, &o.pageError)
	})
	return cmd
}

func runDiff(ctx context.Context, g *session.Session, o diffOptions) error {
	style, err := flags.DrawAs(o.formats)
	if err != nil {
		return err
	}
	p := terminal.StartProgress(g.Console, "reading")
	defer p.Stop()
	var runs [2]*report.Run
	for n, path := range o.runs {
		r, err := report.Restore(path, capacity.ToRender(machine.FreeMemory()))
		if err != nil {
			return exit.UnlessStated(exit.Input, err)
		}
		defer r.Close()
		if o.step > 0 {
			if err := r.Show(o.step); err != nil {
				return exit.Usagef("--step: %w", err)
			}
		}
		runs[n] = r.Run
	}
	if err := report.CheckMaps(runs[0].Mesh.Stack, o.maps); err != nil {
		return exit.With(exit.Input, err)
	}
	files, err := g.Begin(o.out, staging.Options{Set: "diff", Command: "diff"})
	if err != nil {
		return err
	}
	defer files.Abort()
	p.Enter("comparing")
	c, err := report.Compare(ctx, runs[0], runs[1], [2]string{filepath.Clean(o.runs[0]), filepath.Clean(o.runs[1])})
	if err != nil {
		return exit.NothingWritten(err)
	}
	drawn := report.ComparisonOptions{Maps: o.maps, Style: style,
		Page: report.PageBudget{ErrorK: o.pageError, Bytes: int64(o.pageBudget * 1e6)}}
	if err := c.Write(ctx, files, runs[0], runs[1], drawn); err != nil {
		return exit.NothingWritten(err)
	}
	if _, err := g.Commit(ctx, files); err != nil {
		return err
	}
	p.Stop()
	return o.tell(g, c)
}

func (o *diffOptions) tell(g *session.Session, c *report.Comparison) error {
	var err error
	switch {
	case o.json:
		err = jsonfile.Write(g.Stdout, *c)
	case !g.Quiet:
		err = c.WriteText(g.Stdout, g.Style)
	}
	if err != nil {
		return err
	}
	g.Note("differences are in %s", o.out)
	if len(c.Doubts) > 0 && o.limit > 0 {
		return exit.With(exit.TooHot, fmt.Errorf("--limit %s cannot be shown to hold: %s; %s/diff.html shows where",
			o.limitText, strings.Join(c.Doubts, "; "), o.out))
	}
	for _, doubt := range c.Doubts {
		g.Note("warning: %s", doubt)
	}
	if most := c.All.Most(); o.limit > 0 && !(most <= o.limit) {
		return exit.With(exit.TooHot,
			fmt.Errorf("the fields differ by up to %.3g K, more than --limit %s; %s/diff.html shows where", most,
				o.limitText, o.out))
	}
	return nil
}
