package fourier

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"sync"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ranks"
)

// gpuOperations are those on a GPU. Modes are planes of NX rows of NY coefficients; on the way between modes and space
// planes lie in tiles of two by two values.
type gpuOperations struct {
	*Layered
	part
	crossing *crossing // nil where one rank has all
	on       *cuda.Iteration
	cuda.PlaneReducer
	gpuKernels
	x, y *gpuAxis
	gpuExtent
	gpuBuffers
	system gpuStack
	plain  gpuStack // with the right-hand side given as modes
	// planeParts are the stacks' numbers on the way to the device, tables those of the axes too.
	planeParts []float64
	tables     []byte
	sources    gpuSources
	weights    []gpuWeight
	known      []gpuSums
	rough      *gpuModes // of a preconditioner
}

// gpuExtent is the size of what a rank has.
type gpuExtent struct {
	width    int   // wave numbers along x
	from, to int   // rows of planes in space
	sheet    int64 // modes of a plane
	space    int64 // values of a plane in space
	tile     int64 // values of a plane in tiles of modes
}

// gpuKernels are those of the method.
type gpuKernels struct {
	transform *Transform
	columns   *Columns
	planeWork *Sheets
}

// gpuBuffers is memory for what lies between kernels.
type gpuBuffers struct {
	tiles   cudriver.Ptr[float64]
	atOnce  int                   // planes that tiles have room for
	partial cudriver.Ptr[float64] // sums of blocks
	rooms   cudriver.Ptr[float64] // of blocks that transform long rows
	sums    cudriver.Ptr[float64] // of each plane
	kept    cudriver.Ptr[float64] // of solveAny
}

// tileBytes is the memory for planes on the way between modes and space. More planes at a time fill the GPU better,
// fewer stay in its cache.
const tileBytes int64 = 256 << 20

// residualSums are the sums of a block of the residual.
const residualSums = 4

// quietPlanes is the size up to which all planes of a state are taken with the rest, without asking how much memory is
// free.
const quietPlanes int64 = 256 << 20

// HoldsAllPlanes says that a GPU has room for all planes of a state from the beginning, or for a rank's rows of them.
func HoldsAllPlanes(l *Layered, g ranks.Group) bool {
	return aligned(int64(l.NZ)*PlaneBytes(l, g)) <= quietPlanes
}

// PlaneBytes is what a plane in space takes, or a rank's rows of it.
func PlaneBytes(l *Layered, g ranks.Group) int64 {
	rows := l.NY
	if g != nil {
		from, to := HeldRows(l.NY, g.Size(), g.Rank())
		rows = to - from
	}
	return 8 * int64(l.NX) * int64(rows)
}

// newOnGPU makes operations with separate memory, taken in one piece with that of states and of the first loads.
func newOnGPU(dev *cuda.Device, l *Layered, loads []Load, p part) (Operations, error) {
	shared, err := dev.Attribute(cudriver.MaxSharedMemoryPerBlockOptin)
	if err != nil {
		return nil, err
	}
	return newWithin(dev, l, loads, shared, p)
}

// newWithin makes one whose blocks take at most this much shared memory for their rows.
func newWithin(dev *cuda.Device, l *Layered, loads []Load, shared int, p part) (Operations, error) {
	x, y := axesOf(l, shared)
	cells := int64(p.partWidth(p.rank)) * int64(l.NY) * int64(l.NZ)
	state := aligned(8 * cells)
	needed := fixedBytes(x, y, l.NZ, int64(dev.Multiprocessors), &p) + state
	if l.Capacity != nil {
		needed += state
	}
	if HoldsAllPlanes(l, p.group) {
		needed += aligned(int64(l.NZ) * PlaneBytes(l, p.group))
	}
	needed += loadBytes(l, loads, cells/int64(l.NZ))
	tables := tablesInBackground(x, y)
	on, err := cuda.NewIteration(dev, cells, needed)
	if err != nil {
		tables() // ends what makes them
		return nil, err
	}
	g, err := newOnSpace(on, l, p, x, y, tables)
	if err != nil {
		on.Free()
		return nil, err
	}
	return g, nil
}

// tablesInBackground makes the tables of the axes, one where both are alike, while the driver is asked for memory. The
// result waits for them.
func tablesInBackground(x, y plannedAxis) func() []*axisTables {
	axes := []plannedAxis{x}
	if !x.like(y) {
		axes = append(axes, y)
	}
	tables := make([]*axisTables, len(axes))
	var work sync.WaitGroup
	for n, a := range axes {
		work.Go(func() { tables[n] = tablesOf(a) })
	}
	return func() []*axisTables {
		work.Wait()
		return tables
	}
}

