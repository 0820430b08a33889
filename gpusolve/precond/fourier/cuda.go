package fourier

//go:generate go run thermsim/tools/ptxgen/gen -I ../../kernels

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
)

// gpu is the executor on a GPU. Modes are planes of NX rows of NY coefficients; on the way between modes and space planes lie in tiles of two by two values.
type gpu struct {
	*Layered
	on        *cuda.Iteration
	reducer   cuda.PlaneReducer
	transform *Transform
	columns   *Columns
	planeWork *Sheets
	x, y      *gpuAxis
	sheet     int64 // values of a plane
	tile      int64 // values of a plane in tiles
	tiles     cudriver.Ptr[float64]
	partial   cudriver.Ptr[float64] // sums of blocks
	atOnce    int                   // planes that tiles have room for
	rooms     cudriver.Ptr[float64] // of blocks that transform long rows
	system    gpuStack
	plain     gpuStack // with the right side given as modes
	// planeParts are the stacks' numbers on the way to the device.
	planeParts []float64
	sources    gpuSources
	weights    []gpuWeight
	sums       cudriver.Ptr[float64] // of each plane
	known      []gpuSums
	rough      *gpuModes             // of a preconditioner
	kept       cudriver.Ptr[float64] // of solveAny
}

var _ Executor = (*gpu)(nil)

// tileBytes is the memory for planes on the way between modes and space. More planes at a time fill the GPU better, fewer stay in its cache.
const tileBytes int64 = 256 << 20

// residualSums are the sums of a block of the residual.
const residualSums = 4

// newOnGPU makes an executor with memory of its own.
func newOnGPU(dev *cuda.Device, l *Layered) (Executor, error) {
	shared, err := dev.Attribute(cudriver.MaxSharedMemoryPerBlockOptin)
	if err != nil {
		return nil, err
	}
	return newWithin(dev, l, shared)
}

// newWithin makes one whose blocks take no more than so much shared memory for their rows.
func newWithin(dev *cuda.Device, l *Layered, shared int) (Executor, error) {
	on, err := cuda.NewIteration(dev, int64(l.NX)*int64(l.NY)*int64(l.NZ))
	if err != nil {
		return nil, err
	}
	g, err := newOnSpace(on, l, shared)
	if err != nil {
		on.Free()
		return nil, err
	}
	return g, nil
}

// newOnSpace takes memory of a space, which gives it back.
func newOnSpace(on *cuda.Iteration, l *Layered, shared int) (*gpu, error) {
	px, py := planFor(l.NX, shared), planFor(l.NY, shared)
	g := &gpu{Layered: l, on: on, sheet: int64(l.NX) * int64(l.NY), tile: 4 * int64((l.NX+1)/2) * int64((l.NY+1)/2)}
	if err := g.load(on.Device); err != nil {
		return nil, err
	}
	g.reducer = cuda.NewPlaneReducer(on.Space, l.NX, l.NY, l.NZ)
	g.x = newGPUAxis(on.Space, px, l.X)
	if g.y = g.x; l.NX != l.NY || l.X != l.Y {
		g.y = newGPUAxis(on.Space, py, l.Y)
	}
	g.takeRooms()
	g.stacks()
	g.atOnce = planesAtOnce(g.tile, l.NZ)
	g.tiles = cuda.Alloc[float64](on.Space, int64(g.atOnce)*g.tile)
	g.partial = cuda.Alloc[float64](on.Space, residualSums*cuda.ReductionBlocks)
	g.sums = cuda.Alloc[float64](on.Space, int64(l.NZ))
	return g, on.Err()
}

// planesAtOnce is how many planes in tiles of so many values are on the way between modes and space together.
func planesAtOnce(tile int64, nz int) int { return int(min(max(tileBytes/(8*tile), 1), int64(nz))) }

func (g *gpu) load(dev *cuda.Device) (err error) {
	if g.transform, err = cuda.Module(dev, "fourier transform", LoadTransform); err != nil {
		return err
	}
	if g.columns, err = cuda.Module(dev, "fourier columns", LoadColumns); err != nil {
		return err
	}
	g.planeWork, err = cuda.Module(dev, "fourier sheets", LoadSheets)
	return err
}

// Warm loads the kernels, so that set-up need not.
func Warm(d *cuda.Device) error {
	defer d.Bind()()
	return new(gpu).load(d)
}

// Err is the first failure.
func (g *gpu) Err() error { return g.on.Err() }

// Close gives the memory back.
func (g *gpu) Close() { g.on.Free() }
