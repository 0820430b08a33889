package fourier

import (
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
)

// GPUs that share a grid find the fields of one, to the bit, whatever carries the planes between them. Few rows and
// columns for each, odd numbers of them, long columns.
func TestRanksOnInterpreters(t *testing.T) {
	cases := []struct {
		shape
		size   int
		shared bool // one machine for all
		races  bool // are looked for
	}{
		{shape{3, 3, 2}, 2, true, true}, {shape{5, 7, 1}, 3, false, true}, {shape{3, 5, 33}, 2, true, false},
		{shape{17, 15, 2}, 8, true, false}, {shape{10, 13, 2}, 5, false, false}, {shape{7, 8, 33}, 4, true, false},
	}
	for n, c := range testtier.Pick(cases[:3], cases) {
		seed, races := uint64(n), interpreter.Options{Cache: &parsed, NoRaces: !c.races}
		l := randomLayered(rand.New(rand.NewPCG(seed, 5)), c.nx, c.ny, c.nz, n%2 == 0)
		l.X, l.Y = Ends(n%4), Ends((n/2+1)%4)
		want := onRanks(t, l, 1, seed, func(int) ops.Device { return devices.Interpreter(t, races) })
		got := onRanks(t, l, c.size, seed, ranksOnInterpreters(t, races, c.shared))
		if got.same(t, &want, false); t.Failed() {
			t.Fatalf("%+v, sides %d and %d", c, l.X, l.Y)
		}
	}
}

// ranksOnInterpreters opens machines of their own for ranks, or one that all share.
func ranksOnInterpreters(t *testing.T, o interpreter.Options, shared bool) func(rank int) ops.Device {
	one := interpreter.New(o)
	return func(int) ops.Device {
		if !shared {
			return devices.Interpreter(t, o)
		}
		d, err := cuda.Open(one, 0)
		if err != nil {
			t.Error(err)
		}
		return d
	}
}

// Two GPUs have the bits of one.
func TestRanksOnTwoGPUs(t *testing.T) {
	drv, err := cudriver.Open()
	if err == nil {
		err = drv.Init()
	}
	if err != nil {
		t.Skipf("needs two GPUs: %v", err)
	}
	if n, err := drv.DeviceGetCount(); n < 2 {
		t.Skipf("needs two GPUs: the driver lists %d (%v)", n, err)
	}
	gpu := func(rank int) ops.Device {
		d, err := cuda.Open(drv, rank)
		if err != nil {
			t.Error(err)
			t.FailNow()
		}
		return d
	}
	for n, s := range []shape{{3, 3, 2}, {17, 15, 3}, {401, 397, 40}, {512, 512, 10}, {1103, 2048, 2}} {
		for inTime := range 2 {
			l := randomLayered(rand.New(rand.NewPCG(uint64(n), 5)), s.nx, s.ny, s.nz, inTime == 1)
			want := onRanks(t, l, 1, uint64(n), gpu)
			got := onRanks(t, l, 2, uint64(n), gpu)
			if got.same(t, &want, false); t.Failed() {
				t.Fatalf("%v, time %d, sides %d and %d", s, inTime, l.X, l.Y)
			}
		}
	}
}
