package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"thermsim/internal/staging"
	"thermsim/report"
	"thermsim/stack"
)

// checkFiles are the drawings of check, as records of folders call them.
const checkFiles = "check"

// outputNames are the patterns of names that files of a set may have, but for runs, whose names package report knows.
var outputNames = map[string][]string{
	checkFiles:    {"stack.png", "floorplan_*.png"},
	"diff":        {"diff.html", "diff.json", "diff_*.png"},
	"reduce":      {"model.json", "model.npz", "model.cir", "run.cir", "foster.csv", "cauer.csv"},
	"export":      {"A.mtx", "b.mtx"},
	"bench":       {"*-A.mtx", "*-b.mtx"},
	"solve":       {"summary.json", "x.mtx", "voltages.csv"},
	"rth":         {"rth.*"},
	"zth":         {"zth.*", "zth_*.csv", "zth_*.png"},
	"sensitivity": {"sensitivity.csv", "sensitivity.json", "sensitivity.png"},
}

// outputsOf are the patterns of a command's set.
func outputsOf(set, command string) []string {
	if set == report.RunFiles {
		return report.NamePatterns(command != "steady", command == "render")
	}
	return outputNames[set]
}

// shown tells stacks and grids apart, for the record of a folder.
func shown(s *stack.Stack, p *project) string {
	h := sha256.New()
	for _, in := range s.Inputs {
		fmt.Fprintln(h, in.SHA256)
	}
	for _, set := range s.Set {
		fmt.Fprintln(h, set)
	}
	fmt.Fprintln(h, s.Grid.X.Cells, s.Grid.Y.Cells, p.compat, p.values()) // maps print in the order of their keys
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// begin takes a folder for the files of a command, before time is spent on them.
func begin(g *globals, dir string, o staging.Options) (*staging.Transaction, error) {
	o.Fault, o.Timeline, o.Force, o.Inputs = g.fault, g.timings.log, g.force, g.inputs
	o.Outputs = outputsOf(o.Set, o.Command)
	t, err := staging.Begin(dir, o)
	if err != nil {
		return nil, withStatus(exitInput, err)
	}
	if t.Undone() {
		g.note("a run into %s was cut off while its files got their names; the files of the run before are back", dir)
	}
	g.opened(t)
	return t, nil
}

// commit gives the files their names, and tells what became of those of runs before.
func commit(ctx context.Context, g *globals, t *staging.Transaction) (*staging.Result, error) {
	done := g.commits(t.Dir())
	defer g.timings.log.Begin("commit")()
	r, err := t.Commit(ctx)
	done(err)
	if err != nil {
		return nil, err
	}
	g.detail("wrote %d files into %s", len(r.Files), t.Dir())
	if n := len(r.Removed); n > 0 {
		g.detail("files of the run before that were removed: %d, such as %s", n, r.Removed[0])
	}
	if n := len(r.Changed); n > 0 {
		g.note("files of the run before that were changed since are left there: %d, such as %s", n, r.Changed[0])
	}
	return r, nil
}

// writeFiles writes a few files into a folder.
func writeFiles(ctx context.Context, g *globals, dir string, o staging.Options, files ...staging.File) (*staging.Result,
	error) {
	t, err := begin(g, dir, o)
	if err != nil {
		return nil, err
	}
	defer t.Abort()
	if err := t.WriteFiles(ctx, files...); err != nil {
		return nil, err
	}
	return commit(ctx, g, t)
}

// refuseToReplace asks for consent before files are replaced.
func refuseToReplace(force bool, files ...string) error {
	other := "another file"
	if len(files) > 1 {
		other = "other files"
	}
	for _, path := range files {
		switch taken, err := exists(path); {
		case force:
		case err != nil:
			return usagef("%w; name %s with --out, or replace it with --force", err, other)
		case taken:
			return usagef("%s exists already; name %s with --out, or replace it with --force", path, other)
		}
	}
	return nil
}

// exists says whether something has that name. Below what is no folder nothing has; that is told of when it is written
// into.
func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return false, nil
	}
	return false, fmt.Errorf("cannot find out whether a file exists: %w", err)
}

// ownFiles is how files that stand for themselves are written. Others may write theirs into the same folder, which
// takes a moment: what was measured for minutes should not be lost to that.
var ownFiles = staging.Options{Patience: 5 * time.Second}

// writeOutputs writes files that stand for themselves into one folder.
func writeOutputs(ctx context.Context, g *globals, dir string, files ...staging.File) error {
	_, err := writeFiles(ctx, g, dir, ownFiles, files...)
	return steadyInterrupted(err)
}

// checkFolder makes sure that files can be written into dir, and leaves no trace.
func checkFolder(dir string) error {
	if err := staging.Check(dir, ownFiles); err != nil {
		return withStatus(exitInput, err)
	}
	return nil
}

// sameFile says whether two paths lead to one file or folder.
func sameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	if err1 != nil || err2 != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(one, two)
}