// newOnSpace takes memory of a space, which gives it back.
func newOnSpace(on *cuda.Iteration, l *Layered, p part, x, y plannedAxis, tables func() []*axisTables) (
	*gpuOperations, error) {
	g := &gpuOperations{Layered: l, part: p, on: on}
	g.failures = g
	own := p.extent(l)
	g.gpuExtent = gpuExtent{own.width, own.from, own.to, int64(own.sheet), int64(own.space),
		tileValues(own.width, l.NY)}
	if err := g.load(on.Device); err != nil {
		return nil, err
	}
	g.PlaneReducer = cuda.NewPlaneReducer(on.Space, l.NX, g.to-g.from, l.NZ)
	g.x = &gpuAxis{plannedAxis: x}
	g.y = g.x
	made := tables()
	for _, t := range made {
		if t.err != nil {
			return nil, t.err
		}
	}
	if len(made) > 1 {
		g.y = &gpuAxis{plannedAxis: y}
	}
	g.sendTables(made)
	if l.NZ > longestClass {
		g.kept = cuda.AllocRaw[float64](on.Space,
			int64(g.anyBlocks())*ColumnsThreads*int64(2*((l.NZ+ColumnsSegment-1)/ColumnsSegment)))
	}
	g.takeRooms()
	g.atOnce = planesAtOnce(p.mostTiles(), l.NZ)
	g.tiles = cuda.AllocRaw[float64](on.Space, int64(g.atOnce)*p.mostTiles())
	if !p.alone() {
		if err := g.join(); err != nil {
			return nil, err
		}
	}
	g.partial = cuda.AllocRaw[float64](on.Space, residualSums*cuda.ReductionBlocks)
	g.sums = cuda.AllocRaw[float64](on.Space, int64(l.NZ))
	return g, on.Err()
}

// sendTables sends those of the axes and the planes' numbers in one piece, values of 16 bytes first.
func (g *gpuOperations) sendTables(tables []*axisTables) {
	axes := []*gpuAxis{g.x, g.y}
	numbers, none := g.columnNumbers(), make([]int32, g.NZ+1)
	bytes := cuda.BytesOf(numbers) + cuda.BytesOf(none)
	for _, t := range tables {
		bytes += t.bytes()
	}
	p := cuda.NewPacker(cuda.AllocRaw[byte](g.on.Space, bytes), bytes)
	for i, t := range tables {
		a := axes[i]
		a.turns, a.halves, a.rootsOnDevice = packComplex(&p, t.turns), packComplex(&p, t.halves),
			packComplex(&p, t.roots)
		a.chirps, a.filters = packComplex(&p, t.chirp), packComplex(&p, t.filter)
	}
	for i, t := range tables {
		a := axes[i]
		a.eigenvalues, a.vectors = cuda.Pack(&p, t.eigenvalues), cuda.Pack(&p, t.vectors)
		a.widths, a.couplings = cuda.Pack(&p, t.widths), cuda.Pack(&p, t.couplings)
	}
	g.system.parts = cuda.Pack(&p, numbers)
	g.plain.parts = g.system.parts.Add(int64(len(numbers) / 2))
	for i, t := range tables {
		axes[i].placesOnDevice, axes[i].radicesOnDevice = cuda.Pack(&p, t.places), cuda.Pack(&p, t.radices)
	}
	g.plain.first = cuda.Pack(&p, none)
	g.system.first = g.plain.first
	g.tables = p.Bytes()
	cuda.SendPacked(g.on.Space, &p)
}

// tileValues are those of tiles of this many rows and columns.
func tileValues(rows, columns int) int64 { return 4 * int64((rows+1)/2) * int64((columns+1)/2) }

// mostTiles is the largest number of values in tiles that any rank has of a plane, in space or in modes.
func (p *part) mostTiles() (most int64) {
	nx, ny := p.waves[p.size()], p.rows[p.size()]
	for r := range p.size() {
		from, to := p.held(r)
		most = max(most, tileValues(to-from, nx), tileValues(p.partWidth(r), ny))
	}
	return most
}

// planesAtOnce is how many planes, each of tile values, are transformed between modes and space together. It divides nz
// planes into parts of about equal size.
func planesAtOnce(tile int64, nz int) int {
	parts := (int64(nz)*8*tile + tileBytes - 1) / tileBytes
	return max(1, int((int64(nz)+parts-1)/parts))
}

func (g *gpuOperations) load(dev *cuda.Device) (err error) {
	if g.transform, err = cuda.Module(dev, "fourier transform", LoadTransform); err != nil {
		return err
	}
	if g.columns, err = cuda.Module(dev, "fourier columns", LoadColumns); err != nil {
		return err
	}
	g.planeWork, err = cuda.Module(dev, "fourier sheets", LoadSheets)
	return err
}

// Err is the first failure of the device or of what joins it to others.
func (g *gpuOperations) Err() error {
	if g.crossing != nil {
		g.on.Note(g.crossing.link.Err())
	}
	return g.on.Err()
}

func (g *gpuOperations) note(err error) { g.on.Note(err) }

func (g *gpuOperations) Close() { g.on.Free() }
