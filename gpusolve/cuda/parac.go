package cuda

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse/ordering"
)

var _ ops.Cholesky = (*Space)(nil)

// paracModules are the kernels of the randomised factor.
type paracModules struct {
	sort   *kernels.Paracsort
	parac  *kernels.Parac
	levels *kernels.Levels
}

func (d *Device) paracModules() (m paracModules, err error) {
	if m.sort, err = Module(d, "paracsort", kernels.LoadParacsort); err != nil {
		return m, err
	}
	if m.parac, err = Module(d, "parac", kernels.LoadParac); err != nil {
		return m, err
	}
	m.levels, err = Module(d, "levels", kernels.LoadLevels)
	return m, err
}

// headroom is how many doublings of the diagonal a ground may grow, at first.
const headroom = 10

// Waits inside kernels are bounded, in polls of some 0.3 us or more: in an elimination by the time that its last, sequential part may take, in a solve by
// a few seconds. A longer one means that something is broken.
const eliminatePatience, solvePatience = 1 << 28, 1 << 23

// elimination is the making of a factor: what it reads, and memory that goes when it is done.
type elimination struct {
	*Space
	paracModules
	a      *Rows
	how    ops.Elimination
	n      int64
	width  int32
	memory Temporary

	order, place cu.Ptr[uint32] // rows in the order of elimination, and the other way
	vertices     cu.Ptr[kernels.Vertex]
	control      cu.Ptr[uint64]
	first        cu.Ptr[int64] // columns in output, by place
	count        cu.Ptr[uint32]
	pivot        cu.Ptr[float64]
	output       cu.Ptr[uint64]
	// Sizes that are guessed, and how far grounds may grow.
	stride             uint32
	outputs, scratches int64
	headroom           int32
}

// EliminateRandomly builds a factor on the GPU.
func (s *Space) EliminateRandomly(a ops.Rows, how ops.Elimination) (ops.CholeskyFactor, error) {
	m, err := s.paracModules()
	if err != nil {
		return nil, err
	}
	if how.Order == ops.AnyOrder {
		how.Order = ops.ByEntries
	}
	if how.Room == 0 {
		how.Room = 1
	}
	r := a.(*Rows)
	if how.Cover {
		m := r.Download().DoubleCover()
		r = &Rows{s: s, n: int64(m.N()), entries: int64(m.Entries()), rowPtr: Upload(s, m.RowPtr), col: Upload(s, m.Col), val: Upload(s, m.Val)}
		defer r.Release()
	}
	e := &elimination{
		Space: s, paracModules: m, memory: Temporary{s: s}, a: r, how: how, n: r.n, width: int32(max(1, bits.Len64(uint64(r.n-1)))), headroom: headroom,
	}
	if e.n >= 1<<31 {
		return nil, fmt.Errorf("%w, of fewer than 2^31 rows", ops.ErrUnsuitable)
	}
	defer e.memory.Discard()
	start := time.Now()
	e.sortRows()
	e.guess()
	retries := 0
	for ; ; retries++ {
		kept := len(e.memory.all)
		again, err := e.eliminate()
		if err != nil {
			return nil, err
		}
		if !again {
			break
		}
		s.Discard(e.memory.all[kept:]...)
		e.memory.all = e.memory.all[:kept]
	}
	built := time.Now()
	f := e.factor()
	s.Wait()
	if s.err != nil {
		return nil, s.err
	}
	f.report.Order, f.report.Retries = how.Order, retries
	f.report.Fill = 2 * float64(f.report.Entries+e.n) / float64(max(1, r.entries))
	f.report.Factor, f.report.Sort = built.Sub(start).Seconds(), time.Since(built).Seconds()
	return f, nil
}

// over is the grid of kernels with a thread for each of n.
func over(n int64, threads int) [3]uint32 {
	return [3]uint32{uint32((n + int64(threads) - 1) / int64(threads)), 1, 1}
}

