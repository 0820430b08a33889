package solves

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
)

func WholeField(t *testing.T, m *mesh.Mesh, f gpusolve.Field) []float64 {
	t.Helper()
	sheet := m.NX() * m.NY()
	all := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := f.Plane(k, all[k*sheet:(k+1)*sheet]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func Furthest(a, b []float64) float64 {
	top := 0.0
	for i := range a {
		top = math.Max(top, math.Abs(a[i]-b[i]))
	}
	return top
}
