package solves

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
)

func Solve(t *testing.T, m *mesh.Mesh, o gpusolve.Options) *gpusolve.Solution {
	t.Helper()
	s, err := gpusolve.Steady(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// FieldDifference is the largest difference of two fields, and the largest rise.
func FieldDifference(t *testing.T, m *mesh.Mesh, a, b *gpusolve.Solution) (d, rise float64) {
	t.Helper()
	u, v := make([]float64, m.NX()*m.NY()), make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		if err := a.Field.Plane(k, u); err != nil {
			t.Fatal(err)
		}
		if err := b.Field.Plane(k, v); err != nil {
			t.Fatal(err)
		}
		for c := range u {
			d, rise = math.Max(d, math.Abs(u[c]-v[c])), math.Max(rise, math.Abs(u[c]-m.Stack.Ambient))
		}
	}
	return d, rise
}
