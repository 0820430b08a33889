package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/internal/staging"
	"thermsim/report"
	"thermsim/stack"
)

// CheckFiles are the drawings of check, as records of folders call them.
const CheckFiles = "check"

// outputNames are the patterns of file names in a set, except those of runs, which package report knows.
var outputNames = map[string][]string{
	CheckFiles: {"stack.png", "floorplan_*.png", "fill_*.png"},
	"converge": {"converge.csv", "converge.json"},
	"diff":     {"diff.html", "diff.json", "diff_*.png"},
	"reduce": {"model.json", "model.npz", "model.cir", "run.cir", "foster.csv", "cauer.csv", "model.mo",
		"compact.json", "compact.cir", "compact.mo", "two-resistor.ecxml"},
	"export":      {"A.mtx", "b.mtx"},
	"bench":       {"*-A.mtx", "*-b.mtx"},
	"solve":       {"summary.json", "x.mtx", "x.npy", "voltages.csv", "waveforms.csv"},
	"rth":         {"rth.*"},
	"zth":         {"zth.*", "zth_*.csv", "zth_*.png"},
	"optimise":    {"optimise.*", "design_*.toml", "stack.png", "floorplan_*.png", "fill_*.png"},
	"sensitivity": {"sensitivity.csv", "sensitivity.json", "sensitivity.png"},
}

// OutputsOf are the patterns of a command's set.
func OutputsOf(set, command string) []string {
	if set == report.RunFiles {
		return report.NamePatterns(command != "steady", command == "render")
	}
	return outputNames[set]
}

// Begin takes a folder for the files of a command, before time is spent on them.
func (g *Session) Begin(dir string, o staging.Options) (*staging.Transaction, error) {
	o.Fault, o.Timeline, o.Force, o.Inputs = g.Fault, g.Timings.Log, g.Force, g.Inputs
	o.Outputs = OutputsOf(o.Set, o.Command)
	t, err := staging.Begin(dir, o)
	if err != nil {
		return nil, exit.With(exit.Input, err)
	}
	if t.Undone() {
		g.Note("a run into %s was cut off while its files were renamed; the files of the previous run are back", dir)
	}
	g.opened(t)
	return t, nil
}

// Commit renames the files to their final names, and reports which files of previous runs were removed.
func (g *Session) Commit(ctx context.Context, t *staging.Transaction) (*staging.Result, error) {
	done := g.commits(t.Dir())
	defer g.Timings.Log.Begin("commit")()
	r, err := t.Commit(ctx)
	done(err)
	if err != nil {
		return nil, exit.NothingWritten(err)
	}
	g.Detail("wrote %d files into %s", len(r.Files), t.Dir())
	if n := len(r.Removed); n > 0 {
		g.Detail("files of the previous run that were removed: %d, such as %s", n, r.Removed[0])
	}
	if n := len(r.Changed); n > 0 {
		g.Note("files of the previous run that were changed since then are kept: %d, such as %s", n, r.Changed[0])
	}
	return r, nil
}

// Publish writes files, and gives all that were written their names.
func (g *Session) Publish(ctx context.Context, t *staging.Transaction, files ...staging.File) (*staging.Result, error) {
	if err := t.WriteFiles(ctx, files...); err != nil {
		return nil, exit.NothingWritten(err)
	}
	return g.Commit(ctx, t)
}

// WriteFiles writes a few files into a folder.
func (g *Session) WriteFiles(ctx context.Context, dir string, o staging.Options,
	files ...staging.File) (*staging.Result, error) {
	t, err := g.Begin(dir, o)
	if err != nil {
		return nil, err
	}
	defer t.Abort()
	return g.Publish(ctx, t, files...)
}

// RefuseToReplace refuses to replace an input of the run, and asks for consent before any other file is replaced. The
// flag names the files.
func RefuseToReplace(flag string, force bool, inputs []stack.Input, files ...string) error {
	other := "another file"
	if len(files) > 1 {
		other = "other files"
	}
	for _, path := range files {
		taken, err := Exists(path)
		switch {
		case slices.ContainsFunc(inputs, func(in stack.Input) bool { return SameFile(path, in.Path) }):
			return exit.Usagef("%s is an input of this run; name %s with --%s", path, other, flag)
		case force:
		case err != nil:
			return exit.Usagef("%w; name %s with --%s, or replace it with --force", err, other, flag)
		case taken:
			return exit.Usagef("%s exists already; name %s with --%s, or replace it with --force", path, other, flag)
		}
	}
	return nil
}

// Exists says whether something has that name. Nothing exists below what is no folder; writing reports that error.
func Exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return false, nil
	}
	return false, fmt.Errorf("cannot find out whether a file exists: %w", err)
}

// ownFiles are the options for files that belong to no set. Others may write theirs into the same folder, which
// takes a moment: what was measured for minutes should not be lost to that.
var ownFiles = staging.Options{Patience: 5 * time.Second}

// WriteOutputs writes files that belong to no set into one folder.
func (g *Session) WriteOutputs(ctx context.Context, dir string, files ...staging.File) error {
	_, err := g.WriteFiles(ctx, dir, ownFiles, files...)
	return err
}

// CheckFolder makes sure that files can be written into dir, and leaves no trace.
func CheckFolder(dir string) error {
	if err := staging.Check(dir, ownFiles); err != nil {
		return exit.With(exit.Input, err)
	}
	return nil
}

// SameFile says whether two paths lead to one file or folder.
func SameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	if err1 != nil || err2 != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(one, two)
}
