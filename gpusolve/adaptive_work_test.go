package gpusolve_test

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// course is a field at the moments of a run.
type course [][]float64

// largestDistance of two runs at all moments.
func largestDistance(a, b course) float64 {
	d := 0.0
	for n := range a {
		d = math.Max(d, largestDifference(a[n], b[n]))
	}
	return d
}

// adaptively runs TR-BDF2 and returns the fields at moments, and the number of solves.
func adaptively(t *testing.T, m *mesh.Mesh, plan gpusolve.AdaptiveOptions) (course, *gpusolve.Solution) {
	t.Helper()
	var c course
	plan.OnStep = func(_ gpusolve.Step, f gpusolve.Field) error {
		c = append(c, field(t, m.Stack, f))
		return nil
	}
	sol, err := gpusolve.Adaptive(t.Context(), m, gpusolve.Options{Tol: 1e-6}, plan)
	if err != nil {
		t.Fatal(err)
	}
	sol.Close()
	return c, sol
}

// euler steps by backward Euler and returns the field at the end of every so manieth step.
func euler(t *testing.T, m *mesh.Mesh, steps int, dt float64, every int) course {
	t.Helper()
	var c course
	n := 0
	sol, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{Tol: 1e-6}, gpusolve.TransientOptions{Steps: steps, Dt: dt, OnStep: func(_ gpusolve.Step, f gpusolve.Field) error {
		if n++; n%every == 0 {
			c = append(c, field(t, m.Stack, f))
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	sol.Close()
	return c
}

func TestWorkOnTrace(t *testing.T) {
	s, err := stack.Load("../examples/trace/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.Grid.X.Cells, s.Grid.Y.Cells = 24, 24
	m := build(t, s)
	plan := gpusolve.AdaptiveOptions{Until: 0.2}
	for n := range 200 {
		plan.At = append(plan.At, float64(n+1)*1e-3)
	}
	plan.Tol = 1e-6
	exact, sol := adaptively(t, m, plan)
	t.Logf("%+v", *sol.Stepping)
	for _, per := range []int{1, 4, 16, 64} {
		t.Logf("euler %d solves: %g K", 200*per, largestDistance(exact, euler(t, m, 200*per, 1e-3/float64(per), per)))
	}
	for _, tol := range []float64{.3, 1e-1, .03, 1e-2, 3e-3, 1e-3, 1e-4} {
		plan.Tol = tol
		c, sol := adaptively(t, m, plan)
		t.Logf("tol %g: %g K, %+v %g", tol, largestDistance(exact, c), *sol.Stepping, sol.Energy.ImbalanceRel)
	}
}
