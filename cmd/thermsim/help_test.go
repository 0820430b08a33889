package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
)

// helpOf is what a command prints with --help on a terminal of 100 columns.
func helpOf(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	g := &session.Session{Console: &terminal.Console{Stdout: &out, Stderr: &out}}
	g.Style.Width = 100
	if status := execute(g, append(args, "--help")); status != exit.Done {
		t.Fatalf("%q: exit status %d: %s", args, status, out.String())
	}
	return out.String()
}

// Every flag of every command stands on one line of at most 100 columns, under a heading, once.
func TestHelpOfEveryFlag(t *testing.T) {
	g := &session.Session{Console: &terminal.Console{}}
	g.Style.Width = 100
	var visit func(c *cobra.Command, path []string)
	visit = func(c *cobra.Command, path []string) {
		text := helpOf(t, path...)
		for line := range strings.SplitSeq(text, "\n") {
			if n := len([]rune(line)); n > 100 {
				t.Errorf("%q: %d columns: %s", path, n, line)
			}
		}
		listed := map[string]int{}
		for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
			listed[m[1]]++
		}
		hidden := flags.HiddenOptions(c)
		c.Flags().VisitAll(func(f *pflag.Flag) {
			want := 1
			for _, h := range hidden {
				if a := f.Annotations[flags.GroupKey]; len(a) > 0 && a[0] == h {
					want = 0
				}
			}
			if listed[f.Name] != want {
				t.Errorf("%q: --%s is listed %d times, want %d", path, f.Name, listed[f.Name], want)
			}
		})
		for _, sub := range c.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				visit(sub, append(path[:len(path):len(path)], sub.Name()))
			}
		}
	}
	visit(newRootCommand(g), nil)
}

// flagLine is a line of the help that lists a flag.
var flagLine = regexp.MustCompile(`(?m)^  (?:-.,|   ) --([A-Za-z0-9_-]+)`)

// The options of a simulator are shown where they apply.
func TestHelpOfProjects(t *testing.T) {
	const hotspot = "Projects of HotSpot:\n"
	for _, command := range []string{"steady", "transient"} {
		bare := helpOf(t, command)
		for _, heading := range []string{"Stack and solver:\n", "Results:\n", "Pictures:\n", "Field files:\n",
			"Projects of other simulators:\n", "Every command:\n"} {
			if strings.Count(bare, heading) != 1 {
				t.Errorf("%s --help lacks %s", command, heading)
			}
		}
		if strings.Contains(bare, hotspot) ||
			!strings.Contains(bare, "'thermsim "+command+" PROJECT --help' lists the options") {
			t.Errorf("%s --help:\n%s", command, bare)
		}
		if text := helpOf(t, command, "x.config"); !strings.Contains(text, hotspot) ||
			!strings.Contains(text, "--grid_layer_file") {
			t.Errorf("%s x.config --help:\n%s", command, text)
		}
		if text := helpOf(t, command, "x.stk"); strings.Contains(text, hotspot) {
			t.Errorf("%s x.stk --help:\n%s", command, text)
		}
	}
	for _, command := range []string{"check", "export"} {
		bare := helpOf(t, command)
		if strings.Contains(bare, hotspot) ||
			strings.Count(bare, "'thermsim "+command+" PROJECT --help' lists the options") != 1 {
			t.Errorf("%s --help:\n%s", command, bare)
		}
		if text := helpOf(t, command, "x.config"); !strings.Contains(text, hotspot) ||
			!strings.Contains(text, "--grid_layer_file") {
			t.Errorf("%s x.config --help:\n%s", command, text)
		}
	}
	if text := helpOf(t, "import", "hotspot"); !strings.Contains(text, hotspot) {
		t.Errorf("import hotspot --help:\n%s", text)
	}
}
