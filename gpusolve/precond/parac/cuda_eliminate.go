package parac

import (
	"fmt"
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/sparse/ordering"
)

// guess sizes the memory of the elimination. The edges that wait never outnumber those of the matrix: each elimination
// takes at least one edge more than it makes. What G holds is known from experience: about 3.5 entries an edge on
// grids, less on sparser graphs.
func (e *cudaElimination) guess() {
	edges := float64(e.a.Entries()-e.n) / 2
	room := e.how.room
	e.stride = uint32(max(math.Ceil(room*1.5*edges/float64(e.n)), 1))
	e.outputs = int64(room * (4.2*edges + 2*float64(e.n) + 64))
	e.scratches = int64(room * (2048*float64(e.eliminateGrid()[0]*KernelsWarps) + float64(e.n)))
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
	if e.Ready() {
		e.Note(e.parac.Begin(e.Stream, over(e.n, KernelsThreads), KernelsBeginArgs{
			N: int32(e.n), Headroom: e.headroom, Mirrored: 0, Place: e.place, RowPtr: e.rowPtr, Col: e.col, Val: e.val,
			Vertices: e.vertices, Queue: queue, Control: e.control,
		}))
	}
	control = e.readControl()
	if e.Err() != nil {
		return false, e.Err()
	}
	if bad := control[ControlBad]; bad != math.MaxUint64 {
		return false, fmt.Errorf("%w: %w", errUnsuitable, whatIsBad(bad))
	}
	p := ordering.NewPermutation(int(e.n), ^e.how.seed)
	e.Note(e.parac.Eliminate(e.Stream, e.eliminateGrid(), KernelsEliminateArgs{
		N: int32(e.n), Order: e.order, Place: e.place, RowPtr: e.rowPtr, Col: e.col, Val: e.val, Vertices: e.vertices,
		Queue: queue, Control: e.control, Owner: owner, Slots: table, Reached: reached, Pieces: uint32(pieces),
		Stride: e.stride,
		Width:  e.width, Key0: p.Keys[0], Key1: p.Keys[1], First: e.first, Count: e.count, Pivot: e.pivot,
		Output:  e.output,
		Outputs: e.outputs, Scratch: scratch, Scratches: e.scratches, Seed: e.how.seed, Patience: eliminatePatience,
	}))
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
