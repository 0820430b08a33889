package ilu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/interpreter"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/opstest/devices"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/sparse"
)

// Strips of all shapes, full ones and cut ones, more than one of them and of planes fewer than they hold, against substitution in FP64.
func columns(t *testing.T, open func(testing.TB) ops.Device) {
	for n, c := range []struct {
		shape              [3]int
		order, rows, chunk int
	}{
		{[3]int{64, 16, 10}, 0, 16, 4}, {[3]int{71, 37, 10}, 0, 0, 0}, {[3]int{66, 33, 7}, 0, 16, 2}, {[3]int{64, 9, 2}, 0, 8, 4}, {[3]int{83, 21, 12}, 0, 8, 8}, {[3]int{64, 20, 10}, 0, 16, 8}, {[3]int{65, 70, 10}, 0, 32, 2}, {[3]int{64, 31, 1}, 0, 32, 2},
		{[3]int{64, 7, 10}, 1, 16, 4}, {[3]int{71, 37, 10}, 1, 0, 0}, {[3]int{66, 33, 3}, 1, 16, 2}, {[3]int{64, 9, 2}, 1, 8, 4}, {[3]int{83, 21, 12}, 1, 8, 4}, {[3]int{65, 3, 1}, 1, 8, 4}, {[3]int{67, 41, 10}, 1, 16, 2}, {[3]int{68, 41, 9}, 1, 8, 4}, {[3]int{69, 41, 9}, 1, 8, 4}, {[3]int{70, 41, 9}, 1, 8, 4},
	} {
		for kind, a := range map[string]*sparse.Diagonals{
			"symmetric": opstest.RandomDiagonals(rand.New(rand.NewPCG(uint64(n), 5)), c.shape, true),
			"general":   opstest.RandomDiagonals(rand.New(rand.NewPCG(uint64(n), 6)), c.shape, false),
		} {
			t.Run(fmt.Sprintf("%dx%dx%d,%s,order=%d,rows=%d,chunk=%d", c.shape[0], c.shape[1], c.shape[2], kind, c.order, c.rows, c.chunk), func(t *testing.T) {
				f := &factored{opstest.NewAlgebra(t, open(t), a, a.CSR()), a}
				form, err := f.Sys.(ops.Forms).Diagonals()
				if err != nil {
					t.Fatal(err)
				}
				defer form.Release()
				f.checkSolves(form, ilu.Options{Order: c.order, TileY: c.rows, Chunk: c.chunk, Form: ilu.ByColumns}, eliminate(a.CSR(), c.order, 0))
				if err := f.Sys.Err(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func TestColumnsOnInterpreter(t *testing.T) {
	columns(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestColumnsOnGPU(t *testing.T) { columns(t, devices.OnGPU(t)) }

// Strips that come late, and more of them than fit on the device, change no bit.
func TestColumnsAreTheSameUnderAnySchedule(t *testing.T) {
	for order := range 2 {
		shape, how := [3]int{64, 70, 2}, ilu.Options{Order: order, TileY: 8, Chunk: 4, Form: ilu.ByColumns}
		cache := new(interpreter.Cache)
		var z []float64
		for seed := range int64(8) {
			o := interpreter.Options{Seed: seed, SMs: 1 + int(seed%2), Cache: cache, NoRaces: seed%5 != 0}
			if seed%2 == 1 {
				o.Delay = 400
			}
			d := devices.Interpreter(t, o)
			unbind := d.Bind()
			_, v := incompletely(t, d, shape, how)
			if z == nil {
				z = v
			}
			if !slices.Equal(z, v) {
				t.Errorf("order %d: seed %d changes the result", order, seed)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			unbind()
		}
	}
}

// On a GPU there are more strips than fit on it at a time in one case.
func TestColumnsRepeatTheirBitsOnGPU(t *testing.T) {
	d := devices.GPU(t)
	defer d.Close()
	defer d.Bind()()
	for n, shape := range [][3]int{{500, 401, 10}, {100, 5000, 3}, {97, 3001, 12}} {
		for order := range 2 {
			how := ilu.Options{Order: order, Form: ilu.ByColumns}
			_, z := incompletely(t, d, shape, how)
			for range 3 {
				if _, v := incompletely(t, d, shape, how); !slices.Equal(z, v) {
					t.Errorf("%v, order %d: another run gives other bits", shape, order)
				}
			}
			how.Form = ilu.ByTiles
			_, tiles := incompletely(t, d, shape, how)
			top, off := 0.0, 0.0
			for c := range z {
				top, off = max(top, math.Abs(tiles[c])), max(off, math.Abs(z[c]-tiles[c]))
			}
			if !(off <= 4e-5*top) {
				t.Errorf("case %d, order %d: %g from tiles' solution of up to %g", n, order, off, top)
			}
		}
	}
}
