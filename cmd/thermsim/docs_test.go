package main

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"thermsim/tools/notebook"
)

// fenced is a block of code of a page.
type fenced struct{ language, text string }

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// blocksOf reads the blocks of code of a page of docs.
func blocksOf(t *testing.T, page string) []fenced {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var out []fenced
	for _, m := range fence.FindAllStringSubmatch(string(data), -1) {
		out = append(out, fenced{m[1], m[2]})
	}
	return out
}

// workplace is an empty folder with the examples, and no GPU.
func workplace(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The guide's files are what it shows, its commands run, and each line of output that it shows is among what they
// print, in that order.
func TestModellingGuide(t *testing.T) {
	dir := workplace(t)
	commands := 0
	for _, b := range blocksOf(t, "guides/modelling.md") {
		switch b.language {
		case "toml":
			writeStack(t, dir, b.text)
		case "console":
			for _, session := range strings.Split("\n"+b.text, "\n$ ")[1:] {
				command, shown, _ := strings.Cut(session, "\n")
				commands++
				t.Run(command, func(t *testing.T) { holds(t, dir, command, shown) })
			}
		}
	}
	if commands < 15 {
		t.Errorf("%d commands found", commands)
	}
}

// writeStack writes a stack file of the guide under the name in its first line.
func writeStack(t *testing.T, dir, text string) {
	t.Helper()
	first, _, _ := strings.Cut(text, "\n")
	if err := os.WriteFile(filepath.Join(dir, strings.TrimPrefix(first, "# ")), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// holds runs a command in dir and looks for what is shown.
func holds(t *testing.T, dir, command, shown string) {
	if strings.HasPrefix(command, "thermsim ") {
		if err := os.RemoveAll(filepath.Join(dir, "thermsim-out")); err != nil {
			t.Fatal(err)
		}
	}
	// the guide shows what is printed, not the pictures
	command = regexp.MustCompile(`thermsim (steady|transient) \S+`).ReplaceAllString(command, "$0 --formats none")
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	rest := squeeze(string(printed))
	for line := range strings.Lines(shown) {
		line = squeeze(line)
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Fatalf("the page shows\n%s\nwhich is not there, or too early, in\n%s", line, printed)
		}
		rest = after
	}
}

// squeeze makes every run of white space one space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// The notebook for users of Python, which is made of its page: its cells run one after the other in an empty folder,
// and print what it shows. Those that need pandas run where it is installed.
func TestPythonNotebook(t *testing.T) {
	numpy, pandas := python("numpy"), python("numpy, pandas")
	if numpy == "" {
		t.Skip("no python3 with numpy here; Debian has both")
	}
	data, err := os.ReadFile("../../docs/guides/python.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var book notebook.Notebook
	if err := json.Unmarshal(data, &book); err != nil {
		t.Fatal(err)
	}
	const end = "--- end of cell"
	var script strings.Builder
	var shown []string
	for _, c := range book.Cells {
		source := strings.Join(c.Source, "")
		if c.Run == nil || pandas == "" && strings.Contains(source, "import pandas") {
			continue
		}
		script.WriteString(source + "\nprint(" + strconv.Quote(end) + ")\n")
		text := ""
		for _, o := range c.Outputs {
			text += strings.Join(o.Text, "")
		}
		shown = append(shown, text)
	}
	cmd := exec.Command(cmp.Or(pandas, numpy), "-c", script.String())
	cmd.Dir = workplace(t)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	blocks := strings.Split(string(printed), end)
	if len(blocks) != len(shown)+1 || len(shown) < 6 {
		t.Fatalf("%d cells ran, %d are there", len(blocks)-1, len(shown))
	}
	for i, want := range shown {
		if squeeze(blocks[i]) != squeeze(want) {
			t.Errorf("the notebook shows\n%s\nin place of\n%s", want, blocks[i])
		}
	}
}

// python finds an interpreter that has modules, or "".
func python(modules string) string {
	for _, path := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(path, "-c", "import "+modules).Run() == nil {
			return path
		}
	}
	return ""
}
