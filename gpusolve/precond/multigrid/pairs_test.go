package multigrid_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

func TestPairsOfSteps(t *testing.T) { pairs(t, devices.Processor) }

// One multiprocessor has more rows in a block than two steps in one pass need.
func TestPairsOfStepsOnInterpreter(t *testing.T) {
	pairs(t, devices.OnInterpreter(interpreter.Options{SMs: 1}))
}
func TestPairsOfStepsOnGPU(t *testing.T) { pairs(t, devices.OnGPU(t)) }

// pairs checks smoothing before and after a correction against single steps, by strips and blocks that end within the
// grid and at its ends, and the dot product that the last leaves.
func pairs(t *testing.T, open func(testing.TB) ops.Device) {
	for _, shape := range [][3]int{{125, 23, 3}, {29, 41, 9}, {3, 19, 13}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			on := opstest.NewFixture(t, open(t), shape, 0)
			m, err := multigrid.On(on.Sys)
			if err != nil {
				t.Fatal(err)
			}
			level, err := m.Finest()
			if err != nil {
				t.Fatal(err)
			}
			vector := func() ops.Vector { return on.Must(m.NewVector(level)) }
			b, z, x, first, want := vector(), vector(), vector(), vector(), vector()
			on.Random(b)
			second := multigrid.Relaxation{A: chebyshev.Momentum, C: chebyshev.Second}
			m.Start(level, first, b, chebyshev.First)
			m.Step(level, want, first, nil, b, second)
			v := m.Before(level, z, x, b, chebyshev)
			size := largest(on.Read(want))
			on.Near("Before", on.Read(v.At), on.Read(want), size, 100*eps32)

			start := on.Read(want)
			for i := range start {
				start[i] *= 1 + 0.1*on.Rand().Float64()
			}
			on.Sys.Write(v.At, start)
			on.Sys.Write(want, start)
			m.Step(level, first, want, nil, b, multigrid.Relaxation{C: chebyshev.First})
			m.Step(level, want, first, want, b, second)
			m.After(level, z, x, b, chebyshev)
			got := on.Read(z)
			on.Work.Dot(b, z, true)
			on.Near("After", got, on.Read(want), size, 100*eps32)
			sc, bv := on.Work.Scalars(), on.Read(b)
			if want := floats.Dot(got, bv); math.Abs(sc.RZ-want) > eps32*floats.Norm(got, 2)*floats.Norm(bv, 2) {
				t.Errorf("z.b is %g, want %g", sc.RZ, want)
			}
			on.Scalar("max|z|", sc.MaxZ, largest(got), 0)
			if err := on.Sys.Err(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
