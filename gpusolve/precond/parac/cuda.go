package parac

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/sparse/ordering"
)

// gpuOperations are those on a GPU.
type gpuOperations struct{ s *cuda.Space }

func onGPU(a ops.Operator) (operations, bool, error) {
	s, ok := cuda.SpaceOf(a)
	return gpuOperations{s}, ok, nil
}

// modules are the kernels of the method.
type modules struct {
	sort   *Sort
	parac  *Kernels
	levels *Levels
}

func loadModules(d *cuda.Device) (m modules, err error) {
	if m.sort, err = cuda.Module(d, "parac.sort", LoadSort); err != nil {
		return m, err
	}
	if m.parac, err = cuda.Module(d, "parac", LoadKernels); err != nil {
		return m, err
	}
	m.levels, err = cuda.Module(d, "parac.levels", LoadLevels)
	return m, err
}

// Waits inside kernels are bounded, in polls of some 0.3 us or more: in an elimination by the time that its last,
// sequential part may take, in a solve by a few seconds. A longer one means that something is broken.
const eliminatePatience, solvePatience = 1 << 28, 1 << 23

// cudaElimination is the making of a factor: what it reads, and memory that goes when it is done.
type cudaElimination struct {
	*cuda.Space
	modules
	rowsRead
	how choices
	// ordered is how long the processor took for the order.
	ordered time.Duration
	n       int64
	width   int32
	// Memory of the whole, and that of one attempt with the sizes below.
	memory, attempt *cuda.Temporary

	order, position cudriver.Ptr[uint32] // rows in the order of elimination, and the other way
	vertices        cudriver.Ptr[Vertex]
	control         cudriver.Ptr[uint64]
	first           cudriver.Ptr[int64] // columns in output, by place
	count           cudriver.Ptr[uint32]
	pivot           cudriver.Ptr[float64]
	output          cudriver.Ptr[uint64]
	guesses
}

// rowsRead is the matrix.
type rowsRead struct {
	a      *cuda.Rows
	rowPtr cudriver.Ptr[int64] // of a, like col and val
	col    cudriver.Ptr[int32]
	val    cudriver.Ptr[float64]
}

// guesses are sizes that are not known before the elimination, and how far grounds may grow.
type guesses struct {
	stride             uint32
	outputs, scratches int64
	headroom           int32
}

func (x gpuOperations) eliminate(a ops.Rows, how choices) (factor, error) {
	if how.double {
		return nil, fmt.Errorf("%w: precision=fp64 runs on the CPU only. Fix: choose --device cpu, or omit precision",
			precond.ErrRefused)
	}
	m, err := loadModules(x.s.Device)
	if err != nil {
		return nil, err
	}
	if how.order == AnyOrder {
		how.order = ByEntries
	}
	if how.memoryFactor == 0 {
		how.memoryFactor = 1
	}
	r := a.(*cuda.Rows)
	if how.cover {
		r = cuda.UploadRows(x.s, r.Download().DoubleCover())
		defer r.Release()
	}
	e := &cudaElimination{Space: x.s, modules: m, memory: cuda.NewTemporary(x.s), attempt: cuda.NewTemporary(x.s),
		rowsRead: rowsRead{a: r}, how: how, n: int64(r.Len()), guesses: guesses{headroom: headroom}}
	if e.n >= 1<<31 {
		return nil, fmt.Errorf("%w, of fewer than 2^31 rows", errUnsuitable)
	}
	e.rowPtr, e.col, e.val = r.Arrays()
	e.width = int32(max(1, bits.Len64(uint64(e.n-1))))
	defer e.memory.Discard()
	defer func() { e.attempt.Discard() }()
	return e.make()
}

// make orders, eliminates with as much memory as it takes, and sorts.
func (e *cudaElimination) make() (factor, error) {
	start := time.Now()
	e.sortRows()
	e.guess()
	retries := 0
	for ; ; retries++ {
		again, err := e.eliminate()
		if err != nil {
			return nil, err
		}
		if !again {
			break
		}
		e.attempt.Discard()
		e.attempt = cuda.NewTemporary(e.Space)
	}
	built := time.Now()
	f := e.factor()
	e.Wait()
	if err := e.Err(); err != nil {
		return nil, err
	}
	f.about.Order, f.about.Ordering, f.about.Retries = e.how.order, e.ordered.Seconds(), retries
	f.about.Fill = 2 * float64(f.about.Entries+e.n) / float64(max(1, e.a.Entries()))
	f.about.Factor, f.about.Sort = built.Sub(start).Seconds(), time.Since(built).Seconds()
	return f, nil
}

