package cuda

import (
	"math"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
)

// limits asks how many blocks a launch may have along y and along z: 65,535 on all GPUs so far.
func (d *Device) limits() error {
	rows, err := d.Driver.DeviceGetAttribute(cudriver.MaxGridDimY, d.dev)
	if err != nil {
		return err
	}
	planes, err := d.Driver.DeviceGetAttribute(cudriver.MaxGridDimZ, d.dev)
	d.mostRows = min(rows, planes)
	return err
}

// MostRows is how many blocks a launch may have along y, and along z.
func (d *Device) MostRows() int { return d.mostRows }

// Grid is that of kernels that ask blockAt of kernels/device.h where a block is: a block for every perBlock of nx
// values, every row and every plane. More rows or planes than a launch takes stand one behind the other along x.
func (d *Device) Grid(nx, perBlock, rows, planes int) [3]uint32 {
	x := Blocks(nx, perBlock)
	if rows <= d.mostRows && planes <= d.mostRows {
		return [3]uint32{x, uint32(rows), uint32(planes)}
	}
	// More than a launch takes along x must not wrap around: the driver refuses it.
	all := float64(x) * float64(rows) * float64(planes)
	return [3]uint32{uint32(min(all, math.MaxUint32)), 1, 1}
}

// threads of the kernels that reduce.
const threads = kernels.KrylovThreads

// ReductionBlocks bounds the blocks of a reduction, whose last block adds the others' sums: enough to fill any GPU
// several times.
const ReductionBlocks = 4096

// Blocks is how many of so many threads n values take.
func Blocks(n, perBlock int) uint32 { return uint32((n + perBlock - 1) / perBlock) }

// Flat is the grid of kernels that run over all values.
func Flat(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+threads-1)/threads, ReductionBlocks))), 1, 1}
}
