package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/stack"
)

// completeLayers lets the shell complete a flag of layer names, with commas between them, from the stack file that is
// given; of projects of other simulators it knows no layers.
func completeLayers(cmd *cobra.Command, flag string, more ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, typed string) ([]string,
		cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		s, err := stack.Load(stackPath(firstArgument(args)))
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