// sortRows fills order and position.
func (e *cudaElimination) sortRows() {
	e.order, e.position, e.control = cuda.Take[uint32](e.memory, e.n), cuda.Take[uint32](e.memory, e.n),
		cuda.Take[uint64](e.memory, Controls)
	wide := cuda.Over(e.n, SortThreads)
	if e.how.order == MinimumDegree {
		a := e.a.Download()
		if e.Err() != nil {
			return
		}
		began := time.Now()
		order := ordering.MinimumDegree(a.RowPtr, a.Col)
		e.ordered = time.Since(began)
		cuda.Send(e.Space, signed(e.order), order)
	} else {
		p := ordering.NewPermutation(int(e.n), e.how.seed)
		cuda.Launch(e.Space, &e.sort.List, wide,
			SortListArgs{N: int32(e.n), Random: 1, Width: e.width, Key0: p.Keys[0], Key1: p.Keys[1], Items: e.order})
		if e.how.order == ByEntries {
			keys := cuda.Alloc[uint32](e.Space, e.n)
			cuda.Launch(e.Space, &e.sort.Degrees, wide,
				SortDegreesArgs{N: int32(e.n), RowPtr: e.rowPtr, Keys: keys, Control: e.control})
			e.sortBy(keys, uint32(e.readControl()[ControlDegree]))
			e.Discard(keys)
		}
	}
	cuda.Launch(e.Space, &e.sort.Invert, wide, SortInvertArgs{N: int32(e.n), Items: e.order, Place: e.position})
}

// sortBy sorts order by keys up to greatest, keeping the order of equal ones.
func (e *cudaElimination) sortBy(keys cudriver.Ptr[uint32], greatest uint32) {
	tiles := cuda.Over(e.n, SortTile)
	digits := 256 * int64(tiles[0])
	counts, first, other := cuda.Alloc[uint32](e.Space, digits), cuda.Alloc[int64](e.Space, digits+1),
		cuda.Take[uint32](e.memory, e.n)
	for shift := int32(0); greatest>>shift > 0; shift += 8 {
		cuda.Launch(e.Space, &e.sort.CountDigits, tiles,
			SortCountDigitsArgs{N: int32(e.n), Shift: shift, Items: e.order, Keys: keys, Counts: counts})
		e.sums(digits, counts, first)
		cuda.Launch(e.Space, &e.sort.Place, tiles,
			SortPlaceArgs{N: int32(e.n), Shift: shift, Items: e.order, Keys: keys, First: first, Sorted: other})
		e.order, other = other, e.order
	}
	e.Discard(counts, first)
}

// sums sets first[i] to the sum of the n counts before i, and first[n] to all.
func (e *cudaElimination) sums(n int64, counts cudriver.Ptr[uint32], first cudriver.Ptr[int64]) {
	tiles := cuda.Over(n, SortTile)
	partial := cuda.Alloc[uint64](e.Space, int64(tiles[0]))
	cuda.Launch(e.Space, &e.sort.TileSums, tiles, SortTileSumsArgs{N: n, Counts: counts, Sums: partial})
	cuda.Launch(e.Space, &e.sort.ScanSums, [3]uint32{1, 1, 1}, SortScanSumsArgs{Tiles: int64(tiles[0]), Sums: partial})
	cuda.Launch(e.Space, &e.sort.Starts, tiles, SortStartsArgs{N: n, Counts: counts, Sums: partial, First: first})
	e.Discard(partial)
}

func (e *cudaElimination) readControl() []uint64 {
	v := make([]uint64, Controls)
	cuda.Receive(e.Space, v, e.control)
	return v
}

// guess sizes the memory of the elimination. The edges that wait never outnumber those of the matrix: each elimination
// takes at least one edge more than it makes. What G holds is known from experience: about 3.5 entries an edge on
// grids, less on sparser graphs.
func (e *cudaElimination) guess() {
	edges := float64(e.a.Entries()-e.n) / 2
	factor := e.how.memoryFactor
	e.stride = uint32(max(math.Ceil(factor*1.5*edges/float64(e.n)), 1))
	e.outputs = int64(factor * (4.2*edges + 2*float64(e.n) + 64))
	e.scratches = int64(factor * (2048*float64(e.eliminateGrid()[0]*KernelsWarps) + float64(e.n)))
}

