package examples

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// On every example the GPU gives the processor's field, and the same bits twice.
func TestExamplesOnGPU(t *testing.T) {
	gpus, err := gpusolve.Devices()
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	t.Log(gpus[0])
	files, err := filepath.Glob("*/stack.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("examples %v: %v", files, err)
	}
	for _, file := range files {
		s, err := stack.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		for tol, limit := range map[float64]float64{gpusolve.DefaultTol: 1e-4, 1e-6: 1e-5} {
			for name, run := range map[string]func(gpusolve.Options) (*solution.Solution, error){
				"steady": func(o gpusolve.Options) (*solution.Solution, error) {
					return gpusolve.Steady(context.Background(), m, o)
				},
				"transient": func(o gpusolve.Options) (*solution.Solution, error) {
					return gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: 5, Dt: 1e-3})
				},
			} {
				onProcessor := solved(t, m, run, gpusolve.Options{Device: "cpu", Tol: tol})
				onGPU := solved(t, m, run, gpusolve.Options{Device: "gpu", Tol: tol})
				again := solved(t, m, run, gpusolve.Options{Device: "gpu", Tol: tol})
				largest, differ := 0.0, 0
				for i := range onGPU {
					largest = math.Max(largest, math.Abs(onGPU[i]-onProcessor[i]))
					if math.Float64bits(onGPU[i]) != math.Float64bits(again[i]) {
						differ++
					}
				}
				t.Logf("%s, %s at %g K: the fields differ by %.2g K", filepath.Dir(file), name, tol, largest)
				if !(largest <= limit) || differ > 0 {
					t.Errorf("%s, %s at %g K: processor and GPU differ by %g K, limit %g; %d cells differ between two runs", filepath.Dir(file), name, tol, largest, limit, differ)
				}
			}
		}
	}
}

// solved runs and returns the whole field.
func solved(t *testing.T, m *mesh.Mesh, run func(gpusolve.Options) (*solution.Solution, error), o gpusolve.Options) []float64 {
	t.Helper()
	s, err := run(o)
	if err != nil {
		t.Fatalf("%s on %s: %v", m.Stack.File, o.Device, err)
	}
	defer s.Close()
	if !s.Status.Converged || s.Device.Kind != o.Device {
		t.Errorf("%s on %s: %+v", m.Stack.File, o.Device, s.Status)
	}
	sheet := m.NX() * m.NY()
	field := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := s.Field.Plane(k, field[k*sheet:][:sheet]); err != nil {
			t.Fatal(err)
		}
	}
	return field
}
