package solves

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

func Build(t testing.TB, s *stack.Stack) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func Steady(t testing.TB, s *stack.Stack, o gpusolve.Options) *gpusolve.Solution {
	t.Helper()
	sol, err := gpusolve.Steady(context.Background(), Build(t, s), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sol.Close)
	return sol
}

// Field reads all planes.
func Field(t testing.TB, s *stack.Stack, f gpusolve.Field) []float64 {
	t.Helper()
	m := Build(t, s)
	sheet := m.NX() * m.NY()
	x := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := f.Plane(k, x[k*sheet:(k+1)*sheet]); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func LargestDifference(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = math.Max(d, math.Abs(a[i]-b[i]))
	}
	return d
}
