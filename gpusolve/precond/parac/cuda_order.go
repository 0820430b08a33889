package parac

import (
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/sparse/ordering"
)

// over is the grid of kernels with a thread for each of n.
func over(n int64, threads int) [3]uint32 {
	return [3]uint32{uint32((n + int64(threads) - 1) / int64(threads)), 1, 1}
}

// sortRows fills order and place.
func (e *cudaElimination) sortRows() {
	e.order, e.place, e.control = cuda.Take[uint32](e.memory, e.n), cuda.Take[uint32](e.memory, e.n),
		cuda.Take[uint64](e.memory, Controls)
	wide := over(e.n, SortThreads)
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
		if e.Ready() {
			e.Note(e.sort.List(e.Stream, wide, SortListArgs{
				N: int32(e.n), Random: 1, Width: e.width, Key0: p.Keys[0], Key1: p.Keys[1], Items: e.order,
			}))
		}
		if e.how.order == ByEntries {
			keys := cuda.Alloc[uint32](e.Space, e.n)
			if e.Ready() {
				e.Note(e.sort.Degrees(e.Stream, wide, SortDegreesArgs{
					N: int32(e.n), RowPtr: e.rowPtr, Keys: keys, Control: e.control,
				}))
			}
			e.sortBy(keys, uint32(e.readControl()[ControlDegree]))
			e.Discard(keys)
		}
	}
	if e.Ready() {
		e.Note(e.sort.Invert(e.Stream, wide, SortInvertArgs{N: int32(e.n), Items: e.order, Place: e.place}))
	}
}

// sortBy sorts order by keys up to greatest, keeping the order of equal ones.
func (e *cudaElimination) sortBy(keys cudriver.Ptr[uint32], greatest uint32) {
	tiles := over(e.n, SortTile)
	digits := 256 * int64(tiles[0])
	counts, first, other := cuda.Alloc[uint32](e.Space, digits), cuda.Alloc[int64](e.Space, digits+1),
		cuda.Take[uint32](e.memory, e.n)
	for shift := int32(0); greatest>>shift > 0; shift += 8 {
		if !e.Ready() {
			return
		}
		e.Note(e.sort.CountDigits(e.Stream, tiles, SortCountDigitsArgs{
			N: int32(e.n), Shift: shift, Items: e.order, Keys: keys, Counts: counts,
		}))
		e.sums(digits, counts, first)
		if e.Ready() {
			e.Note(e.sort.Place(e.Stream, tiles, SortPlaceArgs{
				N: int32(e.n), Shift: shift, Items: e.order, Keys: keys, First: first, Sorted: other,
			}))
		}
		e.order, other = other, e.order
	}
	e.Discard(counts, first)
}

// sums sets first[i] to the sum of the n counts before i, and first[n] to all.
func (e *cudaElimination) sums(n int64, counts cudriver.Ptr[uint32], first cudriver.Ptr[int64]) {
	tiles := over(n, SortTile)
	partial := cuda.Alloc[uint64](e.Space, int64(tiles[0]))
	if e.Ready() {
		e.Note(e.sort.TileSums(e.Stream, tiles, SortTileSumsArgs{N: n, Counts: counts, Sums: partial}))
		e.Note(e.sort.ScanSums(e.Stream, [3]uint32{1, 1, 1}, SortScanSumsArgs{Tiles: int64(tiles[0]), Sums: partial}))
		e.Note(e.sort.Starts(e.Stream, tiles, SortStartsArgs{N: n, Counts: counts, Sums: partial, First: first}))
	}
	e.Discard(partial)
}

func (e *cudaElimination) readControl() []uint64 {
	v := make([]uint64, Controls)
	cuda.Receive(e.Space, v, e.control)
	return v
}
