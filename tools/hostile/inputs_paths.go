//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
)

// pipe makes a FIFO that nobody writes into.
func pipe(name string, args ...string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		return args, syscall.Mkfifo(filepath.Join(dir, name), 0o600)
	}
}

// namedPipe is a stack that names a FIFO.
func namedPipe(layer string) func(string) ([]string, error) {
	return func(dir string) ([]string, error) {
		args, err := stackText(sheet("pipe", layer, ""))(dir)
		return args, errorsOf(err, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	}
}

func pipeInputs() []input {
	return []input{
		{"fifo-stack", "FIFO as stack", pipe("stack.toml", "check", "--quiet", "--out", "out"), true},
		{"fifo-plan", "FIFO as floorplan", namedPipe(`power = { floorplan = "pipe", watts = "x" }`), true},
		{"fifo-map", "FIFO as power map",
			namedPipe(`power = { map = "pipe", unit = "W", orientation = "south-first" }`), true},
		{"fifo-run", "FIFO as saved run", pipe("run.zip", "render", "run.zip", "--quiet", "--out", "out"), true},
		{"fifo-diff", "FIFO as saved run of diff", pipe("run.zip", "diff", "run.zip", "run.zip", "--quiet", "--out",
			"out"), true},
		{"fifo-matrix", "FIFO as matrix", pipe("a.mtx", "solve", "a.mtx", "--quiet", "--out", "out"), true},
		{"fifo-stk", "FIFO as project of 3D-ICE", pipe("case.stk", "check", "case.stk", "--quiet", "--out", "out"),
			true},
		{"fifo-hotspot", "FIFO as project of HotSpot", pipe("case.config", "check", "case.config", "--quiet", "--out",
			"out"), true},
		{"fifo-def", "FIFO as DEF", pipe("a.def", "import", "eda", "--def", "a.def", "--lef", "a.def", "--power",
			"a.def", "--out", "chip"), true},
		{"device-zero", "/dev/zero as stack", func(string) ([]string, error) {
			return []string{"check", "/dev/zero", "--quiet", "--out", "out"}, nil
		}, true},
	}
}

func pathInputs() []input {
	figure := func(dir string) ([]string, error) {
		args, err := stackText(sheet("figure", heated, ""))(dir)
		return append(args, "--dpi", "1199", "--width", "3000 mm"), err
	}
	return []input{
		{"figure", "picture of 3000 mm at 1199 dpi", figure, true},
		{"stk-root", "output / of a 3D-ICE project", iceStack(1, "/"), true},
		{"stk-above", "output .. of a 3D-ICE project", iceStack(1, ".."), true},
		{"stk-run", "output run.zip of a 3D-ICE project", iceStack(1, "run.zip"), true},
		{"stk-summary", "output summary.json of a 3D-ICE project", iceStack(1, "summary.json"), true},
		{"stk-long", "output of 1 MB of name of a 3D-ICE project", iceStack(1, strings.Repeat("o", 1<<20)), true},
	}
}
