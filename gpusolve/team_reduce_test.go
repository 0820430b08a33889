package gpusolve_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// someRegions of a mesh: rectangles, points and bins wherever slabs end.
func someRegions(t *testing.T, m *mesh.Mesh) *reduction.Regions {
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

// Ranks reduce their own rows; what rank 0 makes of that is what one processor finds.
func TestStatisticsOnRanks(t *testing.T) {
	for number := range uint64(8) {
		m := teamStack(t, number, 5)
		r := someRegions(t, m)
		alone, err := gpusolve.Steady(context.Background(), m, exact)
		if err != nil {
			t.Fatal(err)
		}
		want, err := solution.Reduce(alone.Field, r)
		if err != nil {
			t.Fatal(err)
		}
		q := reduction.Quanta{Factor: 1 + int(number%4), Base: 300, Quantum: 1e-3}
		counts := make([]int32, m.NZ()*q.Side(m.NX())*q.Side(m.NY()))
		if _, err := solution.ReducerOf(alone.Field).Quantise(q, counts); err != nil {
			t.Fatal(err)
		}
		err = together(t, 2+int(number%4), func(rank int, g ranks.Group) error {
			o := exact
			o.Ranks = g
			s, err := gpusolve.Steady(context.Background(), m, o)
			if err != nil || rank > 0 {
				return err
			}
			defer s.Close()
			for range 2 {
				got, err := solution.Reduce(s.Field, r)
				if err != nil {
					return err
				}
				compareStatistics(t, got, want)
			}
			of := make([]int32, len(counts))
			if done, err := solution.ReducerOf(s.Field).Quantise(q, of); !done || err != nil ||
				!slices.Equal(of, counts) {
				t.Errorf("stack %d: other quanta, %v", number, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		alone.Close()
	}
}

func compareStatistics(t *testing.T, got, want *reduction.Values) {
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
