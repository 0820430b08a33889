package parac

import (
	"math"
	"slices"
	"sync/atomic"

	"thermsim/gpusolve/reuse"
)

// sortGrain is the number of unknowns that a worker takes at a time.
const sortGrain = 1 << 12

// inRanges runs body over [0, n) in pieces, on all workers.
func (e *hostElimination) inRanges(n int, body func(lo, hi int)) {
	var next atomic.Int64
	e.each(func(int) {
		for {
			lo := int(next.Add(sortGrain)) - sortGrain
			if lo >= n {
				return
			}
			body(lo, min(n, lo+sortGrain))
		}
	})
}

// sortLines sorts the entries of every line from first[i] to first[i+1] by their places, which differ within a line.
func (e *hostElimination) sortLines(first []int64, at []int32, v []float32) {
	e.inRanges(len(first)-1, func(lo, hi int) {
		var packed []uint64
		for i := lo; i < hi; i++ {
			places, values := at[first[i]:first[i+1]], v[first[i]:first[i+1]]
			if slices.IsSorted(places) {
				continue
			}
			packed = packed[:0]
			for n, p := range places {
				packed = append(packed, uint64(p)<<32|uint64(math.Float32bits(values[n])))
			}
			slices.Sort(packed)
			for n, p := range packed {
				places[n], values[n] = int32(p>>32), math.Float32frombits(uint32(p))
			}
		}
	})
}

// turn makes rows of columns, or the other way: the entries of the lines that begin at first, into those that begin at
// begin, sorted.
func (e *hostElimination) turn(first []int64, at []int32, v []float32, begin []int64, to []int32, w []float32) {
	next := append(reuse.Make[int64](e.arrays, len(begin))[:0], begin...)
	e.inRanges(len(first)-1, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			for i := first[c]; i < first[c+1]; i++ {
				place := atomic.AddInt64(&next[at[i]], 1) - 1
				to[place], w[place] = int32(c), v[i]
			}
		}
	})
	e.sortLines(begin, to, w)
}

// raiseTo is a maximum that many workers add to.
func raiseTo(most *atomic.Int64, v int64) {
	for {
		before := most.Load()
		if before >= v || most.CompareAndSwap(before, v) {
			return
		}
	}
}
