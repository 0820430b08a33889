package gpusolve_test

import (
	"errors"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/testing/cases"
	"thermsim/stack"
)

// What a method refuses is known before the mesh is built, in the words of the solve; what it takes is not refused.
func TestRefusalIsThatOfTheSolve(t *testing.T) {
	stacks := map[string]*stack.Stack{
		"layers": cases.Stack10(cases.Options{NX: 5}), "graded": cases.Graded(cases.Stack10(cases.Options{NX: 5}), 6),
		"regions": cases.Interposer(cases.Stack10(cases.Options{NX: 7})),
		"leakage": leaking(cases.Stack10(cases.Options{NX: 5})),
	}
	refused := 0
	for _, method := range append(methods.Names(), "", "jacobi:format=csr", "none:solver=bicgstab",
		"fourier:solver=bicgstab", "chebyshev:format=csr,form=scaled",
		"cmg:segment=5", "ic:order=2", "peer", "jacobi:precision=adaptive,solver=bicgstab") {
		for name, s := range stacks {
			for _, rtol := range []float64{0, 1e-3} {
				o := gpusolve.Options{Preconditioner: method, Device: "cpu", RTol: rtol}
				got := gpusolve.Refusal(s, o)
				sol, want := gpusolve.Steady(t.Context(), solves.Build(t, s), o)
				sol.Close()
				if (got == nil) != (want == nil) || want != nil &&
					(got.Error() != want.Error() || !errors.Is(got, gpusolve.ErrOption) ||
						!errors.Is(want, gpusolve.ErrOption)) {
					t.Errorf("%s of %s to %g: %v before, %v after", method, name, rtol, got, want)
				}
				if got == nil {
					continue
				}
				refused++
				if before, _, _ := strings.Cut(got.Error(), ";"); strings.Count(before, ": ") > 1 {
					t.Errorf("%q has more than a place and a reason", got)
				}
			}
		}
	}
	if refused < 20 {
		t.Errorf("%d refusals", refused)
	}
}

// leaking gives a stack a little leakage.
func leaking(s *stack.Stack) *stack.Stack {
	law := &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: 0.01, At: 358.15, Range: [2]float64{250, 600}}
	s.Layers[0].Powers = append(s.Layers[0].Powers,
		stack.Power{Area: s.Domain(), Leakage: stack.Leakage{Watts: 1e-3, Factor: law}})
	return s
}
