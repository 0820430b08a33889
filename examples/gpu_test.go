package examples

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// On every example the GPU gives the processor's field, and the same bits twice.
func TestExamplesOnGPU(t *testing.T) {
	gpus, err := device.List()
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	t.Log(gpus[0])
	files, err := filepath.Glob("*/stack.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("examples %v: %v", files, err)
	}
	for _, file := range files {
		s, err := stackfile.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		onBoth(t, filepath.Dir(file), m)
	}
}

// Hundreds of rectangles share the cells of coarse layers that follow the temperature: kernels mix their materials as
// the processor does.
func TestSharedCellsOnGPU(t *testing.T) {
	if _, err := device.List(); err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	onBoth(t, "shared cells", shared(t))
}

// shared is hot-tiers on a coarse grid, with 400 regions of three materials in each of two layers.
func shared(t *testing.T) *mesh.Mesh {
	t.Helper()
	s, err := stackfile.Load("hot-tiers/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.Grid = stack.Grid{X: stack.Axis{Cells: 37}, Y: stack.Axis{Cells: 31}}
	r := rand.New(rand.NewPCG(7, 1))
	for _, l := range []int{1, 4} {
		for n := range 400 {
			s.Layers[l].Regions = append(s.Layers[l].Regions, stack.Region{Material: n % 3, Rect: stack.Rect{
				X: r.Float64() * 7.6e-3, Y: r.Float64() * 7.6e-3, Width: (0.02 + 0.33*r.Float64()) * 1e-3,
				Height: (0.02 + 0.33*r.Float64()) * 1e-3}})
		}
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// onBoth solves on the processor and twice on the GPU.
func onBoth(t *testing.T, what string, m *mesh.Mesh) {
	t.Helper()
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
			t.Logf("%s, %s at %g K: the fields differ by %.2g K", what, name, tol, largest)
			if !(largest <= limit) || differ > 0 {
				t.Errorf("%s, %s at %g K: processor and GPU differ by %g K, limit %g; %d cells differ between two runs",
					what, name, tol, largest, limit, differ)
			}
		}
	}
}

// solved runs and returns the whole field.
func solved(t *testing.T, m *mesh.Mesh, run func(gpusolve.Options) (*solution.Solution, error),
	o gpusolve.Options) []float64 {
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
