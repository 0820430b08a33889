package multigrid_test

import (
	"os"
	"testing"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
	"thermsim/stack"
)

// TestMeasureCooledOnGPU prints how long the operations of a cycle take on its first levels, where THERMSIM_MEASURE is
// set.
func TestMeasureCooledOnGPU(t *testing.T) {
	if os.Getenv("THERMSIM_MEASURE") == "" {
		t.Skip("set THERMSIM_MEASURE to print times")
	}
	d := devices.OnGPU(t)(t)
	defer d.Close()
	m, err := mesh.Build(cases.Tiers(1024, 2, 2e-6, stack.PorousCavity))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := d.Assemble(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer sys.Free()
	o, err := multigrid.On(sys)
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Finest()
	if err != nil {
		t.Fatal(err)
	}
	plan := multigrid.Choose(m)
	space, _ := cuda.SpaceOf(sys)
	took := func(what string, f func()) {
		f()
		space.Wait()
		start := time.Now()
		for range 20 {
			f()
		}
		space.Wait()
		nx, ny, nz := l.Shape()
		t.Logf("%4d x %4d x %2d  %-8s %8.1f us", nx, ny, nz, what, float64(time.Since(start).Microseconds())/20)
	}
	vector := func(l multigrid.Level) ops.Vector {
		v, err := o.NewVector(l)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	x, y := must(t, sys.New64), must(t, sys.New64)
	took("A x", func() { sys.Apply(y, x) })
	plan.Smoother = multigrid.LineChebyshev2
	clear(plan.Weighted)
	cycle, err := multigrid.NewPlanned(sys, plan)
	if err != nil {
		t.Fatal(err)
	}
	b, z := vector(l), vector(l)
	took("cycle", func() { cycle.Apply(z, b) })
	for _, c := range plan.Coarsenings[:4] {
		b, z, w := vector(l), vector(l), vector(l)
		took("Start", func() { o.Start(l, z, b, 1) })
		took("Step", func() { o.Step(l, w, z, nil, b, multigrid.Relaxation{A: 0.2, C: 0.9}) })
		took("Streams", func() { o.Streams(l, z, b) })
		next, err := o.Coarsen(l, c)
		if err != nil {
			t.Fatal(err)
		}
		bc := vector(next)
		took("Restrict", func() { o.Restrict(l, next, bc, b, multigrid.Smoothed{At: z}) })
		took("Prolong", func() { o.Prolong(l, next, z, bc) })
		l = next
	}
	if err := sys.Err(); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, make func() (ops.Vector, error)) ops.Vector {
	t.Helper()
	v, err := make()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
