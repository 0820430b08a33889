package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/report"
)

// saveFlat saves a steady run of a field that is flat but for its first cell.
func saveFlat(t *testing.T, f flat) (dir string) {
	t.Helper()
	_, m := tinyMesh(t)
	dir = t.TempDir()
	r := &report.Run{Command: "steady", Mesh: m,
		Solution: &solution.Solution{Field: f,
			Status: solution.Status{Converged: true, Reason: solution.ReasonTolerance}}}
	_, err := staging.Do(t.Context(), dir, staging.Options{Set: report.RunFiles, Command: "steady"},
		func(files *staging.Transaction) error {
			recording, err := report.NewRecording(files, r, 0, report.Options{}, report.OutputOptions{SaveLast: true})
			if err == nil {
				_, err = recording.Finish(t.Context(), nil)
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A cell without a temperature is no agreement: the limit fails, however small all other differences are.
func TestDiffOfBrokenFields(t *testing.T) {
	good, other, broken := saveFlat(t, flat{320, 320}), saveFlat(t, flat{320, 321}), saveFlat(t, flat{320, math.NaN()})
	for _, c := range []struct {
		runs   [2]string
		limit  string
		status int
		says   string
	}{
		{[2]string{good, good}, "1 mK", exit.Done, ""},
		{[2]string{good, other}, "2 K", exit.Done, ""},
		{[2]string{good, other}, "0.5 K", exit.TooHot, "differ by up to 1 K"},
		{[2]string{good, broken}, "", exit.Done, "warning: 1 of 12 cells are not compared"},
		{[2]string{good, broken}, "1 mK", exit.TooHot, "1 of 12 cells are not compared"},
		{[2]string{broken, good}, "1000 K", exit.TooHot, "breakdown, 1 cell without a finite temperature"},
		{[2]string{broken, broken}, "1 mK", exit.TooHot, "1 of 12 cells are not compared"},
	} {
		o := diffOptions{runs: c.runs, out: filepath.Join(t.TempDir(), "d"), limitText: c.limit}
		if c.limit != "" {
			var err error
			if o.limit, err = flags.Rise.Parse(c.limit); err != nil {
				t.Fatal(err)
			}
		}
		var said, tables bytes.Buffer
		err := runDiff(t.Context(), &session.Session{Console: &terminal.Console{Stdout: &tables, Stderr: &said}}, o)
		if err != nil {
			said.WriteString(err.Error())
		}
		swapped := o
		swapped.runs[0], swapped.runs[1] = o.runs[1], o.runs[0]
		swapped.out = filepath.Join(t.TempDir(), "d")
		quiet := &session.Session{Console: &terminal.Console{Stdout: io.Discard, Stderr: io.Discard}}
		if got := exit.Status(runDiff(t.Context(), quiet, swapped)); got != c.status {
			t.Errorf("limit %q, runs swapped: exit status %d, want %d", c.limit, got, c.status)
		}
		if exit.Status(err) != c.status || !strings.Contains(said.String(), c.says) {
			t.Errorf("limit %q: exit status %d, want %d: %s", c.limit, exit.Status(err), c.status, said.String())
		}
		if c.status == exit.Done && c.says == "" && strings.Contains(said.String(), "warning") {
			t.Errorf("limit %q: %s", c.limit, said.String())
		}
		if page, err := os.ReadFile(filepath.Join(o.out, "diff.html")); err != nil ||
			strings.Contains(c.says, "cell") != bytes.Contains(page, []byte("class=\"caveat\"")) {
			t.Errorf("limit %q, page: %v", c.limit, err)
		}
	}
}