// sortRows fills order and place.
func (e *elimination) sortRows() {
	e.order, e.place, e.control = Take[uint32](&e.memory, e.n), Take[uint32](&e.memory, e.n), Take[uint64](&e.memory, kernels.ParacControls)
	wide := over(e.n, kernels.ParacsortThreads)
	if e.how.Order == ops.MinimumDegree {
		a := e.a.Download()
		if e.err != nil {
			return
		}
		Send(e.Space, signed(e.order), ordering.MinimumDegree(a.RowPtr, a.Col))
	} else {
		p := ordering.NewPermutation(int(e.n), e.how.Seed)
		if e.Ready() {
			e.Note(e.sort.List(e.Stream, wide, kernels.ParacsortListArgs{
				N: int32(e.n), Random: 1, Width: e.width, Key0: p.Keys[0], Key1: p.Keys[1], Items: e.order,
			}))
		}
		if e.how.Order == ops.ByEntries {
			keys := Alloc[uint32](e.Space, e.n)
			if e.Ready() {
				e.Note(e.sort.Degrees(e.Stream, wide, kernels.ParacsortDegreesArgs{
					N: int32(e.n), RowPtr: e.a.rowPtr, Keys: keys, Control: e.control,
				}))
			}
			e.sortBy(keys, uint32(e.readControl()[kernels.ParacDegree]))
			e.Discard(keys)
		}
	}
	if e.Ready() {
		e.Note(e.sort.Invert(e.Stream, wide, kernels.ParacsortInvertArgs{N: int32(e.n), Items: e.order, Place: e.place}))
	}
}

// sortBy sorts order by keys up to greatest, keeping the order of equal ones.
func (e *elimination) sortBy(keys cu.Ptr[uint32], greatest uint32) {
	tiles := over(e.n, kernels.ParacsortTile)
	digits := 256 * int64(tiles[0])
	counts, first, other := Alloc[uint32](e.Space, digits), Alloc[int64](e.Space, digits+1), Take[uint32](&e.memory, e.n)
	for shift := int32(0); greatest>>shift > 0; shift += 8 {
		if !e.Ready() {
			return
		}
		e.Note(e.sort.CountDigits(e.Stream, tiles, kernels.ParacsortCountDigitsArgs{
			N: int32(e.n), Shift: shift, Items: e.order, Keys: keys, Counts: counts,
		}))
		e.sums(digits, counts, first)
		if e.Ready() {
			e.Note(e.sort.Place(e.Stream, tiles, kernels.ParacsortPlaceArgs{
				N: int32(e.n), Shift: shift, Items: e.order, Keys: keys, First: first, Sorted: other,
			}))
		}
		e.order, other = other, e.order
	}
	e.Discard(counts, first)
}

// sums sets first[i] to the sum of the n counts before i, and first[n] to all.
func (e *elimination) sums(n int64, counts cu.Ptr[uint32], first cu.Ptr[int64]) {
	tiles := over(n, kernels.ParacsortTile)
	partial := Alloc[uint64](e.Space, int64(tiles[0]))
	if e.Ready() {
		e.Note(e.sort.TileSums(e.Stream, tiles, kernels.ParacsortTileSumsArgs{N: n, Counts: counts, Sums: partial}))
		e.Note(e.sort.ScanSums(e.Stream, [3]uint32{1, 1, 1}, kernels.ParacsortScanSumsArgs{Tiles: int64(tiles[0]), Sums: partial}))
		e.Note(e.sort.Starts(e.Stream, tiles, kernels.ParacsortStartsArgs{N: n, Counts: counts, Sums: partial, First: first}))
	}
	e.Discard(partial)
}

func (e *elimination) readControl() []uint64 {
	v := make([]uint64, kernels.ParacControls)
	Receive(e.Space, v, e.control)
	return v
}

// guess sizes the memory of the elimination. The edges that wait never outnumber those of the matrix: each elimination takes at least one edge more
// than it makes. What G holds is known from experience: about 3.5 entries an edge on grids, less on sparser graphs.
func (e *elimination) guess() {
	edges := float64(e.a.entries-e.n) / 2
	room := e.how.Room
	e.stride = uint32(max(math.Ceil(room*1.5*edges/float64(e.n)), 1))
	e.outputs = int64(room * (4.2*edges + 2*float64(e.n) + 64))
	e.scratches = int64(room * (2048*float64(e.eliminateGrid()[0]*kernels.ParacWarps) + float64(e.n)))
}

