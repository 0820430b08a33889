package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const fuzzStack = `schema = 1
ambient = "25 degC"
size = ["10 mm", "10 mm"]
grid = { nx = 4, ny = 4 }
boundary.top = { h = "5000 W/(m^2 K)" }
[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
power = { uniform = "5 W" }
`

// Arguments that reach outside of the folder, wait for input, a signal or a network, open what another test looks at,
// or take long.
var unsafe = regexp.MustCompile(`/|\\|\.\.|[0-9]{4}|e[0-9+]|--watch|--listen|--device|--stdio|=-$|^-$|gpu|x[0-9]{3}|[0-9]{3}x`)

// Whatever the arguments, a command ends with a status of the contract and without a panic, and a refusal leaves no
// file.
func FuzzArguments(f *testing.F) {
	for _, args := range []string{
		"steady stack.toml --quiet", "check stack.toml --print", "transient stack.toml --steps 2 --dt 1ms --set " +
			"ambient=300", "steady stack.toml --json --tmax 30 --out a",
		"rth stack.toml", "zth stack.toml --from 1ms", "sensitivity stack.toml --of max", "converge stack.toml",
		"render a --maps die", "diff a b --limit 1", "export stack.toml --out m",
		"steady stack.toml --grid 8x8 --files npz,vtr --figures section", "materials silicon", "sweep stack.toml",
		"fit stack.toml a.csv --vary ambient=1:2", "optimise a.toml --json",
		"solve stack.toml", "reduce stack.toml", "init hbm", "import stack.toml",
	} {
		f.Add(args)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		f.Fatal(err)
	}
	input := os.Stdin
	os.Stdin = null
	f.Cleanup(func() { os.Stdin = input; null.Close() })
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Fields(line)
		if len(args) == 0 || len(args) > 20 || slices.ContainsFunc(args, unsafe.MatchString) ||
			slices.Contains(args, "serve") || slices.Contains(args, "verify") || slices.Contains(args, "bench") {
			t.Skip()
		}
		t.Chdir(t.TempDir())
		if err := os.WriteFile("stack.toml", []byte(fuzzStack), 0o666); err != nil {
			t.Fatal(err)
		}
		status := run(args, null, null)
		if !slices.Contains([]int{0, 1, 2, 3, 4, 5, 6}, status) {
			t.Fatalf("%q ends with status %d", args, status)
		}
		if status != 2 {
			return
		}
		files, err := filepath.Glob("*")
		if err != nil || len(files) != 1 && !slices.Contains(args, "--strict") {
			t.Fatalf("%q is refused and leaves %q, %v", args, files, err)
		}
	})
}
