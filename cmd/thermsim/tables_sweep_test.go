package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/report/summary"
)

const (
	smallSweep = `stack = "leaks-true.toml"
[[vary]]
key = "boundary.top.h"
label = "film"
values = [4000, 6000]
[[vary]]
key = "layer.glue.thickness"
values = ["40 um", "80 um"]
`
	askedOutputs = `outputs = ["upper", "base/io", "base/cpu", "probe/below"]` + "\n"
)

// Rows of a sweep, its summary and its answers to lines are what single runs with the same values tell.
func TestSweepAgainstSingleRuns(t *testing.T) {
	dir := quickFolder(t)
	stackFile := writeSmall(t, dir, true)
	var runs []*sweptRun
	for _, film := range []string{"4000", "6000"} {
		for _, glue := range []string{"40 um", "80 um"} {
			text := output(t, exit.TooHot, "steady", stackFile, "--set", "boundary.top.h="+film,
				"--set", "layer.glue.thickness="+glue, "--out", filepath.Join(dir, "single"), "--json",
				"--no-page", "--device", "cpu", "--tol", "1e-8")
			r := &sweptRun{values: []string{film, glue}}
			if err := json.Unmarshal([]byte(text), &r.summary); err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
		}
	}
	for _, c := range []struct {
		outputs string
		columns []string
		kelvin  func(*summary.Summary) []float64
	}{
		{"", []string{"probe/inside_K", "probe/below_K", "base/core_K", "base/io_K"},
			func(s *summary.Summary) []float64 {
				return []float64{s.Probes[0].TemperatureK, s.Probes[1].TemperatureK, s.Blocks[0].MaxK, s.Blocks[1].MaxK}
			}},
		{askedOutputs, []string{"upper_K", "base/io_K", "base/cpu_K", "probe/below_K"},
			func(s *summary.Summary) []float64 {
				return []float64{s.Layers[1].MaxK, s.Blocks[1].MaxK, s.Regions[0].MaxK, s.Probes[1].TemperatureK}
			}},
	} {
		file, out := filepath.Join(dir, "sweep.toml"), filepath.Join(dir, "swept"+fmt.Sprint(len(c.outputs)))
		if err := os.WriteFile(file, []byte(c.outputs+smallSweep), 0o666); err != nil {
			t.Fatal(err)
		}
		text := output(t, exit.Done, "sweep", file, "--out", out, "--device", "cpu", "--tol", "1e-8")
		want := wantedTable{head: slices.Concat([]string{"run", "film", "layer.glue.thickness", "status", "max_K",
			"rise_K", "x_m", "y_m", "z_m", "layer", "block", "power_W", "rth_K_per_W", "margin_K",
			"iterations", "estimated_error_K"},
			c.columns, []string{"message"})}
		for n, r := range runs {
			want.rows = append(want.rows, r.row(n, c.kelvin(&r.summary)))
		}
		compareTable(t, "sweep.csv", readTable(t, filepath.Join(out, "sweep.csv")), want)
		compareTable(t, "Coldest and hottest", section(t, text, "Coldest and hottest"), fromColdest(runs))
	}
	compareAnswers(t, filepath.Join(dir, "sweep.toml"), runs)
}

// sweptRun is a single run with the values of a row.
type sweptRun struct {
	values  []string
	summary summary.Summary
}

func (r *sweptRun) row(n int, outputs []float64) []any {
	s := &r.summary
	at := &s.Temperature.MaxAt
	cells := []any{float64(n), r.values[0], r.values[1], "done", s.Temperature.MaxK, s.Temperature.MaxK - smallAmbient,
		at.XM, at.YM, at.ZM, at.Layer, at.Block, s.Power.MappedW + s.Power.LeakageW, s.RthKPerW, s.Limits[0].MarginK,
		float64(s.Solver.Iterations), s.Solver.EstimatedErrorK}
	for _, kelvin := range outputs {
		cells = append(cells, kelvin)
	}
	return append(cells, "")
}

func fromColdest(runs []*sweptRun) wantedTable {
	t := wantedTable{head: []string{"run", "film", "layer.glue.thickness", "max degC", "layer", "block", "margin K"}}
	order := []int{0, 1, 2, 3}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(runs[a].summary.Temperature.MaxK, runs[b].summary.Temperature.MaxK)
	})
	for _, n := range order {
		s := &runs[n].summary
		t.rows = append(t.rows, []any{float64(n), runs[n].values[0], runs[n].values[1], celsiusOf(s.Temperature.MaxK),
			s.Temperature.MaxAt.Layer, s.Temperature.MaxAt.Block, s.Limits[0].MarginK})
	}
	return t
}

// compareAnswers asks for every run as a line, with the outputs of the file.
func compareAnswers(t *testing.T, file string, runs []*sweptRun) {
	t.Helper()
	var questions strings.Builder
	for n, r := range runs {
		fmt.Fprintf(&questions, `{"id": %d, "set": {"boundary.top.h": %s, "layer.glue.thickness": %q}}`+"\n",
			n, r.values[0], r.values[1])
	}
	var answers bytes.Buffer
	g := &session.Session{Console: &terminal.Console{Stdout: &answers, Stderr: &bytes.Buffer{}}, Start: time.Now()}
	o := sweepOptions{file: file, tol: 1e-8, lines: true}
	if err := runSweep(t.Context(), g, o, strings.NewReader(questions.String())); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(&answers)
	for n, r := range runs {
		var got any
		if err := lines.Decode(&got); err != nil {
			t.Fatal(err)
		}
		s := &r.summary
		at := &s.Temperature.MaxAt
		compareJSON(t, fmt.Sprint("answer ", n), got, map[string]any{
			"id": float64(n), "status": "done", "max_K": s.Temperature.MaxK,
			"max_at": map[string]any{"x_m": at.XM, "y_m": at.YM, "z_m": at.ZM,
				"layer": at.Layer, "block": at.Block, "region": at.Region},
			"power_W": s.Power.MappedW + s.Power.LeakageW, "margin_K": s.Limits[0].MarginK,
			"outputs": map[string]any{"upper": s.Layers[1].MaxK, "base/io": s.Blocks[1].MaxK,
				"base/cpu": s.Regions[0].MaxK, "probe/below": s.Probes[1].TemperatureK}})
	}
}
