package flags

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/interop/importer"
)

// Headings of flags in the help.
const (
	GroupSolver   = "Stack and solver"
	GroupRanks    = "Several GPUs and machines"
	GroupResults  = "Results"
	GroupPictures = "Pictures"
	GroupFields   = "Field files"
	GroupProjects = "Projects of other simulators"
)

// GroupKey is the annotation of a flag that holds its heading.
const GroupKey = "thermsim_group"

// Group puts the flags that add defines under a heading.
func Group(f *pflag.FlagSet, heading string, add func()) {
	f.SortFlags = false // new flags are the last
	before, n := 0, 0
	f.VisitAll(func(*pflag.Flag) { before++ })
	add()
	f.VisitAll(func(g *pflag.Flag) {
		if n++; n <= before {
			return
		}
		if err := f.SetAnnotation(g.Name, GroupKey, []string{heading}); err != nil {
			panic(err) // the flag does not exist: a slip in this package
		}
	})
}

// OptionsOf is the heading of the options of a format.
func OptionsOf(f *importer.Format) string { return "Projects of " + f.Title }

// everywhere are the flags of every command.
var everywhere = []string{"quiet", "verbose", "help", "help-all", "version"}

// groupEverywhere is their heading.
const groupEverywhere = "Every command"

func newGroup(heading string) *pflag.FlagSet {
	f := pflag.NewFlagSet(heading, pflag.ContinueOnError)
	f.SortFlags = false
	return f
}

// Groups are the flags of a command by heading, in the order of their definition, those of every command last.
func Groups(c *cobra.Command) (order []string, groups map[string]*pflag.FlagSet) {
	groups = map[string]*pflag.FlagSet{}
	add := func(heading string, f *pflag.Flag) {
		if groups[heading] == nil {
			groups[heading] = newGroup(heading)
			order = append(order, heading)
		}
		groups[heading].AddFlag(f)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch heading := f.Annotations[GroupKey]; {
		case f.Hidden || slices.Contains(everywhere, f.Name):
		case len(heading) > 0:
			add(heading[0], f)
		default:
			add("Flags", f)
		}
	})
	for _, name := range everywhere {
		if f := c.Flag(name); f != nil {
			add(groupEverywhere, f)
		}
	}
	return order, groups
}

// HiddenOptions are the headings of options that do not apply to a command's arguments.
func HiddenOptions(c *cobra.Command) []string {
	if c.HasParent() && c.Parent().Name() == "import" {
		return nil // the command says which simulator
	}
	var project *importer.Format
	if args := c.Flags().Args(); len(args) > 0 {
		project = FormatOf(args[0])
	}
	var hidden []string
	for _, f := range Formats() {
		if len(f.Options) > 0 && (project == nil || project.Name != f.Name) {
			hidden = append(hidden, OptionsOf(f))
		}
	}
	return hidden
}
