package fourier

//go:generate go run thermsim/tools/ptxgen/gen -I ../../kernels

import (
	"fmt"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/ops"
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
	system    gpuStack
	plain     gpuStack // with the right side given as modes
	sources   gpuSources
	weights   []gpuWeight
	sums      cudriver.Ptr[float64] // of each plane
	known     []gpuSums
	rough     *gpuModes             // of a preconditioner
	kept      cudriver.Ptr[float64] // of solveAny
}

var _ Executor = (*gpu)(nil)

// tileBytes is the memory for planes on the way between modes and space. More planes at a time fill the GPU better, fewer stay in its cache.
const tileBytes int64 = 256 << 20

// residualSums are the sums of a block of the residual.
const residualSums = 4

// newOnGPU makes an executor with memory of its own. It fails where a row does not fit into a block's shared memory.
func newOnGPU(dev *cuda.Device, l *Layered) (Executor, error) {
	on, err := cuda.NewIteration(dev, int64(l.NX)*int64(l.NY)*int64(l.NZ))
	if err != nil {
		return nil, err
	}
	g, err := newOnSpace(on, l)
	if err != nil {
		on.Free()
		return nil, err
	}
	return g, nil
}

// newOnSpace takes memory of a space, which gives it back.
func newOnSpace(on *cuda.Iteration, l *Layered) (*gpu, error) {
	px, py, err := plansFor(on.Device, l)
	if err != nil {
		return nil, err
	}
	g := &gpu{Layered: l, on: on, sheet: int64(l.NX) * int64(l.NY), tile: 4 * int64((l.NX+1)/2) * int64((l.NY+1)/2)}
	if err := g.load(on.Device); err != nil {
		return nil, err
	}
	g.reducer = cuda.NewPlaneReducer(on.Space, l.NX, l.NY, l.NZ)
	g.x = newGPUAxis(on.Space, px, l.X)
	if g.y = g.x; l.NX != l.NY || l.X != l.Y {
		g.y = newGPUAxis(on.Space, py, l.Y)
	}
	g.stacks()
	g.atOnce = planesAtOnce(g.tile, l.NZ)
	g.tiles = cuda.Alloc[float64](on.Space, int64(g.atOnce)*g.tile)
	g.partial = cuda.Alloc[float64](on.Space, residualSums*cuda.ReductionBlocks)
	g.sums = cuda.Alloc[float64](on.Space, int64(l.NZ))
	return g, on.Err()
}

// planesAtOnce is how many planes in tiles of so many values are on the way between modes and space together.
func planesAtOnce(tile int64, nz int) int { return int(min(max(tileBytes/(8*tile), 1), int64(nz))) }

// plansFor are the plans of both axes.
func plansFor(dev *cuda.Device, l *Layered) (x, y gpuPlan, err error) {
	shared, err := dev.Attribute(cudriver.MaxSharedMemoryPerBlockOptin)
	if err != nil {
		return x, y, err
	}
	x, okX := planFor(l.NX, shared)
	y, okY := planFor(l.NY, shared)
	if !okX || !okY {
		err = fmt.Errorf("%w: rows of %d and %d cells do not both fit into the %d bytes of shared memory that a block has on %s; choose multigrid or fewer cells", ErrNoDevice, l.NX, l.NY, shared, dev.Name())
	}
	return x, y, err
}

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

// Err is the first failure.
func (g *gpu) Err() error { return g.on.Err() }

// Close gives the memory back.
func (g *gpu) Close() { g.on.Free() }

// gpuModes are modes on the GPU.
type gpuModes struct {
	at      cudriver.Ptr[float64]
	count   int64
	changes int // times that they were set
}

// Bytes of the coefficients.
func (m *gpuModes) Bytes() int64 { return 8 * m.count }

// NewModes makes a state of zeros.
func (g *gpu) NewModes() (Modes, error) { return g.newModes(), g.on.Err() }

func (g *gpu) newModes() *gpuModes {
	n := g.sheet * int64(g.NZ)
	return &gpuModes{at: cuda.Alloc[float64](g.on.Space, n), count: n}
}

// gpuPlanes are planes in space on the GPU: a vector, with a pad of a row on either side.
type gpuPlanes struct {
	ops.Vector
	count int
}

// Count is the number of planes.
func (p *gpuPlanes) Count() int { return p.count }

// NewPlanes makes room for n planes.
func (g *gpu) NewPlanes(n int) (Planes, error) {
	return &gpuPlanes{cuda.NewVector[float64](g.on.Space, g.sheet*int64(n), int64(g.NX)), n}, g.on.Err()
}

// plane is where plane i of p begins.
func (g *gpu) plane(p Planes, i int) cudriver.Ptr[float64] {
	return cuda.F64(p.(*gpuPlanes).Vector).Add(int64(i) * g.sheet)
}

// Read copies plane i to the host.
func (g *gpu) Read(p Planes, i int, dst []float64) {
	cuda.Receive(g.on.Space, dst[:g.sheet], g.plane(p, i))
}

// Write copies a plane to the device.
func (g *gpu) Write(p Planes, i int, src []float64) {
	cuda.Send(g.on.Space, g.plane(p, i), src[:g.sheet])
}

// Inverse goes from modes to space, first along y.
func (g *gpu) Inverse(dst Planes, at int, m Modes, first, n int) {
	g.inverse(rows{out: g.plane(dst, at)}, m.(*gpuModes).at.Add(int64(first)*g.sheet), n)
}

// inverse brings n planes of modes to out or out32 of r.
func (g *gpu) inverse(r rows, m cudriver.Ptr[float64], n int) {
	for done := 0; done < n; done += g.atOnce {
		some, at := min(g.atOnce, n-done), int64(done)*g.sheet
		g.run(g.y, rows{in: m.Add(at), from: g.sheet, out: g.tiles, to: g.tile, tiles: true, planes: some, rows: g.NX, inverse: true})
		last := rows{in: g.tiles, from: g.tile, tilesIn: true, to: g.sheet, planes: some, rows: g.NY, inverse: true}
		if r.out32.IsNil() {
			last.out = r.out.Add(at)
		} else {
			last.out32 = r.out32.Add(at)
		}
		g.run(g.x, last)
	}
}

// Forward goes from space to modes, first along x.
func (g *gpu) Forward(m Modes, first, n int, src Planes) {
	m.(*gpuModes).changes++
	g.forward(m.(*gpuModes).at.Add(int64(first)*g.sheet), rows{in: g.plane(src, 0)}, n)
}

// forward sets n planes of modes from in or in32 of r.
func (g *gpu) forward(m cudriver.Ptr[float64], r rows, n int) {
	for done := 0; done < n; done += g.atOnce {
		some, at := min(g.atOnce, n-done), int64(done)*g.sheet
		first := rows{from: g.sheet, out: g.tiles, to: g.tile, tiles: true, planes: some, rows: g.NY, unit: 1 / float64(g.NX)}
		if r.in32.IsNil() {
			first.in = r.in.Add(at)
		} else {
			first.in32 = r.in32.Add(at)
		}
		g.run(g.x, first)
		g.run(g.y, rows{in: g.tiles, from: g.tile, tilesIn: true, out: m.Add(at), to: g.sheet, planes: some, rows: g.NX, unit: 1 / float64(g.NY)})
	}
}

// Precondition solves with the right side r.
func (g *gpu) Precondition(z, r ops.Vector) {
	g.forward(g.rough.at, rows{in32: cuda.F32(r)}, g.NZ)
	g.solve(&g.plain, g.rough.at, g.rough.at, 1)
	g.inverse(rows{out32: cuda.F32(z)}, g.rough.at, g.NZ)
}
