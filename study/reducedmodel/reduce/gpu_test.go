package reduce_test

import (
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/study/reducedmodel/reduce"
)

// Kernels of a GPU solve for the same model, directly and by multigrid.
func TestReduceOnInterpreter(t *testing.T) {
	n := testtier.Pick(3, 6) // cells
	var modules interpreter.Cache
	for _, method := range []string{"fourier", "multigrid"} {
		s := cases.Stack10(cases.Options{NX: n, NY: n - 1})
		s.Transient.Initial = 310
		s.Layers[5].Powers = nil
		machine := interpreter.New(interpreter.Options{Cache: &modules})
		dev, err := cuda.Open(machine, 0)
		if err != nil {
			t.Fatal(err)
		}
		o := reduce.Options{Tol: 8, Solve: gpusolve.Options{Executor: dev, Preconditioner: method}}
		gpu, err := reduce.Run(t.Context(), s, mesh.Build, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Solve = gpusolve.Options{Device: "cpu", Preconditioner: method}
		cpu, err := reduce.Run(t.Context(), s, mesh.Build, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, shift := range []float64{0, 100, 1e4} {
			a, b := gpu.Transfer(shift), cpu.Transfer(shift)
			largest := max(slices.Max(b.Data), -slices.Min(b.Data)) // solves end at an error in K
			for k := range a.Data {
				if d := math.Abs(a.Data[k] - b.Data[k]); d > 1e-6*largest {
					t.Errorf("%s: H(%g) differs by %g K/W of %g", method, shift, d, b.Data[k])
				}
			}
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
		if left := machine.Objects(); left != (interpreter.Objects{}) {
			t.Errorf("%s: left on the device: %+v", method, left)
		}
	}
}
