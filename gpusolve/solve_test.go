package gpusolve_test

import (
	"context"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/internal/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

func build(t testing.TB, s *stack.Stack) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func steady(t testing.TB, s *stack.Stack, o gpusolve.Options) *gpusolve.Solution {
	t.Helper()
	sol, err := gpusolve.Steady(context.Background(), build(t, s), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sol.Close)
	return sol
}

func TestTry(t *testing.T) {
	for _, c := range []struct {
		name string
		s    *stack.Stack
	}{
		{"hom", cases.Stack10(cases.Options{NX: 256})},
		{"hom257", cases.Stack10(cases.Options{NX: 257})},
		{"h1", cases.Stack10(cases.Options{NX: 256, H: 1})},
		{"interposer", cases.Interposer(cases.Stack10(cases.Options{NX: 256}))},
		{"pillars", cases.Pillars(cases.Stack10(cases.Options{NX: 256}))},
		{"random", cases.Random(cases.Stack10(cases.Options{NX: 64}), 1)},
		{"graded4", cases.Graded(cases.Stack10(cases.Options{NX: 256}), 4)},
		{"graded10", cases.Graded(cases.Stack10(cases.Options{NX: 256}), 10)},
		{"aspect", cases.Stack10(cases.Options{NX: 256, NY: 64})},
	} {
		for _, o := range []gpusolve.Options{{}, {RTol: 1e-8}} {
			sol := steady(t, c.s, o)
			t.Logf("%s: %+v\n %+v", c.name, sol.Status, sol.Timing)
			t.Logf("%+v %.1f B/cell", sol.Energy, float64(sol.Memory.DeviceBytes)/float64(build(t, c.s).Cells()))
		}
	}
}
