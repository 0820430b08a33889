package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
)

const rootHelp = `thermsim answers one question for the people who build 3D ICs: how hot does
this stack get, where and when?

A stack file goes in; temperature maps, tables and a verdict come out. Every
command that takes a STACK reads stack.toml in the working directory by default; a
directory means the stack.toml in it.`

const rootExample = `  thermsim check examples/mol10-ev6        # checks the input without solving
  thermsim steady examples/mol10-ev6       # tables here, maps in thermsim-out/
  thermsim transient examples/trace        # step it in time`

func newRootCommand(g *session.Session) *cobra.Command {
	cmd := &cobra.Command{
		Use:           "thermsim",
		Short:         "Thermal simulation of 3D ICs",
		Long:          rootHelp,
		Example:       rootExample,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			g.Started = true
			g.Force, _ = c.Flags().GetBool("force") // commands that write no sets of files have none
			if g.Quiet && g.Verbose {
				return exit.Usagef("--quiet and --verbose contradict each other; omit one")
			}
			if err := checkTexts(c); err != nil {
				return err
			}
			return g.LogTimings()
		},
	}
	cmd.SetVersionTemplate("thermsim {{.Version}}\n")
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return exit.Usagef("%w; run '%s --help' for the flags", err, c.CommandPath())
	})
	f := cmd.PersistentFlags()
	f.BoolVarP(&g.Quiet, "quiet", "q", false, "print errors only (and JSON where --json asks for it)")
	f.BoolVarP(&g.Verbose, "verbose", "v", false, "log phases with their times, the device and what the "+
		"solver chose")

	cmd.AddCommand(
		newSteadyCommand(g),
		newTransientCommand(g),
		newServeCommand(g),
		newCheckCommand(g),
		newImportCommand(g),
		newSolveCommand(g),
		newExportCommand(g),
		newBenchCommand(g),
		newVerifyCommand(g),
		newMaterialsCommand(g),
		newDevicesCommand(g),
		newRenderCommand(g),
		newDiffCommand(g),
		newConvergeCommand(g),
		newJedecCommand(g),
		newReduceCommand(g),
		newRthCommand(g),
		newZthCommand(g),
		newSweepCommand(g),
		newSensitivityCommand(g),
		newInitCommand(g),
		newVersionCommand(g),
		newManCommand(g),
	)
	cmd.SuggestionsMinimumDistance = 2
	cmd.SetHelpCommand(newHelpCommand())
	cmd.InitDefaultCompletionCmd("completion")
	refuseUnknown(cmd, "completion")
	flags.GroupUsage(cmd, g.Style.Width)
	refuseHelpOfUnknown(g, cmd)
	return cmd
}

// checkTexts refuses flags that name nothing, and - for a folder or a file, which elsewhere is stdin or stdout.
func checkTexts(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		kind, _ := pflag.UnquoteUsage(f)
		text, stdout := f.Value.String(), f.Name == "timings"
		switch {
		case err != nil:
		case f.Value.Type() == "string" && text == "", f.Value.Type() == "stringSlice" && text == "[]":
			err = exit.Usagef("--%s is empty; give it a value or omit it", f.Name)
		case text == "-" && !stdout && (kind == "DIR" || kind == "FILE" || kind == "PREFIX"):
			err = exit.Usagef("--%s -: neither stdin nor stdout goes here; name a %s", f.Name,
				map[string]string{"DIR": "folder", "FILE": "file", "PREFIX": "prefix of files"}[kind])
		}
	})
	return err
}

// refuseUnknown makes a command of commands fail on arguments that it does not know; cobra shows its help and succeeds.
func refuseUnknown(root *cobra.Command, name string) {
	for _, c := range root.Commands() {
		if c.Name() == name {
			c.Args = unknownCommand
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// refuseHelpOfUnknown makes --help fail after a command that does not exist; cobra shows the help of the command above
// it and succeeds.
func refuseHelpOfUnknown(g *session.Session, root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if left := c.Flags().Args(); c.HasSubCommands() && len(left) > 0 && flags.FormatOf(left[0]) == nil {
			g.Unknown = unknownCommand(c, left)
			return
		}
		help(c, args)
	})
}

// unknownCommand refuses arguments that are not a command, and says which one was likely meant.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := fmt.Sprintf("run '%s --help' for the commands", c.CommandPath())
	if !c.HasSubCommands() {
		hint = fmt.Sprintf("%s has none", c.CommandPath())
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
	}
	return exit.Usagef("unknown command %q; %s", args[0], hint)
}

func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(c *cobra.Command, args []string) error {
			target, rest, err := c.Root().Find(args)
			if err != nil || target == nil {
				return unknownCommand(c.Root(), args)
			}
			if len(rest) > 0 {
				return unknownCommand(target, rest)
			}
			return target.Help()
		},
	}
}
