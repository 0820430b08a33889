package fourier

import (
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/interpreter"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest/devices"
)

// GPUs that share a grid find the fields of one, to the bit, whatever carries the planes between them. Few rows and columns for each, odd numbers of them, long columns.
func TestRanksOnInterpreters(t *testing.T) {
	for n, c := range []struct {
		shape
		size   int
		shared bool // one machine for all
		races  bool // are looked for
	}{
		{shape{3, 3, 2}, 2, true, true}, {shape{5, 7, 1}, 3, false, true}, {shape{17, 15, 2}, 8, true, false}, {shape{10, 13, 2}, 5, false, false}, {shape{7, 8, 33}, 4, true, false},
	} {
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
