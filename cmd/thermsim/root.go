package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/assistant"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/internal/spelling"
)

const rootHelp = `thermsim computes how hot a 3D IC gets. STACK: a file, or a folder with stack.toml.`

const rootExample = `  thermsim check examples/mol10-ev6        # checks the input without solving
  thermsim steady examples/mol10-ev6       # tables here, maps in thermsim-out/`

// newRootCommand makes the command line with all commands, or only the one called if its name is given.
func newRootCommand(g *session.Session, called string) *cobra.Command {
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
			g.Started, g.Style.Details = true, g.Verbose
			g.Force, _ = c.Flags().GetBool("force") // commands that write no sets of files have none
			if g.Quiet && g.Verbose {
				return exit.Usagef("--quiet and --verbose contradict each other; omit one")
			}
			if err := checkTexts(c); err != nil {
				return err
			}
			var err error
			if g.Default, err = flags.UseDefaults(c); err != nil {
				return err
			}
			return g.LogTimings()
		},
	}
	cmd.SetVersionTemplate("thermsim {{.Version}}\n")
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return exit.Usagef("%w%s; run '%s --help' for the flags", err, flagHint(c, err), c.CommandPath())
	})
	var help, helpAll bool
	f := cmd.PersistentFlags()
	f.BoolVarP(&g.Quiet, "quiet", "q", false, "print errors only (and JSON, with --json)")
	f.BoolVarP(&g.Verbose, "verbose", "v", false, "log each phase and its time, the device and the solver's choices")
	f.BoolVarP(&help, "help", "h", false, "show short help")
	f.BoolFunc("help-all", "show all flags, examples and details", func(string) error {
		help, helpAll = true, true
		return nil
	})
	cmd.Flags().Bool("version", false, "print the version")
	_ = cmd.Flags().MarkHidden("version") // the command version is listed
	addCommands(cmd, g, called)
	cmd.SuggestionsMinimumDistance = 2
	cmd.SetHelpCommandGroupID(groupMachine)
	cmd.SetCompletionCommandGroupID(groupMachine)
	cmd.SetHelpCommand(newHelpCommand())
	cmd.InitDefaultCompletionCmd("completion")
	refuseUnknown(cmd, "completion")
	setHelp(g, cmd, &helpAll)
	inOrder(cmd)
	return cmd
}

// flagHint names the flag that an unknown one was likely meant to be.
func flagHint(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return ""
	}
	for _, sub := range c.Commands() {
		if c.HasParent() && sub.Flags().Lookup(unknown.GetSpecifiedName()) != nil {
			return fmt.Sprintf("; '%s' has it", sub.CommandPath())
		}
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return spelling.Hint("--"+unknown.GetSpecifiedName(), names)
}

// Groups of commands in the help.
const (
	groupSolve    = "solve"
	groupStudy    = "study"
	groupModel    = "model"
	groupExchange = "exchange"
	groupReports  = "reports"
	groupMachine  = "machine"
)

func init() { cobra.EnableCommandSorting = false } // groups have an order

// commandGroups are all commands in the order of the help.
var commandGroups = []commandGroup{
	{groupSolve, "Solve", []commandMaker{{"steady", newSteadyCommand}, {"transient", newTransientCommand},
		{"jedec", newJedecCommand}, {"serve", newServeCommand}, {"solve", newSolveCommand},
		{"mcp", func(*session.Session) *cobra.Command { return assistant.NewCommand(versionText()) }}}},
	{groupStudy, "Study", []commandMaker{{"sweep", newSweepCommand}, {"tolerance", newToleranceCommand},
		{"fit", newFitCommand}, {"optimise", newOptimiseCommand}, {"sensitivity", newSensitivityCommand},
		{"rth", newRthCommand}, {"zth", newZthCommand}, {"converge", newConvergeCommand},
		{"reduce", newReduceCommand}}},
	{groupModel, "Model", []commandMaker{{"init", newInitCommand}, {"check", newCheckCommand},
		{"materials", newMaterialsCommand}, {"schema", newSchemaCommand}}},
	{groupExchange, "Exchange", []commandMaker{{"import", newImportCommand}, {"export", newExportCommand}}},
	{groupReports, "Reports", []commandMaker{{"render", newRenderCommand}, {"diff", newDiffCommand}}},
	{groupMachine, "Machine", []commandMaker{{"devices", newDevicesCommand}, {"verify", newVerifyCommand},
		{"bench", newBenchCommand}, {"version", newVersionCommand}, {"man", newManCommand}}},
}

type commandGroup struct {
	id, title string
	commands  []commandMaker
}

// commandMaker makes the command of a name.
type commandMaker struct {
	name string
	make func(*session.Session) *cobra.Command
}

// addCommands adds all commands by their groups; only the one that is called, if it is named first: making the flags of
// all takes a quarter of the start of the program. The manual pages describe all.
func addCommands(root *cobra.Command, g *session.Session, called string) {
	only := called != "man" && slices.ContainsFunc(commandGroups, func(group commandGroup) bool {
		return slices.ContainsFunc(group.commands, func(c commandMaker) bool { return c.name == called })
	})
	for _, group := range commandGroups {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, c := range group.commands {
			if !only || c.name == called {
				command := c.make(g)
				command.GroupID = group.id
				root.AddCommand(command)
			}
		}
	}
}

// setHelp makes the help of all commands that of flags.Help, and --help fail after a command that does not exist; cobra
// shows the help of the command above it and succeeds.
func setHelp(g *session.Session, root *cobra.Command, all *bool) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if left := c.Flags().Args(); c.HasSubCommands() && len(left) > 0 && flags.FormatOf(left[0]) == nil {
			g.Unknown = unknownCommand(c, left)
			return
		}
		c.Print(flags.Help(c, max(40, g.Style.Width), *all))
	})
}

// inOrder lists flags in the order of their definition, and commands in that of their groups.
func inOrder(c *cobra.Command) {
	c.Flags().SortFlags = false
	for _, sub := range c.Commands() {
		inOrder(sub)
	}
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
