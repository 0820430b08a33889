package gpusolve_test

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/stack"
)

// heatedFromBelow is a plate of 100 um between 85 degC at its bottom and a weak cooling at its top, so that every cell
// lies on a face that it is coupled to with 3e6 W/(m2 K) and on one with 10.
func heatedFromBelow(n int) *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 298.15, Size: [2]float64{10e-3, 10e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: n}, Y: stack.Axis{Cells: n}},
		Materials: []stack.Material{{Name: "silicon", K: [3]float64{148, 148, 148}, C: 1.6e6}},
		Layers:    []stack.Layer{{Name: "die", Thickness: 100e-6, Cells: 1}},
	}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 358.15}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 10, Temperature: 298.15}
	return s
}

// What the bottom takes in leaves at the top, 60 K A / (1/h + L/k), whatever rounding does to a conductance beside one
// 3e5 times larger. The imbalance is what the residual makes of it, so it falls with the tolerance.
func TestHeatThroughAPlateBalances(t *testing.T) {
	s := heatedFromBelow(16)
	const want = 60 * 1e-4 / (1.0/10 + 100e-6/148)
	for _, tol := range []float64{1e-4, 1e-6, 1e-8} {
		m := devices.Machine(interpreter.Options{})
		for name, o := range map[string]gpusolve.Options{
			"processor": {Tol: tol, Device: "cpu"}, "interpreter": {Tol: tol, Executor: solves.OnInterpreter(t, m)},
		} {
			sol, err := gpusolve.Steady(context.Background(), solves.Build(t, s), o)
			if err != nil {
				t.Fatal(err)
			}
			e := sol.Energy
			// An error of tol K in every cell moves 300 W/K times that through the bottom.
			if limit := 1e-9 + 300*tol/want; e.ImbalanceRel > limit {
				t.Errorf("%s at %g K: imbalance %.2g, at most %.2g: %+v", name, tol, e.ImbalanceRel, limit, e)
			}
			// The rounding of 10 W/(m2 K) to FP32.
			if top := e.ByFace[stack.Top]; math.Abs(top-want) > 1e-7*want {
				t.Errorf("%s at %g K: %.9g W leave through the top, want %.9g", name, tol, top, want)
			}
			sol.Close()
		}
	}
	if sol := solves.Steady(t, s, gpusolve.Options{Tol: 1e-8}); sol.Energy.ImbalanceRel > solution.ImbalanceLimit(
		solves.Build(t, s),
		sol) {
		t.Errorf("imbalance %g is above its limit", sol.Energy.ImbalanceRel)
	}
}

// Beside a fixed temperature all faces of a plate one cell wide tell the same story: a stack at the temperature of all
// of them exchanges nothing.
func TestAStackAtTheTemperatureOfItsFacesStaysThere(t *testing.T) {
	s := heatedFromBelow(1)
	for f := range s.Boundary {
		s.Boundary[f] = stack.Boundary{Kind: stack.Convective, H: math.Pow(10, float64(f)+0.3), Temperature: 358.15}
	}
	sol := solves.Steady(t, s, gpusolve.Options{Tol: 1e-12, MaxIter: 50})
	// The rise of 60 K solves the rounded equations to the last bit of FP64.
	if rise := solves.Field(t, s, sol.Field)[0] - 298.15; math.Abs(rise-60) > 2e-13*60 {
		t.Errorf("rise %.17g K, want 60", rise)
	}
}

// Where the power has been off for long, nothing flows: what rounding and the tolerance leave of the flows is no
// imbalance.
func TestNothingFlowsAtRest(t *testing.T) {
	s := heatedFromBelow(8)
	s.Boundary[stack.Bottom] = stack.Boundary{}
	s.Boundary[stack.Top].H = 1e4
	s.Layers[0].Powers =
		[]stack.Power{{Area: s.Domain(), Uniform: 1, Schedule: []stack.ScalePoint{{Factor: 1}, {Time: 0.01}}}}
	m := solves.Build(t, s)
	for _, method := range []string{"fourier", "multigrid", "jacobi"} {
		for _, steps := range []int{1, 200} {
			sol, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{Device: "cpu", Preconditioner: method},
				gpusolve.TransientOptions{Steps: steps, Dt: 0.01})
			if err != nil {
				t.Fatal(err)
			}
			e := sol.Energy
			switch {
			case steps == 1 && (e.In != 1 || solution.AtRest(m, sol)):
				t.Errorf("%s: at rest with %+v", method, e)
			case steps > 1 && (e.In != 0 || e.ImbalanceRel > 1e-12):
				t.Errorf("%s: %+v", method, e)
			}
			sol.Close()
		}
	}
}

// A solve that ends early does not balance, and says so: what leaves the top face is the sum of what its cells pass on
// through half of their height and the film.
func TestEnergyOfASolveThatEndsEarly(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 16, H: 1e4, Power: 36})
	m := solves.Build(t, s)
	top := m.NZ() - 1
	dz, k := m.Z[top+1]-m.Z[top], s.Materials[s.Layers[len(s.Layers)-1].Material].K[2]
	each := s.Size[0] * s.Size[1] / float64(m.NX()*m.NY()) / (dz/(2*k) + 1/1e4)
	for _, iterations := range []int{15, 40} {
		sol := solves.Steady(t, s, gpusolve.Options{Preconditioner: "jacobi", MaxIter: iterations})
		plane := make([]float64, m.NX()*m.NY())
		if err := sol.Field.Plane(top, plane); err != nil {
			t.Fatal(err)
		}
		out := 0.0
		for _, v := range plane {
			out += each * (v - 300)
		}
		want := math.Abs(36-out) / max(36, out)
		// couplings are held in single precision
		if e := sol.Energy; !(want > 1e-3 && out > 0) || math.Abs(e.ImbalanceRel-want) > 1e-6 ||
			math.Abs(e.Out-out) > 1e-6*out {
			t.Errorf("after %d iterations %g of 36 W leave, an imbalance of %g: %+v", iterations, out, want, e)
		}
	}
}

// Where coolant alone removes heat, heat that the balance misses raises the outlets by as much as 2 x 2 ml/s carry per
// kelvin. The estimate of the error is finite and at least that.
func TestBalanceOfCoolantBoundsTheError(t *testing.T) {
	s := cases.Tiers(32, 2, 2e-6, stack.PorousCavity)
	sol := solves.Steady(t, s, gpusolve.Options{Preconditioner: "multigrid", Device: "cpu"})
	least, missing := solution.LeastErrorK(solves.Build(t, s), sol), math.Abs(sol.Energy.In-sol.Energy.Out)
	if want := missing / (2 * 2e-6 * 4.172e6); !(math.Abs(least-want) < 1e-12*want) {
		t.Errorf("the balance implies an error of %g K, expected %g K", least, want)
	}
	if e := sol.Status.EstimatedErrorK; !sol.Status.Converged || !(e >= least && e <= 1e-4) {
		t.Errorf("estimated error %g K, expected %g to 1e-4 K: %+v", e, least, sol.Status)
	}
}