// eliminate makes the columns, and reports true where it has to be done again with more memory.
func (e *cudaElimination) eliminate() (again bool, err error) {
	pieces := primeFrom(max(3, e.n*int64(e.stride)/32+1))
	slots := 32 * pieces
	if slots >= 1<<32 {
		return false, fmt.Errorf("%w, of fewer than 2^32 entries", errUnsuitable)
	}
	m := e.attempt
	queue := cuda.Take[uint32](m, e.n)
	owner, table, reached, scratch := cuda.Take[uint32](m, slots), cuda.Take[uint64](m, 2*slots),
		cuda.Take[uint32](m, e.n), cuda.Take[uint64](m, 4*e.scratches)
	e.vertices = cuda.Take[Vertex](m, e.n)
	e.first, e.count, e.pivot, e.output = cuda.Take[int64](m, e.n), cuda.Take[uint32](m, e.n),
		cuda.Take[float64](m, e.n), cuda.Take[uint64](m, e.outputs)
	control := make([]uint64, Controls)
	control[ControlBad] = math.MaxUint64
	cuda.Send(e.Space, e.control, control)
	cuda.Launch(e.Space, &e.parac.Begin, cuda.Over(e.n, KernelsThreads), KernelsBeginArgs{
		N: int32(e.n), Headroom: e.headroom, Mirrored: 0, Place: e.position, RowPtr: e.rowPtr, Col: e.col, Val: e.val,
		Vertices: e.vertices, Queue: queue, Control: e.control,
	})
	control = e.readControl()
	if e.Err() != nil {
		return false, e.Err()
	}
	if bad := control[ControlBad]; bad != math.MaxUint64 {
		return false, fmt.Errorf("%w: %w", errUnsuitable, whatIsBad(bad))
	}
	p := ordering.NewPermutation(int(e.n), ^e.how.seed)
	cuda.Launch(e.Space, &e.parac.Eliminate, e.eliminateGrid(), KernelsEliminateArgs{
		N: int32(e.n), Order: e.order, Place: e.position, RowPtr: e.rowPtr, Col: e.col, Val: e.val,
		Vertices: e.vertices, Queue: queue, Control: e.control, Owner: owner, Slots: table, Reached: reached,
		Pieces: uint32(pieces), Stride: e.stride, Width: e.width, Key0: p.Keys[0], Key1: p.Keys[1], First: e.first,
		Count: e.count, Pivot: e.pivot, Output: e.output, Outputs: e.outputs, Scratch: scratch, Scratches: e.scratches,
		Seed: e.how.seed, Patience: eliminatePatience,
	})
	control = e.readControl()
	if e.Err() != nil {
		return false, e.Err()
	}
	if again, err = e.grow(control[ControlFault]); again || err != nil {
		return again, err
	}
	done := []cudriver.Pointer{queue, owner, table, reached, scratch} // room for what comes next
	e.attempt.Keep(done...)
	e.Discard(done...)
	return false, nil
}

// eliminateBlocks is how many blocks of the elimination a multiprocessor gets. It need not hold them all: vertices are
// handed out one by one.
const eliminateBlocks = 8

// primeFrom is the first prime number from n on.
func primeFrom(n int64) int64 {
	for ; ; n++ {
		prime := n > 1
		for d := int64(2); prime && d*d <= n; d++ {
			prime = n%d != 0
		}
		if prime {
			return n
		}
	}
}

func (e *cudaElimination) eliminateGrid() [3]uint32 {
	const each = 8 * KernelsWarps // vertices that make a block worth while
	return [3]uint32{uint32(max(1, min((e.n+each-1)/each, int64(eliminateBlocks*e.Multiprocessors)))), 1, 1}
}

// grow makes room for what a fault says was missing.
func (e *cudaElimination) grow(fault uint64) (again bool, err error) {
	if fault&(FaultWaited|FaultLost) != 0 {
		return false,
			fmt.Errorf("the elimination on the GPU got stuck (%d); this is a defect of thermsim, please report it",
				fault)
	}
	if fault&FaultNoSlot != 0 {
		e.stride *= 2
	}
	if fault&FaultNoOutput != 0 {
		e.outputs *= 2
	}
	if fault&FaultNoScratch != 0 {
		e.scratches *= 4
	}
	if fault&FaultGround != 0 {
		if e.headroom += 10; e.headroom > 50 {
			return false, fmt.Errorf("%w: grounds grow beyond 2^40 times the diagonal", errUnsuitable)
		}
	}
	return fault != 0, nil
}

// whatIsBad names a row and why it will not do.
func whatIsBad(bad uint64) error {
	row := bad/8 + 1
	switch bad % 8 {
	case BadPositive:
		return fmt.Errorf("row %d has an entry beside the diagonal that is positive or not a number: %w", row,
			errPositive)
	case BadAsymmetric:
		return fmt.Errorf("the matrix is not symmetric: row %d differs from column %d", row, row)
	case BadDiagonal:
		return fmt.Errorf("the diagonal of row %d must be positive, and between 1e-270 and 1e270", row)
	}
	return fmt.Errorf("row %d is not diagonally dominant: its diagonal is below the sum of its couplings", row)
}
