package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/testtier"
)

var (
	fence = regexp.MustCompile("(?ms)^```(\\w+)([^\n]*)\n(.*?)^```$")
	// inline is a command within a sentence, whose placeholders begin with a capital letter or "[".
	inline      = regexp.MustCompile("`(thermsim [a-z][^`\\n]*)`")
	placeholder = regexp.MustCompile(` (\[|[A-Z_]{3,}).*`)
	indented    = regexp.MustCompile(`(?m)^    (?:\$ )?(?:go run \./cmd/thermsim|thermsim) .*`)
	flagSpan    = regexp.MustCompile("`(--[a-zA-Z0-9_-]+)")
	// elsewhere are commands that need a device, a network or a file of the reader's.
	elsewhere = regexp.MustCompile(`^(go|git|make|docker|scp|ssh|srun|mpirun|report_power|check-jsonschema|cd|#.*)\b|` +
		`--device gpu|--ranks|--listen|--port|\b(chip|wafer)\.toml|case\.stk|(ev6|hotspot)\.config|chip\.(def|gds)|A\.mtx|\bmcpat\b|` +
		`\.3dbx|\.chiplet|thermsim bench --(tables|systems|grid|from bench)`)
	calls     = regexp.MustCompile(`\b(thermsim) ([a-z][^|;&>#]*)`)
	word      = regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`)
	drawsMaps = regexp.MustCompile(`thermsim (steady|transient|check|diff)\b`)
	target    = regexp.MustCompile(`^make ([a-z-]+)`)
)

// Every command of the pages runs, page by page in an empty folder with the examples, in the order of the page. Blocks
// of the language
//
//	toml     are files, if their first line is a comment with a name
//	console  show commands after "$ ", and lines of what they print, in this order; "..." is text left out
//	sh       show commands alone, which run on a coarse grid
//
// Of "console extended", which takes longer, and of commands that cannot run here, the quick tests read the flags.
func TestPages(t *testing.T) {
	var ran, read atomic.Int32
	t.Cleanup(func() { t.Logf("%d ran, %d read", ran.Load(), read.Load()) })
	for _, page := range pages(t) {
		text := readPage(t, page)
		if m := indented.FindString(text); m != "" {
			t.Errorf("%s: put %q between fences, where it is tested", page, m)
		}
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			readFlags(t, page, placeholder.ReplaceAllString(m[1], ""))
		}
		blocks := fence.FindAllStringSubmatch(text, -1)
		if filepath.Base(page) == "python.md" { // TestPythonNotebook runs it
			continue
		}
		t.Run(filepath.Base(filepath.Dir(page))+"/"+filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			dir := workplace(t)
			for _, b := range blocks {
				language, quick, text := b[1], b[2] == "", b[3]
				switch language {
				case "toml":
					writeStack(t, dir, text)
				case "console", "sh":
					for _, c := range commandsOf(language, text) {
						readFlags(t, page, c.line)
						read.Add(1)
						if language == "sh" && elsewhere.MatchString(c.line) || !testtier.Pick(quick, true) {
							continue
						}
						ran.Add(1)
						if language == "sh" {
							c.line = coarse(c.line)
						}
						t.Run(c.line, func(t *testing.T) { holds(t, dir, c) })
					}
				}
			}
		})
	}
}

// shellCommand is a line to run, with the lines of its output that a page shows.
type shellCommand struct{ line, shown string }

// commandsOf takes a block apart.
func commandsOf(language, text string) (list []shellCommand) {
	if language == "console" {
		for _, session := range strings.Split("\n"+text, "\n$ ")[1:] {
			line, shown, _ := strings.Cut(session, "\n")
			list = append(list, shellCommand{line, shown})
		}
		return list
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "go run ./cmd/thermsim", "thermsim"))
		list = append(list, shellCommand{line, ""})
	}
	return list
}

// pages are the pages for readers.
func pages(t *testing.T) (list []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	if len(list) < 80 {
		t.Errorf("%d pages found", len(list))
	}
	return list
}

// readFlags holds the flags and the number of arguments of a shell command's calls of thermsim, and the target of make,
// against those that exist.
func readFlags(t *testing.T, page, command string) {
	t.Helper()
	for _, call := range calls.FindAllStringSubmatch(command, -1) {
		var args []string
		for _, w := range word.FindAllString(call[2], -1) {
			args = append(args, strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(w))
		}
		c, rest, err := newRootCommand(&session.Session{Console: &terminal.Console{}}, args[0]).Find(args)
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err == nil && len(c.Flags().Args()) > 0 {
			err = c.ValidateArgs(c.Flags().Args())
		}
		// a sentence names a flag without its value
		if err != nil && !strings.Contains(err.Error(), "flag needs an argument") {
			t.Errorf("%s: %s: %v", page, call[0], err)
		}
	}
	if m := target.FindStringSubmatch(command); m != nil &&
		!strings.Contains(readPage(t, "../../Makefile"), "\n"+m[1]+":") {
		t.Errorf("%s: %s: no such target", page, m[0])
	}
}

// coarse adds a coarse grid to a command and leaves out its pictures.
func coarse(command string) string {
	return calls.ReplaceAllStringFunc(command, func(call string) string {
		name := strings.Fields(call)[1]
		c, _, err := newRootCommand(&session.Session{Console: &terminal.Console{}}, name).Find([]string{name})
		if err != nil || c.Flags().Lookup("grid") == nil || strings.Contains(call, "--grid") ||
			strings.Contains(call, "--model") {
			return call
		}
		return strings.Replace(call, name, name+" --grid 16x16", 1)
	})
}

// writeStack writes a file of a page under the name in its first line. A path is that of an example, which it repeats.
func writeStack(t *testing.T, dir, text string) {
	t.Helper()
	first, _, _ := strings.Cut(text, "\n")
	name, named := strings.CutPrefix(first, "# ")
	if !named || strings.Contains(name, " ") {
		return
	}
	if strings.Contains(name, "/") {
		if _, rest, _ := strings.Cut(text, "\n"); !strings.HasSuffix(readPage(t, filepath.Join(dir, name)), rest) {
			t.Errorf("%s is another file than the page shows", name)
		}
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// holds runs a command in dir and looks for what is shown.
func holds(t *testing.T, dir string, c shellCommand) {
	// the pages show what is printed, not the pictures; a reduced-order model draws none
	command := drawsMaps.ReplaceAllString(c.line, "$0 --formats none")
	if strings.Contains(command, "--model") {
		command = c.line
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	rest := squeeze(string(printed))
	for line := range strings.Lines(c.shown) {
		line = strings.ReplaceAll(regexp.QuoteMeta(squeeze(line)), `\.\.\.`, `.*?`)
		at := regexp.MustCompile(line).FindStringIndex(rest)
		if at == nil {
			t.Fatalf("the page shows\n%s\nwhich is not there, or too early, in\n%s", line, printed)
		}
		rest = rest[at[1]:]
	}
}

// Flags that the pages name are flags of a command.
func TestFlagsOfPages(t *testing.T) {
	known := map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name] = true })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRootCommand(&session.Session{Console: &terminal.Console{}}, ""))
	for _, page := range pages(t) {
		for _, m := range flagSpan.FindAllStringSubmatch(readPage(t, page), -1) {
			if !known[m[1]] {
				t.Errorf("%s: no command has %s", page, m[1])
			}
		}
	}
}
