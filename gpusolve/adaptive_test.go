package gpusolve_test

import (
	"math"
	"testing"

	"thermsim/gpusolve"
)

func TestAdaptiveOfOneCell(t *testing.T) {
	s, tau, final := lump()
	for _, method := range []string{"multigrid", "fourier"} {
		for _, tol := range []float64{1e-2, 1e-4} {
			m := build(t, s)
			worst := 0.0
			plan := gpusolve.AdaptiveOptions{Tol: tol, Until: 10 * tau}
			for n := range 40 {
				plan.At = append(plan.At, float64(n+1)*tau/4)
			}
			sol, err := gpusolve.Adaptive(t.Context(), m, gpusolve.Options{Tol: 1e-9, Preconditioner: method}, plan)
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range sol.Steps {
				worst = math.Max(worst, math.Abs(step.MaxK-310-final*(1-math.Exp(-step.Time/tau))))
			}
			t.Logf("%s tol %g: %+v worst %g, energy %+v", method, tol, *sol.Stepping, worst, sol.Energy)
			sol.Close()
		}
	}
}
