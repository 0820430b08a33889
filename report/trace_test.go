package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/samples"
)

func TestTrace(t *testing.T) {
	r := linearRun(t, samples.Stack(37, 23))
	dir := filepath.Join(t.TempDir(), "out")
	files := begin(t, dir, nil)
	w, err := NewTrace(files, r.Mesh)
	if err != nil {
		t.Fatal(err)
	}
	s := summarise(t, r)
	for n := range 3 {
		rise := float64(n) // the field of step n lies n kelvin higher
		f := samples.Field{Mesh: r.Mesh, Of: func(x, y, z float64) float64 { return samples.Linear(x, y, z) + rise }}
		step := solution.Step{Time: 1e-3 * float64(n+1), PowerW: 16, MaxK: s.Temperature.MaxK + rise}
		if err := w.Step(n+1, step, f); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Contains(names(t, dir), "trace.csv") {
		t.Error("trace.csv appeared before Commit")
	}
	if err := w.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"trace.csv"}) {
		t.Errorf("the folder holds %q", got)
	}
	rows := readCSV(t, filepath.Join(dir, "trace.csv"))
	want := "time_s,power_W,max_K," +
		"feol/core_mean_K,feol/core_max_K,feol/cache_mean_K,feol/cache_max_K,feol/io_mean_K,feol/io_max_K,sensor_K"
	if got := strings.Join(rows[0], ","); got != want {
		t.Errorf("head %s, want %s", got, want)
	}
	if len(rows) != 4 {
		t.Fatalf("%d rows, want 4", len(rows))
	}
	// Blocks and probes must be those of the summary, whose figures other tests check.
	for n, row := range rows[1:] {
		near(t, "time", parse(t, row[0]), 1e-3*float64(n+1), 1e-15)
		near(t, "maximum", parse(t, row[2]), s.Temperature.MaxK+float64(n), 1e-6)
		for b, block := range s.Blocks {
			near(t, block.Name+" average", parse(t, row[3+2*b]), block.AvgK+float64(n), 1e-6)
			near(t, block.Name+" maximum", parse(t, row[4+2*b]), block.MaxK+float64(n), 1e-6)
		}
		near(t, "sensor", parse(t, row[9]), samples.Linear(3.3e-3, 2.2e-3, 101e-6)+float64(n), 1e-6)
	}
}

// A table that no chart shows goes to the disk as it grows, and from there into run.zip.
func TestTraceOfASavedRun(t *testing.T) {
	r := sampleRun(t, 10, 8)
	dir := t.TempDir()
	files := begin(t, dir, nil)
	w, err := NewRecording(files, r, 3, Options{}, OutputOptions{SaveAll: true})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		step := solution.Step{Time: 1e-3 * float64(n+1), MaxK: 370, Converged: true}
		r.Solution.Steps = append(r.Solution.Steps, step)
		if err := w.Step(n+1, step, r.Solution.Field); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "trace.csv"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Restore(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	rows, err := again.Saved.Trace()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := io.ReadAll(rows)
	if err := errors.Join(err, rows.Close()); err != nil {
		t.Fatal(err)
	}
	if !again.Saved.HasTrace() || string(kept) != string(want) || strings.Count(string(want), "\n") != 4 {
		t.Errorf("run.zip holds\n%s\ntrace.csv\n%s", kept, want)
	}
	var times []float64
	if err := again.Each(t.Context(), func(n int, step solution.Step, _ solution.Field) error {
		times = append(times, step.Time)
		return nil
	}); err != nil || !slices.Equal(times, []float64{1e-3, 2e-3, 3e-3}) {
		t.Errorf("saved steps end at %v, %v", times, err)
	}
}
