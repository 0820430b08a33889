//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// inputs are all of them.
func inputs() []input {
	return slices.Concat(textInputs(), materialInputs(), planInputs(), archiveInputs(), pipeInputs(), pathInputs(),
		shapeInputs(), manyInputs(), namedInputs(), flagInputs(), sweepInputs(), checkpointInputs(),
		netlistInputs(), matrixInputs(), policyInputs(), modelInputs(), runInputs(), serveInputs(), designInputs(),
		projectInputs(), strangerInputs(), otherInputs())
}

// write makes a file and fills it.
func write(path string, fill func(w *bufio.Writer)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fill(w)
	return errorsOf(w.Flush(), f.Close())
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// sheet is a small stack, with lines of its layer and after it.
func sheet(title, layer, rest string) string {
	return fmt.Sprintf(`schema = 1
title = %q
ambient = "25 degC"
size = ["10 mm", "10 mm"]
grid = { nx = 16, ny = 16 }
boundary.top = { h = "5000 W/(m^2 K)" }

[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
%s
%s`, title, layer, rest)
}

const heated = `power = { uniform = "5 W" }`

// stackOf makes an input that is a stack file alone.
func stackOf(command string, fill func(w io.Writer)) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		err := write(filepath.Join(dir, "stack.toml"), func(w *bufio.Writer) { fill(w) })
		return []string{command, "--quiet", "--out", "out"}, err
	}
}

func stackText(text string) func(string) ([]string, error) {
	return stackOf("steady", func(w io.Writer) { io.WriteString(w, text) })
}

func textInputs() []input {
	long := strings.Repeat("x", 1<<20)
	keys := func(n int) func(string) ([]string, error) {
		return stackOf("check", func(w io.Writer) {
			io.WriteString(w, sheet("keys", heated, ""))
			for i := range n {
				fmt.Fprintf(w, "key%d = 1\n", i)
			}
		})
	}
	tables := stackOf("check", func(w io.Writer) {
		for i := range 400_000 {
			fmt.Fprintf(w, "[t%d.a.b.c]\n", i)
		}
	})
	return []input{
		{"title-8000", "title of 8,000 characters", stackText(sheet(strings.Repeat("x", 8000), heated, "")), true},
		{"title-1M", "title of 1 MB", stackText(sheet(long, heated, "")), true},
		{"layer-1M", "layer name of 1 MB", stackText(strings.Replace(sheet("", heated, ""), `"die"`, `"`+long+`"`, 1)),
			true},
		{"block-1M", "block name of 1 MB",
			stackText(sheet("", "block = [{ name = \""+long+"\", x = 0, y = 0, width = \"1 mm\", height = \"1 mm\", "+
				"power = \"1 W\" }]", "")), true},
		{"probe-1M", "probe name of 1 MB",
			stackText(sheet("", heated, "[[probe]]\nname = \""+long+"\"\nx = 0\ny = 0\nlayer = \"die\"\n")), true},
		{"material-1M", "material name of 1 MB",
			stackText(strings.Replace(sheet("", heated, ""), `"silicon"`, `"`+long+`"`, 1)), true},
		{"key-1M", "key of 1 MB", stackText(sheet("", heated, long+" = 1\n")), true},
		{"path-1M", "path of 1 MB", stackText(sheet("", "power = { floorplan = \""+long+"\", watts = \"x\" }", "")),
			true},
		{"comment-1M", "comment of 1 MB", stackText(sheet("", heated, "#"+long)), false},
		{"keys-10M", "10 MB of unknown keys", keys(700_000), true},
		{"keys-100M", "100 MB of unknown keys", keys(6_500_000), true},
		{"tables-10M", "400,000 tables of unknown keys", tables, true},
		{"nested-arrays", "100,000 arrays within each other",
			stackText("x = " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)), true},
		{"dotted", "key of 100,000 dots", stackText("x" + strings.Repeat(".x", 100_000) + " = 1\n"), true},
		{"watts-1e308", "powers of 1e308 W",
			stackText(sheet("", `power = [{ uniform = "1e308 W" }, { uniform = "1e308 W" }]`, "")), true},
		{"watts-1e300", "power of 1e300 W", stackText(sheet("", `power = { uniform = "1e300 W" }`, "")), true},
	}
}
