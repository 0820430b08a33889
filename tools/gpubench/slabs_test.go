package main

import (
	"testing"

	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// An iteration on one slab can be timed for any number of them, though what stands for the others makes no matrix that
// conjugate gradients solve.
func TestOneSlabAlone(t *testing.T) {
	cache := new(interpreter.Cache)
	layers := cases.Stack10(cases.Options{NX: 7, NY: 60})
	regions := cases.Interposer(cases.Stack10(cases.Options{NX: 7, NY: 60}))
	for _, c := range []struct {
		name  string
		stack *stack.Stack
		slabs []int
	}{{"layers", layers, testtier.Pick([]int{3}, []int{1, 2, 3})}, {"regions", regions, []int{4}}} {
		m, err := mesh.Build(c.stack)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range c.slabs {
			d := devices.Interpreter(t, interpreter.Options{Cache: cache, NoRaces: true})
			d.LeastShared = 100
			unbind := d.Bind()
			row, err := measureSlab(d, m, c.name, n, testtier.Pick(1, 5))
			unbind()
			if err != nil {
				t.Errorf("%s, one of %d: %v", c.name, n, err)
			} else if n > 1 && (row.Shared == 0 || row.Exchanges == 0 || row.Gathers == 0) {
				t.Errorf("%s, one of %d shares nothing: %+v", c.name, n, row)
			}
		}
	}
}
