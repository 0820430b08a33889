package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/interop/importer"
)

const (
	// mostAbove is the number of lines of --help above the flags.
	mostAbove = 25
	// mostFlags is the number of flags up to which --help lists all of a command's.
	mostFlags = 20
	// shownExamples is the number of examples in --help.
	shownExamples = 2
)

// common are the flags that --help lists of a command with more than mostFlags.
var common = []string{"steps", "dt", "until", "dt-tol", "initial", "listen", "port", "protocol", "token", "grid",
	"device", "precond", "tol", "set", "watch", "out", "tmax", "strict", "json", "maps", "figures", "formats", "files",
	"file-steps", "tables", "systems", "max-cells", "from"}

// Help is the help of a command: a sentence, examples, details, flags, and exit statuses. Without all it is short:
// common flags, and details of as many lines as fit above them.
func Help(c *cobra.Command, width int, all bool) string {
	if !c.HasParent() {
		return rootHelp(c, width)
	}
	sentence, details, _ := strings.Cut(strings.TrimSpace(c.Long), "\n\n")
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", sentence, c.UseLine())
	examples := strings.Split(strings.TrimRight(c.Example, "\n"), "\n")
	left := 0
	if !all && len(examples) > shownExamples {
		left = len(examples) - shownExamples
		examples = examples[:shownExamples]
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.Join(examples, "\n"))
	}
	listCommands(&b, c)
	whole := true
	for _, p := range paragraphs(details) {
		if !all && strings.Count(b.String()+p, "\n")+3 > mostAbove {
			whole = false
			break
		}
		fmt.Fprintf(&b, "\n%s\n", p)
	}
	shown, listed := listFlags(&b, c, width, all)
	if !all && (left > 0 || shown < listed || !whole) {
		fmt.Fprintf(&b, "\n'%s --help-all' lists all %d flags and %d examples.\n", c.CommandPath(), listed,
			len(examples)+left)
	}
	if statuses := c.Annotations[exit.HelpKey]; statuses != "" {
		fmt.Fprintf(&b, "\nEXIT STATUS (docs/reference/exit-status.md)\n%s", statuses)
	}
	return b.String()
}

// paragraphs splits a text at empty lines. A paragraph of indented lines belongs to the one before it.
func paragraphs(text string) (list []string) {
	for p := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		switch {
		case p == "":
		case strings.HasPrefix(p, " ") && len(list) > 0:
			list[len(list)-1] += "\n\n" + p
		default:
			list = append(list, p)
		}
	}
	return list
}

// listCommands lists the commands below a command.
func listCommands(b *strings.Builder, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	b.WriteString("\nCommands:\n")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(b, "  %-*s %s\n", c.Commands()[0].NamePadding(), sub.Name(), sub.Short)
		}
	}
}

// forPackagers are commands that the list omits.
var forPackagers = []string{"man", "completion"}

// rootHelp lists the commands by their groups.
func rootHelp(c *cobra.Command, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage: %s COMMAND [STACK] [flags]\n\n%s\n\n", c.Long, c.Name(), c.Example)
	for _, g := range c.Groups() {
		title := g.Title
		for _, sub := range c.Commands() {
			if sub.GroupID == g.ID && sub.IsAvailableCommand() && !slices.Contains(forPackagers, sub.Name()) {
				fmt.Fprintf(&b, "%-9s %-12s %s\n", title, sub.Name(), sub.Short)
				title = ""
			}
		}
	}
	listFlags(&b, c, width, true)
	return b.String()
}

// listFlags lists flags under their headings, and counts those it lists and those there are. Options of other
// simulators are shown where the arguments name a project of that simulator.
func listFlags(b *strings.Builder, c *cobra.Command, width int, all bool) (shown, listed int) {
	order, groups := Groups(c)
	hidden := HiddenOptions(c)
	order = slices.DeleteFunc(order, func(heading string) bool { return slices.Contains(hidden, heading) })
	for _, heading := range order {
		listed += count(groups[heading])
	}
	if !all && listed > mostFlags {
		order, groups = commonOf(order, groups)
	}
	if width >= terminal.DefaultWidth {
		width = 0 // every flag has a line, which a test holds to 100 columns
	}
	for _, heading := range order {
		shown += count(groups[heading])
		fmt.Fprintf(b, "\n%s:\n%s", heading, groups[heading].FlagUsagesWrapped(width))
	}
	if len(hidden) > 0 && c.HasParent() && takesProjects(c) && len(c.Flags().Args()) == 0 {
		fmt.Fprintf(b, "\nSTACK may also be a 3D-ICE or HotSpot project, or an ECXML model;\n'%s PROJECT --help' "+
			"lists the options for that format.\n", c.CommandPath())
	}
	return shown, listed
}

// takesProjects reports whether a command has options of other simulators.
func takesProjects(c *cobra.Command) bool {
	_, groups := Groups(c)
	return slices.ContainsFunc(Formats(), func(f *importer.Format) bool { return groups[OptionsOf(f)] != nil })
}

func count(f *pflag.FlagSet) (n int) {
	f.VisitAll(func(*pflag.Flag) { n++ })
	return n
}

// commonOf puts the common flags first, under one heading, and keeps those of every command and of a simulator.
func commonOf(order []string, groups map[string]*pflag.FlagSet) ([]string, map[string]*pflag.FlagSet) {
	const heading = "Common flags"
	kept := map[string]*pflag.FlagSet{heading: newGroup(heading)}
	list := []string{heading}
	for _, h := range order {
		if h == groupEverywhere || isProject(h) {
			kept[h] = groups[h]
			list = append(list, h)
			continue
		}
		groups[h].VisitAll(func(f *pflag.Flag) {
			if slices.Contains(common, f.Name) {
				kept[heading].AddFlag(f)
			}
		})
	}
	return list, kept
}

// isProject reports whether a heading is that of the options of a simulator.
func isProject(heading string) bool {
	return slices.ContainsFunc(Formats(), func(f *importer.Format) bool { return OptionsOf(f) == heading })
}
