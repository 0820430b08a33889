package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/internal/staging"
)

var manHelp = `Write the manual pages of thermsim and of all its commands into DIR, which is
made if need be: thermsim.1, thermsim-steady.1 and so on, with the texts that
--help shows. Pages of the same name are replaced.
` + exit.Statuses("0", "1 a file could not be written", "2 wrong usage")

const manExample = `  thermsim man ~/.local/share/man/man1             # then: man thermsim-steady
  thermsim man man && man -l man/thermsim.1`

func newManCommand(g *session.Session) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write manual pages",
		Long:    manHelp,
		Example: manExample,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return exit.Usagef("expected one folder for the pages; run '%s --help' for the usage", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(c *cobra.Command, args []string) error { return runMan(c.Context(), g, c.Root(), args[0]) },
	}
}

func runMan(ctx context.Context, g *session.Session, root *cobra.Command, dir string) error {
	var files []staging.File
	for _, c := range manCommands(root) {
		text := manPage(c)
		files = append(files, staging.File{Name: manName(c) + ".1", Write: func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}})
	}
	if err := session.CheckFolder(dir); err != nil {
		return err
	}
	if err := g.WriteOutputs(ctx, dir, files...); err != nil {
		return err
	}
	g.Note("%d pages are in %s", len(files), dir)
	return nil
}

// manCommands are the commands that have a page: all but help and those that are hidden.
func manCommands(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.Name() != "help" && !sub.Hidden {
			list = append(list, manCommands(sub)...)
		}
	}
	return list
}
