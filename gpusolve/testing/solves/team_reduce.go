package solves

import (
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/stack"
)

// SomeRegions of a mesh: rectangles, points and bins wherever slabs end.
func SomeRegions(t *testing.T, m *mesh.Mesh) *reduction.Regions {
	r := reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), BinsX: min(3, m.NX()), BinsY: 5, PlanePeaks: true}
	w, d := m.Stack.Size[0], m.Stack.Size[1]
	for l := range m.LayerPlanes {
		r.Groups = append(r.Groups,
			reduction.Cover(m, l, []stack.Rect{{X: 0.1 * w, Y: 0.05 * d, Width: 0.77 * w, Height: 0.9 * d},
				{X: 0, Y: 0.8 * d, Width: w, Height: 0.2 * d}}, nil))
	}
	for _, y := range []float64{0.01, 0.249, 0.31, 0.5, 0.74, 0.99} {
		r.Points = append(r.Points, reduction.InOrder(m.SampleAt(0.4*w, y*d, 0.7*m.Z[m.NZ()], stack.Below)))
	}
	p, err := reduction.New(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func CompareStatistics(t *testing.T, got, want *reduction.Values) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-13*math.Abs(b) }
	if !slices.Equal(got.Peaks, want.Peaks) || !slices.Equal(got.PlanePeaks, want.PlanePeaks) {
		t.Errorf("peaks %v %v, alone %v %v", got.Peaks, got.PlanePeaks, want.Peaks, want.PlanePeaks)
	}
	if !slices.EqualFunc(got.Points, want.Points, near) {
		t.Errorf("points %v, alone %v", got.Points, want.Points)
	}
	for n, e := range got.Extents {
		w := want.Extents[n]
		if !near(e.Sum, w.Sum) || !near(e.Weight, w.Weight) {
			t.Errorf("group %d: %+v, alone %+v", n, e, w)
		}
		e.Sum, e.Weight = w.Sum, w.Weight
		if e != w {
			t.Errorf("group %d: %+v, alone %+v", n, e, w)
		}
	}
}
