package multigrid_test

import (
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

func TestBottomSharedMemoryOnInterpreter(t *testing.T) {
	bottomNearLimit(t, devices.OnInterpreter(interpreter.Options{NoRaces: true}))
}
func TestBottomSharedMemoryOnGPU(t *testing.T) { bottomNearLimit(t, devices.OnGPU(t)) }

// bottomNearLimit takes 48216 bytes of dynamic shared memory, below the 48 KiB that a block has without asking, and
// above them with the kernel's own 4128: three vectors of 14 x 14, 7 x 7, 4 x 4, 2 x 2 and 1 columns of 15 cells, and
// three pads of a row for each.
func bottomNearLimit(t *testing.T, open func(testing.TB) ops.Device) {
	on := opstest.NewFixture(t, open(t), [3]int{14, 14, 15}, 0)
	m, err := multigrid.On(on.Sys)
	if err != nil {
		t.Fatal(err)
	}
	finest, err := m.Finest()
	if err != nil {
		t.Fatal(err)
	}
	f := &probe{Fixture: on, m: m, nx: 14, ny: 14, nz: 15}
	if !f.bottom(finest, multigrid.Smoothing{First: 0.8}) {
		t.Error("no cycle in one operation")
	}
	if err := on.Sys.Err(); err != nil {
		t.Fatal(err)
	}
}

// bottom checks a cycle in one operation against the same cycle in single ones, where there is one.
func (f *probe) bottom(finest multigrid.Level, s multigrid.Smoothing) bool {
	rungs := []multigrid.Rung{{Level: finest}}
	nx, ny := f.nx, f.ny
	for nx > 1 || ny > 1 {
		c := multigrid.Coarsening{Weighted: make([]bool, f.nz)}
		if nx > 1 {
			c.X = f.pairing(nx, false)
		}
		if ny > 1 {
			c.Y = f.pairing(ny, false)
		}
		c.Weighted[0] = true
		next, err := f.m.Coarsen(rungs[len(rungs)-1].Level, c)
		if err != nil {
			f.Fatal(err)
		}
		rungs = append(rungs, multigrid.Rung{Level: next})
		nx, ny, _ = next.Shape()
	}
	for n := range rungs {
		r := &rungs[n]
		r.B, r.Z, r.X = f.Must(f.m.NewVector(r.Level)), f.Must(f.m.NewVector(r.Level)), f.Must(f.m.NewVector(r.Level))
	}
	cycle, err := f.m.Bottom(rungs, s)
	if err != nil {
		f.Fatal(err)
	}
	if cycle == nil {
		return false
	}
	f.Random(rungs[0].B)
	f.plainCycle(rungs, s)
	want := f.Read(rungs[0].Z)
	f.Sys.Write(rungs[0].Z, make([]float64, len(want)))
	cycle()
	f.Near("Bottom", f.Read(rungs[0].Z), want, largest(want), 100*eps32)
	return true
}

func (f *probe) plainCycle(rungs []multigrid.Rung, s multigrid.Smoothing) {
	r := rungs[0]
	if len(rungs) == 1 {
		f.m.Start(r.Level, r.Z, r.B, 1)
		return
	}
	next := rungs[1]
	if s.Momentum == 0 {
		f.m.Start(r.Level, r.X, r.B, s.First)
		f.m.RestrictStart(r.Level, next.Level, next.B, r.B, r.X, s.First)
		f.plainCycle(rungs[1:], s)
		f.m.Prolong(r.Level, next.Level, r.X, next.Z)
		f.m.Step(r.Level, r.Z, r.X, nil, r.B, multigrid.Relaxation{C: s.First})
		return
	}
	smoothed := f.m.Before(r.Level, r.Z, r.X, r.B, s)
	f.m.Restrict(r.Level, next.Level, next.B, r.B, smoothed)
	f.plainCycle(rungs[1:], s)
	f.m.Prolong(r.Level, next.Level, smoothed.At, next.Z)
	f.m.After(r.Level, r.Z, r.X, r.B, s)
}
