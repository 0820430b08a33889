//go:build unix

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// target is a fuzz target with its counts so far.
type target struct {
	row
	program string
	taken   float64 // seconds of turns, running ones included
}

// shares of time, by default 1. Targets of whole runs and of solvers find more, and execute a hundred inputs a second
// or less.
var shares = map[string]int{
	"FuzzStacks": 4, "FuzzDevices": 4, "FuzzArguments": 3, "FuzzRender": 3, "FuzzDiff": 3, "FuzzOpen": 3,
	"FuzzSolveMatrix": 3, "FuzzSteady": 3,
	"FuzzTransient": 3, "FuzzCoolant": 3, "FuzzNewton": 3, "FuzzPatches": 3, "FuzzPrint": 2, "FuzzTOML": 2,
	"FuzzDesign": 2, "FuzzProject": 2, "FuzzOverride": 2,
}

func (t *target) share() int {
	return max(1, shares[t.Target])
}

func (t *target) String() string {
	return t.Package + " " + t.Target
}

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// find lists the targets in the tests of the module in the working folder.
func find(only *regexp.Regexp) ([]*target, error) {
	var targets []*target
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipped(path, d.Name())
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			t := &target{row: row{Package: filepath.ToSlash(filepath.Dir(path)), Target: string(m[1])}}
			if only.MatchString(t.String()) {
				targets = append(targets, t)
			}
		}
		return err
	})
	if err == nil && len(targets) == 0 {
		err = fmt.Errorf("no fuzz target matches. Fix: run this in the root of the repository, and check -only")
	}
	return targets, err
}

// skipped is fs.SkipDir for folders without packages of the module.
func skipped(path, name string) error {
	if path == "." {
		return nil
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	if name == "vendor" || name == "testdata" || name[0] == '.' || name[0] == '_' || err == nil {
		return fs.SkipDir
	}
	return nil
}

// build makes the test program of a package, which counts coverage. The end of the campaign is no error.
func (c *fuzzer) build(ctx context.Context, folder string, targets []*target) error {
	program := filepath.Join(c.binary, strings.ReplaceAll(folder, "/", "-")+".test")
	out, err := exec.CommandContext(ctx, "go", "test", "-vet=off", "-fuzz=.", "-c", "-o", program,
		"./"+folder).CombinedOutput()
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s cannot be built: %w\n%s", folder, err, out)
	}
	for _, t := range targets {
		t.program = program
	}
	return nil
}
