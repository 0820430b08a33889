package slabs_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/slabs"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// onDevices solves on ranks in this process with a GPU for each, and joins the field.
func onDevices(t *testing.T, m *mesh.Mesh, n int, open func(t *testing.T, rank int) *cuda.Device) (of []solved,
	field []float64) {
	t.Helper()
	groups := ranks.Local(n)
	of = make([]solved, n)
	var wait sync.WaitGroup
	for r := range n {
		wait.Go(func() {
			d := open(t, r)
			defer d.Bind()()
			d.LeastShared = 100
			if of[r] = solve(m, slabs.On(d, groups[r])); of[r].err != nil {
				groups[r].Fail(of[r].err)
			}
		})
	}
	wait.Wait()
	field = make([]float64, m.Cells())
	for r, one := range of {
		if one.err != nil {
			t.Fatalf("rank %d: %v", r, one.err)
		}
		for c, v := range one.field {
			field[c] += v // of the other ranks it is 0
		}
	}
	return of, field
}

// GPUs that share a grid give the field of the processor, and every rank the same numbers.
func TestInterpretersShareAGrid(t *testing.T) {
	cache := new(interpreter.Cache)
	open := func(t *testing.T, _ int) *cuda.Device {
		return devices.Interpreter(t, interpreter.Options{Cache: cache, NoRaces: true})
	}
	grid := testtier.Pick(cases.Options{NX: 5, NY: 31}, cases.Options{NX: 12, NY: 44})
	layered, regions := cases.Stack10(grid), cases.Interposer(cases.Stack10(grid))
	for _, c := range []struct {
		name  string
		mesh  *mesh.Mesh
		ranks []int
	}{{"layers", build(t, layered), testtier.Pick([]int{3}, []int{2, 3})}, {"regions", build(t, regions), []int{2}}} {
		want := solve(c.mesh, host.Open())
		one := open(t, 0)
		unbind := one.Bind()
		alone := solve(c.mesh, one)
		unbind()
		for _, n := range c.ranks {
			of, got := onDevices(t, c.mesh, n, open)
			far := 0.0
			for i := range got {
				far = math.Max(far, math.Abs(got[i]-want.field[i]))
			}
			name := fmt.Sprintf("%s on %d ranks", c.name, n)
			if far > 1e-9 {
				t.Errorf("%s: the field differs by %g K", name, far)
			}
			if of[0].out.Iterations != alone.out.Iterations {
				t.Errorf("%s: %d iterations, %d alone", name, of[0].out.Iterations, alone.out.Iterations)
			}
			for r := range of {
				a, b := of[r], of[0]
				if a.out.Iterations != b.out.Iterations || a.out.Norms != b.out.Norms || a.heat != b.heat ||
					a.max != b.max {
					t.Errorf("%s: rank %d has %+v, rank 0 %+v", name, r, a.out, b.out)
				}
			}
		}
	}
}

// GPUs do on real hardware what interpreters do above.
func TestGPUsShareAGrid(t *testing.T) {
	drv, err := cudriver.Open()
	if err == nil {
		err = drv.Init()
	}
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	n, err := drv.DeviceGetCount()
	if n == 0 {
		t.Skipf("needs a GPU: the driver lists none (%v)", err)
	}
	open := func(t *testing.T, rank int) *cuda.Device { // ranks share a GPU where there are too few
		d, err := cuda.Open(drv, rank%n)
		if err != nil {
			t.Error(err)
			t.FailNow()
		}
		return d
	}
	for name, s := range map[string]*stack.Stack{"layers": cases.Stack10(cases.Options{NX: 200, NY: 300}),
		"regions": cases.Interposer(cases.Stack10(cases.Options{NX: 200, NY: 300}))} {
		m := build(t, s)
		want := solve(m, host.Open())
		for _, n := range []int{2, 3, 4} {
			of, got := onDevices(t, m, n, open)
			far := 0.0
			for i := range got {
				far = math.Max(far, math.Abs(got[i]-want.field[i]))
			}
			t.Logf("%s on %d ranks: %d iterations, the processor %d; %.2g K apart", name, n, of[0].out.Iterations,
				want.out.Iterations, far)
			if far > 1e-9 {
				t.Errorf("%s on %d ranks: the field differs by %g K", name, n, far)
			}
		}
	}
}
