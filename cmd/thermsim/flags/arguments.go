// Package flags holds the flags that several commands have, and the values that flags take.
package flags

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/gpusolve/methods"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// StackArgument accepts at most one STACK.
func StackArgument(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return exit.Usagef("expected one stack file, got %d arguments (%s); run '%s --help' for the usage", len(args),
			strings.Join(args, " "), c.CommandPath())
	}
	return nil
}

// TakeStack completes a command that takes a STACK: run is called once stack holds it.
func TakeStack(cmd *cobra.Command, stack *string, run func(ctx context.Context) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = StackArgument, CompleteStack
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		*stack = First(args)
		return run(cmd.Context())
	}
	return cmd
}

// Arguments accepts from least to most arguments.
func Arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return exit.Usagef("expected %s, got %d arguments; run '%s --help' for the usage", what, len(args),
				c.CommandPath())
		}
		return nil
	}
}

// NoArguments accepts none.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit.Usagef("%s takes no arguments, got %s; run '%[1]s --help' for the usage", c.CommandPath(),
			strings.Join(args, " "))
	}
	return nil
}

// CompleteStack lets the shell complete STACK with stack files, projects of other simulators and directories.
func CompleteStack(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"toml", "stk", "ecxml", "xml"}, cobra.ShellCompDirectiveFilterFileExt
}

// First is the STACK given, or "".
func First(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// defaultOut is the default folder of files.
const defaultOut = "thermsim-out"

// DeviceUsage is shared by all commands that solve.
const DeviceUsage = "auto (default), cpu, gpu or gpu:N; auto uses the GPU if it is faster"

func AddMaps(cmd *cobra.Command, maps *[]string) {
	cmd.Flags().StringSliceVar(maps, "maps", nil, "also draw the layers in `LIST`: comma-separated names, or all")
}

func AddOut(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVarP(out, "out", "o", defaultOut, "write the files into `DIR`")
	AddForce(cmd)
}

// ForceUsage is shared by all commands that replace files.
const ForceUsage = "overwrite files even if thermsim did not create them (never input files)"

// AddForce offers --force, which every command reads that writes a set of files.
func AddForce(cmd *cobra.Command) {
	cmd.Flags().Bool("force", false, ForceUsage)
}

// JSONUsage is shared by all commands that print JSON.
const JSONUsage = "print JSON on stdout instead of tables, in SI units"

func AddJSON(cmd *cobra.Command, json *bool) {
	cmd.Flags().BoolVar(json, "json", false, JSONUsage)
}

func AddJUnit(cmd *cobra.Command, junit *bool) {
	cmd.Flags().BoolVar(junit, "junit", false, "also write the limits as JUnit XML (limits.xml)")
}

func AddGrid(cmd *cobra.Command, grid *Grid) {
	cmd.Flags().Var(grid, "grid", "NX by NY equal cells, or chosen automatically: auto, auto:0.1K, auto:1%")
}

func Complete(cmd *cobra.Command, flag string, values []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist: a slip in this package
	}
}

// CompleteLayers lets the shell complete a flag of layer names, with commas between them, from the stack file that is
// given; of projects of other simulators it knows no layers.
func CompleteLayers(cmd *cobra.Command, flag string, more ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, typed string) ([]string,
		cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		s, err := stackfile.Load(session.StackPath(First(args)))
		if err != nil {
			return nil, none
		}
		names := slices.Clone(more)
		for i := range s.Layers {
			names = append(names, s.Layers[i].Name)
		}
		before := typed[:strings.LastIndex(typed, ",")+1]
		for i := range names {
			names[i] = before + names[i]
		}
		return names, none | cobra.ShellCompDirectiveNoSpace
	})
	if err != nil {
		panic(err) // the flag does not exist: a slip in this package
	}
}

// AddDevice offers --device of the commands that take one.
func AddDevice(cmd *cobra.Command, device *string, usage string) {
	Var(cmd.Flags(), device, "device", "NAME", usage, parseDevice)
	Complete(cmd, "device", DeviceNames())
}

// AddPrecond offers --precond of the commands that solve a stack.
func AddPrecond(cmd *cobra.Command, method *string) {
	AddMethod(cmd, method, strings.Join(methods.Names(), ", "))
}

// AddMethod offers --precond of other commands, with a separate text.
func AddMethod(cmd *cobra.Command, method *string, usage string) {
	Var(cmd.Flags(), method, "precond", "NAME", usage, parsePrecond)
	Complete(cmd, "precond", methods.Names())
}

// Choose puts device and preconditioner, where they were given, in place of the stack's.
func Choose(v *stack.Solver, device, method string) {
	v.Device, v.Preconditioner = cmp.Or(device, v.Device), cmp.Or(method, v.Preconditioner)
}

// SplitMethods splits lists of methods; a setting without a name belongs to the method before it.
func SplitMethods(lists []string) []string {
	var all []string
	for _, l := range lists {
		for i, part := range strings.Split(l, ",") {
			name, _, set := strings.Cut(part, "=")
			if i > 0 && set && !strings.Contains(name, ":") {
				all[len(all)-1] += "," + part
				continue
			}
			all = append(all, strings.TrimSpace(part))
		}
	}
	return all
}
