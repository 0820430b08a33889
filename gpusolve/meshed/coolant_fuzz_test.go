package meshed_test

import (
	"math"
	"testing"

	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
	"thermsim/stack"
)

// Any cavities with coolant, steady and in time, have the temperatures that elimination finds, on the processor and by
// the kernels.
func FuzzCoolant(f *testing.F) {
	for _, seed := range cases.Seeds(8) {
		f.Add(seed)
	}
	kernels := devices.OnInterpreter(interpreter.Options{NoRaces: true})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := cases.Bytes(data)
		s := cases.Cooled(r, 3+2*r.IntN(2), 3+2*r.IntN(2))
		cases.Developing(r, s)
		if stack.Validate(s) != nil {
			t.Skip("no valid stack")
		}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		dt, most, open := 0.0, 0, devices.Processor
		if r.IntN(2) == 0 {
			dt = math.Pow(10, -5+4*r.Float64())
		}
		if r.IntN(8) == 0 {
			open = kernels
		}
		if worst := eliminated(t, open(t), m, dt, &most); !(worst <= 1e-9) {
			t.Errorf("off by %.2g of the largest rise after %d iterations: %+v", worst, most, s)
		}
	})
}
