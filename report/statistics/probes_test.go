package statistics

import (
	"math"
	"testing"

	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/stack"
)

// On the interface of two slabs whose conductivities follow the temperature stands what their half cells give, each at
// its own temperature; the same probe on constant slabs takes the constants. The second probe shares no cell with the
// first.
func TestProbesFollowTheTemperature(t *testing.T) {
	const cold, warm = 310.0, 420.0
	for _, follows := range []bool{true, false} {
		s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{1e-3, 1e-3}}
		s.Grid = stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}
		k := [2]float64{100, 40}
		for n, exponent := range []float64{1.3, 0.5} {
			c := &stack.Curve{Law: stack.PowerLaw, Value: k[n], At: 300, Exponent: exponent,
				Range: [2]float64{250, 500}}
			m := stack.Material{Name: "ab"[n : n+1], K: [3]float64{k[n], k[n], k[n]}, C: 1}
			if follows {
				m.KCurve = [3]*stack.Curve{c, c, c}
				k[n] = c.Of([]float64{cold, warm}[n])
			}
			s.Materials = append(s.Materials, m)
			s.Layers = append(s.Layers, stack.Layer{Name: m.Name, Material: n, Thickness: 1e-4 * float64(n+1),
				Cells: 1})
		}
		s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300}
		s.Probes = []stack.Probe{{Name: "p", X: 5e-4, Y: 5e-4, Z: 1e-4}, {Name: "q", X: 5e-4, Y: 5e-4, Z: 3e-4}}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		p, points := NewProbes(m)
		r, err := reduction.New(reduction.Regions{NX: 1, NY: 1, NZ: 2, Points: points})
		if err != nil {
			t.Fatal(err)
		}
		v, err := r.Reduce(func(k int) ([]float64, error) {
			return [][]float64{{cold - 300}, {warm - 300}}[k], nil
		}, 300)
		if err != nil {
			t.Fatal(err)
		}
		ra, rb := 0.5e-4/k[0], 1e-4/k[1]
		got, want := p.Kelvin(v.Points), []float64{(rb*cold + ra*warm) / (ra + rb), warm}
		for n := range want {
			if math.Abs(got[n]-want[n]) > 1e-9 {
				t.Errorf("probe %d is at %.12g K, want %.12g", n, got[n], want[n])
			}
		}
	}
}
