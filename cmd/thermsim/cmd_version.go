package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/report"
)

const versionHelp = `Print the version of this thermsim, as --version does; with --json also the
version of Go that built it, the system and the processor's architecture.

EXIT STATUS
===========

  0    done
` + exit.CrashHelp

func newVersionCommand(g *session.Session) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:               "version",
		Short:             "Print the version",
		Long:              versionHelp,
		Example:           "  thermsim version\n  thermsim version --json | jq -r .version",
		Args:              flags.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return report.WriteJSON(g.Stdout, struct {
					Version      string `json:"version"`
					Go           string `json:"go"`
					System       string `json:"system"`
					Architecture string `json:"architecture"`
				}{versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			_, err := fmt.Fprintf(g.Stdout, "thermsim %s\n", versionText())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON on stdout in place of the line")
	return cmd
}
