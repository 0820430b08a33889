package kernels_test

import (
	"testing"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/precond/parac"
)

// idle is a driver whose launches do nothing.
type idle struct{ recorder }

func (*idle) LaunchKernel(cudriver.Function, [3]uint32, [3]uint32, uint32, cudriver.Stream, []unsafe.Pointer) error {
	return nil
}

// BenchmarkLaunch is the cost of a launch without the driver's, by the number of arguments.
func BenchmarkLaunch(b *testing.B) {
	var d cudriver.Driver = new(idle)
	r, err := kernels.LoadResidual(d)
	if err != nil {
		b.Fatal(err)
	}
	t, err := multigrid.LoadTransfer(d)
	if err != nil {
		b.Fatal(err)
	}
	p, err := parac.LoadKernels(d)
	if err != nil {
		b.Fatal(err)
	}
	grid := [3]uint32{100, 1, 1}
	single, double, places := cudriver.At[float32](4096), cudriver.At[float64](8192), cudriver.At[int32](16384)
	b.Run("3", func(b *testing.B) {
		for b.Loop() {
			_ = r.Fill.Launch(1, grid, kernels.ResidualFillArgs{N: 1 << 40, Value: 0.25, X: double})
		}
	})
	b.Run("19", func(b *testing.B) {
		for b.Loop() {
			_ = t.RestrictWeighted.Launch(1, grid, multigrid.TransferRestrictWeightedArgs{
				Nx: 1, Ny: 2, Gx: single, Gy: single, B: single, X: single, Before: single,
				Keep: 0.25, Less: 0.5,
				Cx: 4, Cy: 5, FirstX: places, FarX: single, FirstY: places, FarY: single, WeightSlot: places,
				Wx: cudriver.At[uint16](128), Wy: cudriver.At[uint16](256), Bc: single,
			})
		}
	})
	words, wide := cudriver.At[uint32](512), cudriver.At[uint64](1024)
	b.Run("26", func(b *testing.B) {
		for b.Loop() {
			_ = p.Eliminate.Launch(1, grid, parac.KernelsEliminateArgs{
				N: 1, Order: words, Place: words, RowPtr: cudriver.At[int64](2), Col: places, Val: double,
				Vertices: cudriver.At[parac.Vertex](3), Queue: words,
				Control: wide, Owner: words, Slots: wide, Reached: words, Pieces: 4, Stride: 5, Width: 6, Key0: 7,
				Key1: 8, First: cudriver.At[int64](9),
				Count: words, Pivot: double, Output: wide, Outputs: 10, Scratch: wide, Scratches: 11, Seed: 12,
				Patience: 13,
			})
		}
	})
}
