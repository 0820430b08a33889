package multigrid

import (
	"fmt"
	"math"
	"unsafe"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuOperations are those of a system on a GPU.
type gpuOperations struct {
	noStreams
	*cuda.Conductances
	hierarchy  *Hierarchy
	transfer   *Transfer
	weights    *Weigh
	lines      *Lines
	pairs      *Pairs                // of steps, nil for columns beyond the longest class
	longColumn cudriver.Ptr[float32] // scratch of columns beyond the longest class
}

// Step leaves sums of blocks of LinesThreads columns for the dot product that follows; the executor has room for blocks
// of cuda.DotThreads.
const _ = uint(LinesThreads - cuda.DotThreads)

func onGPU(a ops.System) (Operations, bool, error) {
	c, ok := cuda.ConductancesOf(a)
	if !ok {
		return nil, false, nil
	}
	s := &gpuOperations{Conductances: c}
	s.Note(s.load(c.Device, c.NZ))
	return s, true, nil
}

// load brings the kernels for columns of nz cells.
func (s *gpuOperations) load(d *cuda.Device, nz int) (err error) {
	if s.hierarchy, err = cuda.Module(d, "hierarchy", LoadHierarchy); err != nil {
		return err
	}
	if s.transfer, err = cuda.Module(d, "transfer", LoadTransfer); err != nil {
		return err
	}
	if s.weights, err = cuda.Module(d, "weigh", LoadWeigh); err != nil {
		return err
	}
	class := lineClass(nz)
	s.lines, err = cuda.Module(d, fmt.Sprintf("lines_%d", class), func(d cudriver.Driver) (*Lines, error) {
		return LoadLines(d, class)
	})
	return err
}

// Blocks of two steps that a multiprocessor holds, of columns of up to pairShort cells and of longer ones. With fewer
// rows in a block, what it computes beyond its ends and the latency of one row after the other cost more than two steps
// in one pass bring.
const pairBlocks, pairLongBlocks, pairShort, fewestPairRows = 4, 2, 10, 6

// pairRows is how many rows a block takes in two steps at once, so that all blocks of a level run at a time; 0 for
// levels that two steps take less time for one after the other.
func (s *gpuOperations) pairRows(l *gpuLevel) int {
	class, blocks := classFor(PairsClasses(), l.nz), pairBlocks
	if class > pairShort {
		blocks = pairLongBlocks
	}
	rows := int(cuda.Blocks(l.ny, max(1, blocks*s.Multiprocessors/int(cuda.Blocks(l.nx, PairsColumns)))))
	offsets := l.nx*l.ny*l.nz + 2*l.nx
	if class == anyLength || s.Slab || offsets > math.MaxInt32 || rows < fewestPairRows ||
		int(cuda.Blocks(l.ny, rows)) > s.MostRows() {
		return 0
	}
	if s.pairs == nil {
		var err error
		s.pairs, err = cuda.Module(s.Device, fmt.Sprintf("pairs_%d", class), func(d cudriver.Driver) (*Pairs, error) {
			return LoadPairs(d, class)
		})
		s.Note(err)
	}
	return rows
}

func (s *gpuOperations) pairGrid(l *gpuLevel, rows int) [3]uint32 {
	return [3]uint32{cuda.Blocks(l.nx, PairsColumns), cuda.Blocks(l.ny, rows), 1}
}

// anyLength is the class of columns of every length, the only one that needs scratch memory. On an H200 it takes 1.1 to
// 1.25 times as long as a class of up to 32 cells, 0.94 of one of 48 and 0.6 of one of 64.
const anyLength = 0

// lineClass is the smallest class of kernels for columns of nz cells, anyLength above the greatest.
func lineClass(nz int) int { return classFor(LinesClasses(), nz) }

func classFor(classes []int, nz int) int {
	for _, class := range classes {
		if class != anyLength && class >= nz {
			return class
		}
	}
	return anyLength
}

func (s *gpuOperations) columnGrid(l *gpuLevel) [3]uint32 {
	return s.Grid(l.nx, LinesThreads, l.ny, 1)
}

func (s *gpuOperations) Start(l Level, x, b ops.Vector, c float32) {
	if !s.Ready() {
		return
	}
	lv := l.(*gpuLevel)
	cuda.Launch(s.Space, &s.lines.Start, s.columnGrid(lv), LinesStartArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gz: lv.gz, Inverse: lv.inverse, B: cuda.F32(b),
		X: cuda.F32(x), Scale: c,
	})
}

