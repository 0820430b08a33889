package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/report/jsonfile"
)

const versionHelp = `Print the version of thermsim.

A defaults file is also named, if there is one. It sets device, units and author where
neither a flag nor the stack does. With --json, the version of Go that built it, the
operating system and the CPU architecture are also printed.
`

func newVersionCommand(g *session.Session) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:               "version",
		Short:             "Print the version",
		Long:              versionHelp,
		Example:           "  thermsim version\n  thermsim version --json | jq -r .version",
		Annotations:       exit.Statuses("0"),
		Args:              flags.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return jsonfile.Write(g.Stdout, struct {
					Version      string `json:"version"`
					Go           string `json:"go"`
					System       string `json:"system"`
					Architecture string `json:"architecture"`
					Defaults     string `json:"defaults,omitempty"`
				}{versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH, g.Default.File})
			}
			_, err := fmt.Fprintf(g.Stdout, "thermsim %s\n", versionText())
			if err == nil && g.Default.File != "" {
				_, err = fmt.Fprintf(g.Stdout, "defaults: %s\n", g.Default.File)
			}
			return err
		},
	}
	flags.AddJSON(cmd, &asJSON)
	return cmd
}

// version is set by release builds: go build -ldflags "-X main.version=v1.2.3".
var version string

// versionText is the release, or what Go knows of the source it was built from.
func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := "devel"
	if r := settings["vcs.revision"]; len(r) >= 12 {
		text += "+" + r[:12]
	}
	if settings["vcs.modified"] == "true" {
		text += ".dirty"
	}
	return text
}
