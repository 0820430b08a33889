package report

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/report/samples"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// planesOnly hides that a field reduces its temperatures by itself.
type planesOnly struct{ of solution.Field }

func (p planesOnly) Plane(k int, dst []float64) error { return p.of.Plane(k, dst) }

// Processor and GPU reduce a run's fields where they are; trace, tables and page are those that the fields' planes
// give, to the last byte.
func TestReducedFieldsGiveTheSameFiles(t *testing.T) {
	s := samples.Stack(testtier.Pick(22, 46), testtier.Pick(17, 37))
	s.Layers[1].Powers[0].Schedule = []stack.ScalePoint{{Time: 0, Factor: 1}, {Time: 2e-3, Factor: 0.2}}
	s.Layers[1].Regions = []stack.Region{
		{Name: "die", Material: 0, Rect: stack.Rect{X: 0.6e-3, Y: 0.7e-3, Width: 6e-3, Height: 5e-3}},
		{Name: "cavity", Material: 2, Rect: stack.Rect{X: 4e-3, Y: 1e-3, Width: 3e-3, Height: 3e-3}, TMax: 350},
	}
	s.TMax = 400
	m := samples.Build(t, s)
	for name, open := range map[string]func(testing.TB) ops.Device{
		"processor": devices.Processor, "interpreter": devices.OnInterpreter(interpreter.Options{NoRaces: true}),
	} {
		for _, steps := range []int{0, 3} {
			t.Run(fmt.Sprint(name, steps), func(t *testing.T) {
				dirs := [2]string{t.TempDir(), t.TempDir()}
				record(t, m, gpusolve.Options{Executor: open(t)}, steps, dirs)
				for _, file := range names(t, dirs[0]) {
					want, err := os.ReadFile(filepath.Join(dirs[1], file))
					if err != nil {
						t.Fatal(err)
					}
					got, err := os.ReadFile(filepath.Join(dirs[0], file))
					if err != nil {
						t.Fatal(err)
					}
					if file == "summary.json" || file == PageName {
						got, want = untimed(got), untimed(want)
					}
					if string(got) != string(want) {
						t.Errorf("%s differs", file)
					}
				}
			})
		}
	}
}

// untimed leaves out the lines that tell of times and of memory.
func untimed(text []byte) []byte {
	var kept []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if !strings.Contains(line, `_s": `) && !strings.Contains(line, "_bytes") &&
			!strings.Contains(line, "host peak") && !strings.Contains(line, "written in") {
			kept = append(kept, line)
		}
	}
	return []byte(strings.Join(kept, "\n"))
}

// record solves once and records twice: the fields as they are, and their planes alone.
func record(t *testing.T, m *mesh.Mesh, o gpusolve.Options, steps int, dirs [2]string) {
	t.Helper()
	var runs [2]*Run
	var recordings [2]*Recording
	kept := OutputOptions{Page: true, PageBudget: PageBudget{Bytes: 4000}} // so small that planes are reduced meanwhile
	var commit [2]func() error
	for n, dir := range dirs {
		files := begin(t, dir, nil)
		runs[n] = &Run{Command: "run", Mesh: m}
		var err error
		if recordings[n], err = NewRecording(files, runs[n], steps, Options{At: [2]float64{math.NaN(), math.NaN()}},
			kept); err != nil {
			t.Fatal(err)
		}
		commit[n] = func() error {
			_, err := files.Commit(t.Context())
			return err
		}
	}
	seen := 0
	shown := func(step solution.Step, f solution.Field) error {
		seen++
		if solution.ReducerOf(f) == nil {
			t.Error("the field does not reduce itself")
		}
		if err := recordings[0].Step(seen, step, f); err != nil {
			return err
		}
		return recordings[1].Step(seen, step, planesOnly{f})
	}
	var sol *solution.Solution
	var err error
	if steps > 0 {
		sol, err = gpusolve.Transient(context.Background(), m, o,
			gpusolve.TransientOptions{Steps: steps, Dt: 1e-3, OnStep: shown})
	} else {
		sol, err = gpusolve.Steady(context.Background(), m, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	for n, r := range recordings {
		own := *sol
		if n == 1 {
			own.Field = planesOnly{sol.Field}
		}
		runs[n].Solution = &own
		if _, err := r.Finish(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := commit[n](); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkStepping takes 50 steps of the 512 x 512 x 10 example, alone, with its trace, and with trace and page: the
// time of the steps beyond the solves is the difference. THERMSIM_DEVICE chooses the device.
func BenchmarkStepping(b *testing.B) {
	s, err := stackfile.Load(filepath.Join("..", "examples", "mol10-ev6", "stack.toml"))
	if err != nil {
		b.Fatal(err)
	}
	m := samples.Build(b, s)
	dev, err := device.Open(os.Getenv("THERMSIM_DEVICE"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = dev.Release() }()
	for _, what := range []string{"solves", "trace", "trace and page"} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				files := begin(b, b.TempDir(), nil)
				r := &Run{Command: "transient", Mesh: m}
				w, err := NewRecording(files, r, 50, Options{}, OutputOptions{Page: what == "trace and page"})
				if err != nil {
					b.Fatal(err)
				}
				o := gpusolve.TransientOptions{Steps: 50, Dt: 0.05}
				n := 0
				if what != "solves" {
					o.OnStep = func(step solution.Step, f solution.Field) error {
						n++
						return w.Step(n, step, f)
					}
				}
				sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{Executor: dev}, o)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(1e3*sol.Timing.Solve.Seconds(), "ms-stepping")
				sol.Close()
				files.Abort()
			}
		})
	}
}
