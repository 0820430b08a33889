package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
)

// manMacro is a line that roff does not print.
var manMacro = regexp.MustCompile(`^\.(TH .+|SH .+|SS .+|BR .+|TP|PP|nf|fi)$`)

// Every command has a page with all its flags and sections, in macros that are closed.
func TestManPages(t *testing.T) {
	root := newRootCommand(&session.Session{Console: &terminal.Console{}}, "")
	mandoc, _ := exec.LookPath("mandoc")
	for _, c := range manCommands(root) {
		page := manPage(c)
		verbatim := false
		for line := range strings.Lines(page) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, ".") && !manMacro.MatchString(line) || strings.HasPrefix(line, "'") {
				t.Errorf("%s: %q is no macro of these pages", manName(c), line)
			}
			switch {
			case line == ".nf" && verbatim, line == ".fi" && !verbatim, strings.HasPrefix(line, ".S") && verbatim:
				t.Errorf("%s: .nf and .fi do not match at %q", manName(c), line)
			case line == ".nf", line == ".fi":
				verbatim = line == ".nf"
			case line == "" && !verbatim:
				t.Errorf("%s: an empty line in text", manName(c))
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if n := strings.Count(page, `\fB\-\-`+roff(f.Name)+`\fR`); !f.Hidden && n != 1 {
				t.Errorf("%s: --%s is listed %d times", manName(c), f.Name, n)
			}
		})
		sections := []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"}
		if c.Annotations[exit.HelpKey] != "" {
			sections = append(sections, "EXIT STATUS")
		}
		for _, s := range sections {
			if strings.Count(page, ".SH "+s+"\n") != 1 {
				t.Errorf("%s lacks %s, or has it twice", manName(c), s)
			}
		}
		if mandoc != "" {
			cmd := exec.Command(mandoc, "-T", "lint", "-W", "error")
			cmd.Stdin = strings.NewReader(page)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %s", manName(c), out)
			}
		}
	}
}

// The lines of a table stay lines; what roff would take for a macro or an escape is text.
func TestManText(t *testing.T) {
	got := manText("One, and\ntwo.\n\n  0    done\n  1    a \\ b\n\n.dot\n")
	want := "One, and\ntwo.\n.PP\n.nf\n  0    done\n  1    a \\e b\n\n.fi\n\\&.dot\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
