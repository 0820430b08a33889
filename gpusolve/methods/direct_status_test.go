package methods_test

import (
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
)

// The direct solver judges steps in time by the residual of the last one, as a steady state by its own: rounding leaves
// some, which bounds the error, and a tolerance below rounding is told as such.
func TestStepsOfTheDirectSolverTellTheirRounding(t *testing.T) {
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 17, NY: 12}))
	for name, run := range map[string]func(o gpusolve.Options) (*gpusolve.Solution, error){
		"steady": func(o gpusolve.Options) (*gpusolve.Solution, error) { return gpusolve.Steady(t.Context(), m, o) },
		"steps": func(o gpusolve.Options) (*gpusolve.Solution, error) {
			return gpusolve.Transient(t.Context(), m, o, gpusolve.TransientOptions{Steps: 7, Dt: 1e-3})
		},
		"steps of any length": func(o gpusolve.Options) (*gpusolve.Solution, error) {
			return gpusolve.Adaptive(t.Context(), m, o, gpusolve.AdaptiveOptions{Until: 7e-3, Tol: 0.1})
		},
	} {
		for rtol, want := range map[float64]string{0: solution.ReasonDirect, 1e-10: solution.ReasonDirect,
			1e-30: solution.ReasonAttainable} {
			sol, err := run(gpusolve.Options{Device: "cpu", RTol: rtol})
			if err != nil {
				t.Fatal(err)
			}
			st := sol.Status
			sol.Close()
			if st.Method != solution.MethodDirect || !st.Converged || st.Reason != want {
				t.Errorf("%s, a residual of %g of the source: %+v", name, rtol, st)
			}
			if !(st.ResidualW > 0 && st.RelativeResidual > 0 && st.RelativeResidual < 1e-10) ||
				!(st.EstimatedErrorK > 0 && st.EstimatedErrorK < gpusolve.DefaultTol) {
				t.Errorf("%s: residual %g W, %g of the source, error %g K", name, st.ResidualW, st.RelativeResidual,
					st.EstimatedErrorK)
			}
		}
	}
}