func (s *gpuOperations) Step(l Level, dst, x, prev, b ops.Vector, w Relaxation) {
	if !s.Ready() {
		return
	}
	lv := l.(*gpuLevel)
	if lv.finest && lv.ny <= s.MostRows() {
		g := s.columnGrid(lv)
		cuda.Launch(s.Space, &s.lines.StepDot, g, LinesStepDotArgs{
			Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gx: lv.gx, Gy: lv.gy, Gz: lv.gz, Inverse: lv.inverse,
			B: cuda.F32(b), X: cuda.F32(x), Prev: cuda.F32(prev), Dst: cuda.F32(dst), A: w.A, Scale: w.C,
			Scratch: s.longColumn, Partial: s.Partial(),
		})
		s.LeaveDot(dst, b, int32(g[0]*g[1]))
		return
	}
	cuda.Launch(s.Space, &s.lines.Step, s.columnGrid(lv), LinesStepArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gx: lv.gx, Gy: lv.gy, Gz: lv.gz, Inverse: lv.inverse,
		B: cuda.F32(b), X: cuda.F32(x), Prev: cuda.F32(prev), Dst: cuda.F32(dst), A: w.A, Scale: w.C,
		Scratch: s.longColumn,
	})
}

func (s *gpuOperations) Before(l Level, z, x, b ops.Vector, c Smoothing) Smoothed {
	lv := l.(*gpuLevel)
	rows := s.pairRows(lv)
	if rows == 0 {
		return before(s, l, z, x, b, c)
	}
	if s.Ready() {
		cuda.Launch(s.Space, &s.pairs.Before, s.pairGrid(lv, rows), PairsBeforeArgs{
			Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Rows: int32(rows), Gx: lv.gx, Gy: lv.gy, Gz: lv.gz,
			Inverse: lv.inverse, B: cuda.F32(b), Z: cuda.F32(x), Y: cuda.F32(z), First: c.First, Momentum: c.Momentum,
			Second: c.Second,
		})
	}
	return Smoothed{At: x, Beside: z, By: c}
}

func (s *gpuOperations) After(l Level, z, x, b ops.Vector, c Smoothing) {
	lv := l.(*gpuLevel)
	rows := s.pairRows(lv)
	if rows == 0 {
		after(s, l, z, x, b, c)
		return
	}
	if !s.Ready() {
		return
	}
	g := s.pairGrid(lv, rows)
	cuda.Launch(s.Space, &s.pairs.After, g, PairsAfterArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Rows: int32(rows), Gx: lv.gx, Gy: lv.gy, Gz: lv.gz,
		Inverse: lv.inverse, B: cuda.F32(b), X: cuda.F32(x), Z: cuda.F32(z), First: c.First, Momentum: c.Momentum,
		Second: c.Second, Partial: s.Partial(),
	})
	if lv.finest {
		s.LeaveDot(z, b, int32(g[0]*g[1]))
	}
}

// BottomColumns is the size below which one block beats launches over the whole GPU. On an H200, levels of 30 x 30
// columns and below took 128 us in one block and about 100 us in separate launches, those of 15 x 15 and below less
// than half.
func (s *gpuOperations) BottomColumns() int { return min(256, mostBottomCells/s.NZ) }

// Every GPU gives a block 64 KB of shared memory, which takes all levels below one of mostBottomCells cells, except the
// pads of very long ones.
const bottomBytes, mostBottomCells = 64 << 10, 3900

// Bottom prepares the kernel that cycles over small levels in one block. Columns beyond its classes do without.
func (s *gpuOperations) Bottom(rungs []Rung, c Smoothing) (cycle func(), err error) {
	if class := lineClass(s.NZ); class == anyLength || class > LinesKeep || len(rungs) > LinesRungs {
		return nil, nil
	}
	list := make([]LinesRung, len(rungs))
	for n, r := range rungs {
		l := r.Level.(*gpuLevel)
		t := &l.next
		list[n] = LinesRung{
			Nx: int64(l.nx), Ny: int64(l.ny), Gx: l.gx, Gy: l.gy, Gz: l.gz, Inverse: l.inverse, Ground: l.ground,
			Capacity: l.capacity, B: cuda.F32(r.B), Z: cuda.F32(r.Z), FirstX: t.x.first, NearX: t.x.parent,
			BeyondX: t.x.beyond, FarX: t.x.far, FirstY: t.y.first, NearY: t.y.parent, BeyondY: t.y.beyond,
			FarY: t.y.far, WeightSlot: t.weightSlot, Wx: t.wx, Wy: t.wy,
		}
	}
	room := bottomRoom(list, s.NZ)
	if 4*room > bottomBytes-LinesRungs*int(unsafe.Sizeof(LinesRung{})+4) {
		return nil, nil
	}
	onDev := cuda.Upload(s.Space, list)
	return func() {
		if s.Ready() {
			cuda.LaunchShared(s.Space, &s.lines.Bottom, [3]uint32{1, 1, 1}, uint32(4*room), LinesBottomArgs{
				List: onDev, Count: int32(len(list)), Nz: int32(s.NZ), GroundSlot: s.GroundSlot, First: c.First,
				Momentum: c.Momentum, Second: c.Second, Room: int32(room),
			})
		}
	}, s.Err()
}

// bottomRoom is how many values the kernel keeps: three vectors of each level, and pads of a row before, between and
// behind those of solutions.
func bottomRoom(list []LinesRung, nz int) (values int) {
	for _, l := range list {
		values += 3 * int(l.Nx) * (int(l.Ny)*nz + 1)
	}
	return values
}
