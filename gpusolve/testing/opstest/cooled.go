package opstest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// OnCooled checks operations of the executor that open makes on random stacks with coolant, steady and in time.
func OnCooled(t *testing.T, open func(testing.TB) ops.Device, check func(*Fixture)) {
	for n, shape := range testtier.Pick([][2]int{{3, 3}, {5, 3}, {3, 8}, {9, 7}, {35, 3}},
		[][2]int{{3, 3}, {5, 3}, {3, 8}, {9, 7}, {17, 5}, {4, 33}, {33, 9}}) {
		for _, dt := range steps(n) {
			t.Run(fmt.Sprintf("cooled,%dx%d,dt=%g", shape[0], shape[1], dt), func(t *testing.T) {
				check(NewCooled(t, open(t), uint64(n), shape, dt))
			})
		}
	}
}

// NewCooled assembles a random stack with coolant of a shape along x and y.
func NewCooled(t *testing.T, d ops.Device, seed uint64, shape [2]int, dt float64) *Fixture {
	rng := rand.New(rand.NewPCG(seed, 1915))
	s := cases.Cooled(rng, shape[0], shape[1])
	if err := stack.Validate(s); err != nil {
		t.Fatal(err)
	}
	return newFixture(t, d, rng, s, dt)
}

// cavity adds what the coolant of a cavity carries: straight from the definition in package mesh.
func (r *reference) cavity(v *mesh.Cavity) {
	first, step := v.Fluid*r.nx*r.ny, r.nx
	if v.Along == 0 {
		step = 1
	}
	if v.Backward {
		step = -step
	}
	for at := range r.nx * r.ny {
		w, c := v.Carry(at%r.nx, at/r.nx, r.nx, r.ny), first+at
		for _, e := range []entry{{c, c, w.Own}, {c, c - step, w.Up}, {c, c + step, w.Down}} {
			if e.value != 0 {
				r.carried = append(r.carried, entry{e.row, e.col, w.Heat * e.value})
			}
		}
	}
	v.Inlets(r.nx, r.ny, func(cell, line int) {
		r.inlets[first+cell] += v.Heat[line] * (v.Of.Inlet - r.m.Stack.Ambient)
	})
}

// cooled checks the product, what coolant carries out, and that an operator made again is the same.
func (f *Fixture) cooled() {
	if f.Sys.Symmetric() {
		f.Error("the operator says that it is symmetric")
	}
	x, y := f.Must(f.Sys.New64()), f.Must(f.Sys.New64())
	a := f.Random(x)
	scale := 0.0
	for _, e := range f.ref.carried {
		scale = math.Max(scale, math.Abs(e.value))
	}
	scale = 10*largest(f.ref.diagonal()) + 10*scale
	f.Sys.Apply(y, x)
	f.Near("A x", f.Read(y), f.ref.apply(a), scale, eps64)
	if v, ok := f.Sys.(interface{ ApplySingle(y, x32 ops.Vector) bool }); ok {
		single := f.Must(f.Sys.New32())
		values := f.Random(single)
		f.Sys.Fill(y, 0)
		if !v.ApplySingle(y, single) {
			f.Error("the operator does not multiply FP32 vectors")
		}
		f.Near("A x of an FP32 vector", f.Read(y), f.ref.apply(values), scale, eps64)
	}
	sheet := f.ref.nx * f.ref.ny
	heat := f.Sys.(interface{ CoolantHeat(ops.Vector) []float64 }).CoolantHeat(x)
	for n, v := range f.m.Cavities {
		want, size := 0.0, 0.0
		v.Outlets(f.ref.nx, f.ref.ny, func(cell, line int) {
			q := v.Heat[line] * (a[v.Fluid*sheet+cell] - (v.Of.Inlet - f.m.Stack.Ambient))
			want, size = want+q, size+math.Abs(q)
		})
		if math.Abs(heat[n]-want) > 1e-13*size {
			f.Errorf("coolant of cavity %d carries %.15g W, want %.15g", n, heat[n], want)
		}
	}
	flow := f.m.Cavities[0].Heat
	for line := range flow {
		flow[line] *= 2
	}
	if err := f.Sys.Refresh(2 * f.dt); err != nil {
		f.Fatal(err)
	}
	f.Sys.Apply(y, x)
	again := newReference(f.m, 2*f.dt)
	f.Near("A x after a refresh", f.Read(y), again.apply(a), 2*scale, eps64)
	for line := range flow {
		flow[line] /= 2
	}
	if err := f.Sys.Refresh(f.dt); err != nil {
		f.Fatal(err)
	}
	f.Sys.Apply(y, x)
	f.Near("A x as at first", f.Read(y), f.ref.apply(a), scale, eps64)
}