// eliminate makes the columns, and reports true where it has to be done again with more memory.
func (e *elimination) eliminate() (again bool, err error) {
	pieces := primeFrom(max(3, e.n*int64(e.stride)/32+1))
	slots := 32 * pieces
	if slots >= 1<<32 {
		return false, fmt.Errorf("%w, of fewer than 2^32 entries", ops.ErrUnsuitable)
	}
	m := &e.memory
	queue := Take[uint32](m, e.n)
	owner, table, reached, scratch := Take[uint32](m, slots), Take[uint64](m, 2*slots), Take[uint32](m, e.n), Take[uint64](m, 4*e.scratches)
	e.vertices = Take[kernels.Vertex](m, e.n)
	e.first, e.count, e.pivot, e.output = Take[int64](m, e.n), Take[uint32](m, e.n), Take[float64](m, e.n), Take[uint64](m, e.outputs)
	control := make([]uint64, kernels.ParacControls)
	control[kernels.ParacBad] = math.MaxUint64
	Send(e.Space, e.control, control)
	if e.Ready() {
		e.Note(e.parac.Begin(e.Stream, over(e.n, kernels.ParacThreads), kernels.ParacBeginArgs{
			N: int32(e.n), Headroom: e.headroom, Mirrored: 0, Place: e.place, RowPtr: e.a.rowPtr, Col: e.a.col, Val: e.a.val,
			Vertices: e.vertices, Queue: queue, Control: e.control,
		}))
	}
	control = e.readControl()
	if e.err != nil {
		return false, e.err
	}
	if bad := control[kernels.ParacBad]; bad != math.MaxUint64 {
		return false, fmt.Errorf("%w: %w", ops.ErrUnsuitable, whatIsBad(bad))
	}
	p := ordering.NewPermutation(int(e.n), ^e.how.Seed)
	e.Note(e.parac.Eliminate(e.Stream, e.eliminateGrid(), kernels.ParacEliminateArgs{
		N: int32(e.n), Order: e.order, Place: e.place, RowPtr: e.a.rowPtr, Col: e.a.col, Val: e.a.val, Vertices: e.vertices,
		Queue: queue, Control: e.control, Owner: owner, Slots: table, Reached: reached, Pieces: uint32(pieces), Stride: e.stride,
		Width: e.width, Key0: p.Keys[0], Key1: p.Keys[1], First: e.first, Count: e.count, Pivot: e.pivot, Output: e.output,
		Outputs: e.outputs, Scratch: scratch, Scratches: e.scratches, Seed: e.how.Seed, Patience: eliminatePatience,
	}))
	control = e.readControl()
	if e.err != nil {
		return false, e.err
	}
	if again, err = e.grow(control[kernels.ParacFault]); again || err != nil {
		return again, err
	}
	done := []cu.Pointer{queue, owner, table, reached, scratch} // room for what comes next
	e.keep(done...)
	e.Discard(done...)
	return false, nil
}

// eliminateBlocks is how many blocks of the elimination a multiprocessor gets. It need not hold them all: vertices are handed out one by one.
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

func (e *elimination) eliminateGrid() [3]uint32 {
	const each = 8 * kernels.ParacWarps // vertices that make a block worth while
	return [3]uint32{uint32(max(1, min((e.n+each-1)/each, int64(eliminateBlocks*e.Multiprocessors)))), 1, 1}
}

// grow makes room for what a fault says was missing.
func (e *elimination) grow(fault uint64) (again bool, err error) {
	if fault&(kernels.ParacWaited|kernels.ParacLost) != 0 {
		return false, fmt.Errorf("the elimination on the GPU got stuck (%d); this is a defect of thermsim, please report it", fault)
	}
	if fault&kernels.ParacNoSlot != 0 {
		e.stride *= 2
	}
	if fault&kernels.ParacNoOutput != 0 {
		e.outputs *= 2
	}
	if fault&kernels.ParacNoScratch != 0 {
		e.scratches *= 4
	}
	if fault&kernels.ParacGround != 0 {
		if e.headroom += 10; e.headroom > 50 {
			return false, fmt.Errorf("%w: grounds grow beyond 2^40 times the diagonal", ops.ErrUnsuitable)
		}
	}
	return fault != 0, nil
}

// whatIsBad names a row and why it will not do.
func whatIsBad(bad uint64) error {
	row := bad/8 + 1
	switch bad % 8 {
	case kernels.ParacPositive:
		return fmt.Errorf("row %d has an entry beside the diagonal that is positive or not a number: %w", row, ops.ErrPositive)
	case kernels.ParacAsymmetric:
		return fmt.Errorf("the matrix is not symmetric: row %d differs from column %d", row, row)
	case kernels.ParacDiagonal:
		return fmt.Errorf("the diagonal of row %d must be positive, and between 1e-270 and 1e270", row)
	}
	return fmt.Errorf("row %d is not diagonally dominant: its diagonal is below the sum of its couplings", row)
}
