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

// helpOf is what a command prints with flags, such as --help, on a terminal of 100 columns.
func helpOf(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	g := &session.Session{Console: &terminal.Console{Stdout: &out, Stderr: &out}}
	g.Style.Width = 100
	if status := execute(g, args); status != exit.Done {
		t.Fatalf("%q: exit status %d: %s", args, status, out.String())
	}
	return out.String()
}

// eachCommand visits all commands that this package describes.
func eachCommand(visit func(c *cobra.Command, path []string)) {
	var below func(c *cobra.Command, path []string)
	below = func(c *cobra.Command, path []string) {
		visit(c, path)
		for _, sub := range c.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				below(sub, append(path[:len(path):len(path)], sub.Name()))
			}
		}
	}
	g := &session.Session{Console: &terminal.Console{}}
	g.Style.Width = 100
	below(newRootCommand(g, ""), nil)
}

// Every flag of every command stands on one line of at most 100 columns, under a heading, once.
func TestHelpOfEveryFlag(t *testing.T) {
	eachCommand(func(c *cobra.Command, path []string) {
		text := helpOf(t, append(path, "--help-all")...)
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
			if f.Hidden {
				want = 0
			}
			for _, h := range hidden {
				if a := f.Annotations[flags.GroupKey]; len(a) > 0 && a[0] == h {
					want = 0
				}
			}
			if listed[f.Name] != want {
				t.Errorf("%q: --%s is listed %d times, want %d", path, f.Name, listed[f.Name], want)
			}
		})
	})
}

// The short help fits two screens: a sentence and two examples first, at most 25 lines above the flags, at most 20
// flags, and the exit statuses last, one a line. The list of commands has at most 40 lines.
func TestShortHelp(t *testing.T) {
	if n := strings.Count(helpOf(t, "--help"), "\n"); n > 40 {
		t.Errorf("the help of thermsim has %d lines", n)
	}
	eachCommand(func(c *cobra.Command, path []string) {
		if !c.HasParent() {
			return
		}
		text := helpOf(t, append(path, "--help")...)
		above, rest := text, text
		if at := flagLine.FindStringIndex(text); at != nil {
			above, rest = text[:at[0]], text[at[0]:]
		}
		sentence, _, _ := strings.Cut(above, "\n\n")
		if !regexp.MustCompile(`^[A-Z][^.\n]*(\.\w[^.\n]*)?\n?[^.\n]*\.$`).MatchString(sentence) {
			t.Errorf("%q begins with %q, not with a sentence", path, sentence)
		}
		examples := regexp.MustCompile(`(?m)^\nExamples:\n  .*thermsim.*\n  .*thermsim.*$`)
		if !examples.MatchString(above) {
			t.Errorf("%q: two examples are missing in\n%s", path, above)
		}
		if n := strings.Count(above, "\n") - 1; n > 25 { // without the heading of the flags
			t.Errorf("%q: %d lines above the flags", path, n)
		}
		if n := len(flagLine.FindAllString(text, -1)); n > 25 {
			t.Errorf("%q: %d flags", path, n)
		}
		_, statuses, _ := strings.Cut(rest, "\nEXIT STATUS (docs/reference/exit-status.md)\n")
		if !regexp.MustCompile(`^  0    .*\n(  [1-6]    .*\n)*(  130  .*\n)?  134  .*\n$`).MatchString(statuses) {
			t.Errorf("%q: exit statuses\n%s", path, statuses)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if n := len([]rune(line)); n > 100 {
				t.Errorf("%q: %d columns: %s", path, n, line)
			}
		}
	})
}

// A flag means the same in all commands, apart from its default. Commands on other objects than stacks and runs, and
// the flags named, have words of their own.
func TestFlagsMeanTheSame(t *testing.T) {
	own := map[string]bool{"bench": true, "import": true, "solve": true, "eda": true, "verify": true,
		"reduce --tol": true, "check --precond": true, "check --format": true, "sensitivity --of": true,
		"steady --rtol": true, "transient --rtol": true, "serve --rtol": true}
	meaning := map[string]string{}
	eachCommand(func(c *cobra.Command, path []string) {
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			usage, _, _ := strings.Cut(f.Usage, " (default")
			if !c.HasParent() || own[c.Name()] || own[c.Parent().Name()] || own[c.Name()+" --"+f.Name] {
				return
			}
			value, _ := pflag.UnquoteUsage(f)
			key := f.Name + " " + value
			if before, ok := meaning[key]; ok && before != usage && f.Name != "device" {
				t.Errorf("%q: --%s is %q, and elsewhere %q", path, f.Name, usage, before)
			}
			meaning[key] = usage
		})
	})
}

// flagLine is a line of the help that lists a flag.
var flagLine = regexp.MustCompile(`(?m)^  (?:-.,|   ) --([A-Za-z0-9_-]+)`)

// The options of a simulator are shown where they apply.
func TestHelpOfProjects(t *testing.T) {
	for _, f := range flags.Formats() { // import --list prints it
		if f.Scope.Carried == "" || f.Scope.NotCarried == "" || f.Scope.Refused == "" {
			t.Errorf("%s: scope %+v", f.Name, f.Scope)
		}
	}
	const hotspot = "Projects of HotSpot:\n"
	for _, command := range []string{"steady", "transient"} {
		bare := helpOf(t, command, "--help-all")
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
		if text := helpOf(t, command, "x.config", "--help"); !strings.Contains(text, hotspot) ||
			!strings.Contains(text, "--grid_layer_file") {
			t.Errorf("%s x.config --help:\n%s", command, text)
		}
		if text := helpOf(t, command, "x.stk", "--help"); strings.Contains(text, hotspot) {
			t.Errorf("%s x.stk --help:\n%s", command, text)
		}
	}
	for _, command := range []string{"check", "export"} {
		bare := helpOf(t, command, "--help-all")
		if strings.Contains(bare, hotspot) ||
			strings.Count(bare, "'thermsim "+command+" PROJECT --help' lists the options") != 1 {
			t.Errorf("%s --help:\n%s", command, bare)
		}
		if text := helpOf(t, command, "x.config", "--help"); !strings.Contains(text, hotspot) ||
			!strings.Contains(text, "--grid_layer_file") {
			t.Errorf("%s x.config --help:\n%s", command, text)
		}
	}
	if text := helpOf(t, "import", "hotspot", "--help"); !strings.Contains(text, hotspot) {
		t.Errorf("import hotspot --help:\n%s", text)
	}
}
