package export

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/interop/importer"
	"thermsim/interop/network/netsolve"
	"thermsim/interop/threedice"
	"thermsim/mesh"
)

// run imports a case of package threedice with --compat, runs it as its solver section says and writes its files.
func run(t *testing.T, name string, decimals int) (dir string) {
	t.Helper()
	return runFile(t, filepath.Join("..", "threedice", "testdata", name, "case.stk"), decimals)
}

func runFile(t *testing.T, file string, decimals int) (dir string) {
	t.Helper()
	r, err := threedice.Format.Import(importer.Request{Files: []string{file}, Compat: true, Direct: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(r.Stack)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	steps := r.Stack.Transient.Steps
	files := begin(t, dir)
	w, err := New(r, m, Options{Files: files, Decimals: decimals, Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	options := gpusolve.Options{Device: "cpu", Tol: r.Stack.Solver.Tol}
	switch {
	case r.Network != nil && r.Transient:
		_, err := netsolve.Transient(t.Context(), r.Network, m, gpusolve.Options{Device: "cpu"},
			gpusolve.TransientOptions{Steps: steps, Dt: r.Stack.Transient.Dt,
				OnStep: func(s solution.Step, f solution.Field) error { return w.Step(s.Time, f) }})
		if err != nil {
			t.Fatal(err)
		}
	case r.Network != nil:
		s, err := netsolve.Steady(t.Context(), r.Network, m, gpusolve.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Step(0, s.Field); err != nil {
			t.Fatal(err)
		}
	case r.Transient:
		s, err := gpusolve.Transient(t.Context(), m, options,
			gpusolve.TransientOptions{Steps: steps, Dt: r.Stack.Transient.Dt,
				OnStep: func(s solution.Step, f solution.Field) error { return w.Step(s.Time, f) }})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
	default:
		s, err := gpusolve.Steady(t.Context(), m, options)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := w.Step(0, s.Field); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, w, files)
	return dir
}

func begin(t *testing.T, dir string) *staging.Transaction {
	t.Helper()
	files, err := staging.Begin(dir, staging.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(files.Abort)
	return files
}

func commit(t *testing.T, w Writer, files *staging.Transaction) {
	t.Helper()
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The files that 3D-ICE 4.0 wrote for the same inputs, by the tolerance that --compat sets. T has twelve decimals, so
// its numbers are compared; all else line by line.
func TestFilesAre3DICEs(t *testing.T) {
	for _, name := range []string{"steady", "transient", "nonuniform", "hanging", "volume"} {
		t.Run(name, func(t *testing.T) {
			dir := run(t, name, -1)
			wants, err := filepath.Glob(filepath.Join("..", "threedice", "testdata", name, "want", "*"))
			if err != nil || len(wants) == 0 {
				t.Fatalf("%v, %d files", err, len(wants))
			}
			for _, want := range wants {
				compareLines(t, want, filepath.Join(dir, filepath.Base(want)))
			}
		})
	}
}

// t12 is how far T may be off in K: 1e-8 of the rise of 93 K, which storing conductances in FP32 costs.
const t12 = 1e-6

func compareLines(t *testing.T, want, got string) {
	t.Helper()
	a, b := lines(t, want), lines(t, got)
	if len(a) != len(b) {
		t.Errorf("%s has %d lines, want %d", got, len(b), len(a))
		return
	}
	exact := !strings.HasPrefix(filepath.Base(want), "T_")
	for i := range a {
		if a[i] == b[i] || !exact && near(a[i], b[i], t12) {
			continue
		}
		t.Errorf("%s:%d:\n got %q\nwant %q", filepath.Base(want), i+1, b[i], a[i])
		return
	}
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// near compares lines number by number.
func near(a, b string, tolerance float64) bool { return difference(a, b) <= tolerance }

// difference is the largest of the numbers of two lines, NaN if one has anything else.
func difference(a, b string) float64 {
	as, bs := strings.Fields(a), strings.Fields(b)
	if len(as) != len(bs) {
		return math.NaN()
	}
	largest := 0.0
	for i := range as {
		x, err1 := strconv.ParseFloat(as[i], 64)
		y, err2 := strconv.ParseFloat(bs[i], 64)
		if err1 != nil || err2 != nil {
			return math.NaN()
		}
		largest = math.Max(largest, math.Abs(x-y))
	}
	return largest
}

// A thermal map holds rows from the south with as many decimals as asked for, and an empty line behind every instant.
func TestMapsWithDecimals(t *testing.T) {
	dir := run(t, "nonuniform", 9)
	text := lines(t, filepath.Join(dir, "Tmap_MEMORY_DIE.txt"))
	if len(text) != 3 || text[2] != "" {
		t.Fatalf("%d lines", len(text))
	}
	first := strings.Fields(text[1])[0]
	if !strings.HasPrefix(first, "305.003") || len(first) != len("305.003846133") {
		t.Errorf("first temperature %s", first)
	}
	dir = run(t, "steady", 6)
	text = lines(t, filepath.Join(dir, "Tmap_HB.txt"))
	if len(text) != 1+64+1 || len(strings.Fields(text[1])) != 64 ||
		!strings.HasPrefix(text[0], "% Thermal map for layer HB ") {
		t.Errorf("%d lines, %q", len(text), text[0])
	}
}

// Nothing is left of a run that ended early, and no file leaves its folder.
func TestAbortLeavesNothing(t *testing.T) {
	file := filepath.Join("..", "threedice", "testdata", "steady", "case.stk")
	r, err := threedice.Format.Import(importer.Request{Files: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(r.Stack)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := begin(t, dir)
	if _, err := New(r, m, Options{Files: files, Decimals: -1}); err != nil {
		t.Fatal(err)
	}
	files.Abort()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
	for name, want := range map[string]string{"a/b.txt": filepath.Join("a", "b.txt"), "../x.txt": "x.txt",
		"/etc/x.txt": "x.txt"} {
		if got := inside(name); got != want {
			t.Errorf("%s goes to %s, want %s", name, got, want)
		}
	}
}
