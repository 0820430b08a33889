package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/internal/staging"
)

const manHelp = `Write the manual pages of thermsim and of all its commands into DIR.

The pages are thermsim.1, thermsim-steady.1 and so on, with the texts that
--help-all shows. DIR is created if it does not exist. Pages of the same name are
replaced.
`

const manExample = `  thermsim man ~/.local/share/man/man1             # then: man thermsim-steady
  thermsim man man && man -l man/thermsim.1`

func newManCommand(g *session.Session) *cobra.Command {
	return &cobra.Command{
		Use:         "man DIR",
		Short:       "Write manual pages",
		Long:        manHelp,
		Example:     manExample,
		Annotations: exit.Statuses("0", "1 a file could not be written", "2 usage error"),
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

// manPage is the manual page of a command in the man macros of roff, see man(7). Help texts are plain text: paragraphs,
// and indented lines that stay as they are. cobra's generator reads them as Markdown, and breaks their tables.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	name := manName(c)
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"thermsim %s\" \"thermsim manual\"\n", strings.ToUpper(roff(name)),
		roff(versionText()))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n", roff(c.UseLine()))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "%s\n", roff(c.CommandPath()+" COMMAND ..."))
	}
	b.WriteString(".fi\n.SH DESCRIPTION\n")
	b.WriteString(manText(c.Long))
	manFlags(&b, c)
	if statuses := c.Annotations[exit.HelpKey]; statuses != "" {
		fmt.Fprintf(&b, ".SH EXIT STATUS\n.nf\n%s.fi\n", roff(statuses))
	}
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	if also := manNeighbours(c); len(also) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(also, ",\n"))
	}
	return b.String()
}

// manName is the name of a command's page, such as thermsim-import-eda.
func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manNeighbours are the pages of the command above and of those below.
func manNeighbours(c *cobra.Command) []string {
	var list []string
	if c.HasParent() {
		list = append(list, manName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if slices.Contains(manCommands(c), sub) {
			list = append(list, manName(sub))
		}
	}
	for i, name := range list {
		list[i] = ".BR " + roff(name) + " (1)"
	}
	return list
}

// manText writes a help text.
func manText(text string) string {
	var b strings.Builder
	verbatim := false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); line != "" &&
			indented != verbatim {
			verbatim = indented
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[verbatim])
		}
		switch {
		case line != "":
			b.WriteString(roff(line) + "\n")
		case verbatim:
			b.WriteString("\n")
		default:
			b.WriteString(".PP\n")
		}
	}
	if verbatim {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// manFlags lists the flags under the headings of the help, those of every command last.
func manFlags(b *strings.Builder, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	order, groups := flags.Groups(c)
	b.WriteString(".SH OPTIONS\n")
	for _, heading := range order {
		fmt.Fprintf(b, ".SS %s\n", roff(heading))
		groups[heading].VisitAll(func(f *pflag.Flag) {
			fmt.Fprintf(b, ".TP\n%s\n%s\n", manFlag(f), roff(manUsage(f)))
		})
	}
}

// manFlag names a flag and its value.
func manFlag(f *pflag.Flag) string {
	text := "\\fB" + roff("--"+f.Name) + "\\fR"
	if f.Shorthand != "" {
		text = "\\fB" + roff("-"+f.Shorthand) + "\\fR, " + text
	}
	if value, _ := pflag.UnquoteUsage(f); value != "" {
		text += " \\fI" + roff(value) + "\\fR"
	}
	return text
}

// manUsage is what a flag does, with its default as in the help.
func manUsage(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	if f.Value.Type() == "string" && f.DefValue != "" {
		usage += fmt.Sprintf(" (default %q)", f.DefValue)
	}
	return usage
}

// roff escapes text, line by line.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`, "~", `\(ti`, "^", `\(ha`, "`",
		`\(ga`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
