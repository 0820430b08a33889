package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/terminal"
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

func init() { cobra.AddTemplateFunc("flagGroups", flagGroups) }

// Group puts the flags that add defines under a heading.
func Group(f *pflag.FlagSet, heading string, add func()) {
	var before []string
	f.VisitAll(func(g *pflag.Flag) { before = append(before, g.Name) })
	add()
	f.VisitAll(func(g *pflag.Flag) {
		if slices.Contains(before, g.Name) {
			return
		}
		if err := f.SetAnnotation(g.Name, GroupKey, []string{heading}); err != nil {
			panic(err) // the flag does not exist: a slip in this package
		}
	})
}

// OptionsOf is the heading of the options of a format.
func OptionsOf(f *importer.Format) string { return "Projects of " + f.Title }

// GroupUsage makes the help of all commands show flags under their headings, at most width characters wide.
func GroupUsage(root *cobra.Command, width int) {
	template := root.UsageTemplate()
	from := strings.Index(template, "{{if .HasAvailableLocalFlags}}")
	to := strings.Index(template, "{{if .HasHelpSubCommands}}")
	if from < 0 || to < from {
		panic("cobra's template of usage has changed")
	}
	root.SetUsageTemplate(template[:from] + fmt.Sprintf("{{flagGroups . %d}}", max(40, width)) + template[to:])
	var inOrder func(*cobra.Command)
	inOrder = func(c *cobra.Command) {
		c.Flags().SortFlags = false
		for _, sub := range c.Commands() {
			inOrder(sub)
		}
	}
	inOrder(root)
}

// everywhere are the flags of every command.
var everywhere = []string{"quiet", "verbose", "help", "version"}

// Groups are the flags of a command by heading, in the order of their definition, those of every command last.
func Groups(c *cobra.Command) (order []string, groups map[string]*pflag.FlagSet) {
	groups = map[string]*pflag.FlagSet{}
	add := func(heading string, f *pflag.Flag) {
		if groups[heading] == nil {
			groups[heading] = pflag.NewFlagSet(heading, pflag.ContinueOnError)
			groups[heading].SortFlags = false
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
			add("Every command", f)
		}
	}
	return order, groups
}

// flagGroups lists the flags of a command, group by group. Options of other simulators are shown where the arguments
// name a project of that simulator.
func flagGroups(c *cobra.Command, width int) string {
	order, groups := Groups(c)
	hidden := HiddenOptions(c)
	all := len(order)
	order = slices.DeleteFunc(order, func(heading string) bool { return slices.Contains(hidden, heading) })
	left := len(order) < all // an option of a simulator
	var b strings.Builder
	if width >= terminal.DefaultWidth {
		width = 0 // every flag has a line, which a test holds to 100 columns
	}
	hint := GroupProjects
	if groups[hint] == nil {
		hint = order[0]
	}
	for _, heading := range order {
		fmt.Fprintf(&b, "\n\n%s:\n%s", heading, strings.TrimRight(groups[heading].FlagUsagesWrapped(width), "\n"))
		if heading == hint && left && len(c.Flags().Args()) == 0 {
			fmt.Fprintf(&b, "\n  '%s PROJECT --help' lists the options of the simulator that PROJECT is made for.",
				c.CommandPath())
		}
	}
	return b.String()
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
