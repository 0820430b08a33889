package ilu_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
)

// incompletely factorises a matrix, in FP64 one that is not symmetric, and solves with the factor once.
func incompletely(t *testing.T, d *cuda.Device, shape [3]int, how ilu.Options) (factor *ilu.Entries, z []float64) {
	t.Helper()
	a := opstest.RandomDiagonals(rand.New(rand.NewPCG(8, 9)), shape, !how.Double)
	s, err := d.LoadDiagonals(a)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	form, err := s.(ops.Forms).Diagonals()
	if err != nil {
		t.Fatal(err)
	}
	f, err := ilu.Factorise(s, form, how)
	if err != nil {
		t.Fatal(err)
	}
	factor = f.Download()
	triangles, err := f.Triangles()
	if err != nil {
		t.Fatal(err)
	}
	r, _ := s.New32()
	v, err := s.New32()
	if err != nil {
		t.Fatal(err)
	}
	right := make([]float64, a.N())
	rng := rand.New(rand.NewPCG(1, 1))
	for c := range right {
		right[c] = rng.NormFloat64()
	}
	s.Write(r, right)
	triangles.Solve(v, r)
	z = make([]float64, a.N())
	s.Read(v, z)
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return factor, z
}

// Any order of blocks and warps, however late some are, gives the same bits, also with many more tiles than blocks fit
// on the device.
func TestIncompleteIsTheSameUnderAnySchedule(t *testing.T) {
	for n := range 4 {
		// 9 and more tiles; of the solves' blocks, 5 fit on a multiprocessor.
		order := n % 2
		shape, how := [3]int{5, 6, 6}, ilu.Options{Order: order, TileY: 2, TileZ: 2, Double: n >= 2}
		cache := new(interpreter.Cache)
		var factor *ilu.Entries
		var z []float64
		for seed := range testtier.Pick(int64(4), int64(20-n/2*10)) {
			o := interpreter.Options{Seed: seed, SMs: 1 + int(seed%2), Cache: cache, NoRaces: seed%5 != 0}
			if seed%2 == 1 {
				o.Delay = 400
			}
			d := devices.Interpreter(t, o)
			unbind := d.Bind()
			f, v := incompletely(t, d, shape, how)
			if factor == nil {
				factor, z = f, v
			}
			same := slices.Equal(z, v) && slices.Equal(factor.Inverse, f.Inverse)
			for n := range f.Lower {
				same = same && slices.Equal(factor.Lower[n], f.Lower[n]) && slices.Equal(factor.Upper[n], f.Upper[n])
			}
			if !same {
				t.Errorf("order %d: seed %d changes the result", order, seed)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			unbind()
		}
	}
}

// On a GPU the tiles are those of real sizes, more than fit on it at a time in the flat grid's case.
func TestIncompleteRepeatsItsBitsOnGPU(t *testing.T) {
	d := devices.GPU(t)
	defer d.Close()
	defer d.Bind()()
	for _, c := range []struct {
		shape [3]int
		tile  [2]int
	}{{[3]int{61, 67, 71}, [2]int{}}, {[3]int{40, 300, 200}, [2]int{4, 4}}, {[3]int{500, 401, 10}, [2]int{}}} {
		for n := range 4 {
			order := n % 2
			how := ilu.Options{Order: order, TileY: c.tile[0], TileZ: c.tile[1], Double: n >= 2}
			factor, z := incompletely(t, d, c.shape, how)
			for range 4 - n/2*3 {
				f, v := incompletely(t, d, c.shape, how)
				if !slices.Equal(z, v) || !slices.Equal(factor.Inverse, f.Inverse) {
					t.Errorf("%v, order %d: another run gives other bits", c.shape, order)
				}
			}
		}
	}
}

func TestIncompleteOnHost(t *testing.T) { conform(t, devices.Processor) }
func TestIncompleteOnInterpreter(t *testing.T) {
	conform(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestIncompleteOnGPU(t *testing.T) { conform(t, devices.OnGPU(t)) }
