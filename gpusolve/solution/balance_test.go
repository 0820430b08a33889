package solution

import (
	"math"
	"testing"

	"thermsim/mesh"
	"thermsim/stack"
)

// An imbalance is excused by twice the heat that the error moves: through the faces, and in a time step into the heat
// capacity; the error of a run is the sum of its steps', and none above the default tolerance excuses more.
func TestImbalanceLimit(t *testing.T) {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{2e-3, 3e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{100, 100, 100}, C: 2e6}},
		Layers:    []stack.Layer{{Name: "l", Thickness: 1e-3, Cells: 1}}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e3, Temperature: 300}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	const (
		area        = 6e-6
		conductance = area / (1/1e3 + 0.5e-3/100)
		capacity    = 2e6 * area * 1e-3
		dt, scale   = 1e-3, 1e-5
	)
	for name, c := range map[string]struct {
		errorK, dt float64
		steps      int
		imbalance  float64
		want       float64
	}{
		"good":           {5e-5, 0, 0, 1e-3, 1e-3},
		"steady":         {5e-5, 0, 0, 1, 2 * 5e-5 * conductance / scale},
		"large error":    {1, 0, 0, 1, 2 * 1e-4 * conductance / scale},
		"a step":         {5e-5, dt, 1, 1, 2 * 5e-5 * (conductance + capacity/dt) / scale},
		"one of ten":     {5e-5, dt, 10, 1, 2 * 5e-6 * (conductance + capacity/dt) / scale},
		"unknown error":  {math.NaN(), 0, 0, 1, 1e-3},
		"nothing to say": {0, 0, 0, 1, 1e-3},
	} {
		sol := &Solution{Energy: Energy{ImbalanceRel: c.imbalance, Scale: scale}, Dt: c.dt,
			Steps: make([]Step, c.steps)}
		sol.Status.EstimatedErrorK = c.errorK
		if got := ImbalanceLimit(m, sol); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: %.12g, want %.12g", name, got, c.want)
		}
	}
	cancelling := &Solution{Energy: Energy{ImbalanceRel: 1, Scale: 1e-15}} // 1 W and -1 W in one cell
	cancelling.Status.Converged = true
	if cancelling.CheckBalance(m); !cancelling.Status.Converged {
		t.Error("the rounding of powers that cancel counts as an imbalance")
	}
}
