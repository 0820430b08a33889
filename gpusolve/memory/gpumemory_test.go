package memory_test

import (
	"context"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// What a solve holds on a GPU: multigrid at most 90 bytes per cell, 110 in a transient, and no more than is compared
// with the free memory before it starts; Jacobi and none at most 55. The first iteration has everything allocated.
func TestMemoryOnInterpreter(t *testing.T) {
	t.Parallel()
	n := testtier.Pick(76, 112)
	for name, s := range testtier.Pick(map[string]*stack.Stack{
		"2.5D": cases.Interposer(cases.Stack10(cases.Options{NX: n})),
	}, map[string]*stack.Stack{
		"homogeneous": cases.Stack10(cases.Options{NX: n}),
		"2.5D":        cases.Interposer(cases.Stack10(cases.Options{NX: n})),
	}) {
		m := solves.Build(t, s)
		perCell := func(preconditioner string, steps int) float64 {
			o := gpusolve.Options{Preconditioner: preconditioner, MaxIter: 1,
				Executor: solves.OnInterpreter(t, devices.Machine(interpreter.Options{NoRaces: true}))}
			var sol *gpusolve.Solution
			var err error
			if steps == 0 {
				sol, err = gpusolve.Steady(context.Background(), m, o)
			} else {
				sol, err = gpusolve.Transient(context.Background(), m, o,
					gpusolve.TransientOptions{Steps: steps, Dt: 1e-3})
			}
			if err != nil {
				t.Fatal(err)
			}
			defer sol.Close()
			return float64(sol.Memory.DeviceBytes) / float64(m.Cells())
		}
		type limit struct {
			preconditioner string
			steps          int
			limit          float64
		}
		for _, c := range testtier.Pick([]limit{{"multigrid", 1, 110}, {"jacobi", 0, 55}},
			[]limit{{"multigrid", 0, 90}, {"multigrid", 1, 110}, {"jacobi", 0, 55}, {"none", 0, 55}}) {
			got, checked := perCell(c.preconditioner, c.steps),
				float64(memory.OfSystem(m, c.preconditioner, c.steps > 0, true).Peak())/float64(m.Cells())
			t.Logf("%s, %s, %d steps: %.1f bytes per cell, %.1f checked", name, c.preconditioner, c.steps, got, checked)
			if got > c.limit || got > checked {
				t.Errorf("%s, %s, %d steps: %.1f bytes per cell; the limit is %g, %.1f are checked before the solve",
					name, c.preconditioner, c.steps, got, c.limit, checked)
			}
		}
	}
}
