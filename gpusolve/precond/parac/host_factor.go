package parac

import (
	"math"
	"slices"
	"sync/atomic"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/reuse"
)

// levelFactor is G D G^T on the processor with its unknowns sorted by level, by row inside a level: an unknown depends
// on lower levels in the forward substitution, and on higher ones in the backward one. Entries are -G, which is not
// negative.
type levelFactor struct {
	order  []int32 // place in the factor -> row of the matrix
	levels []int32 // where each level begins, and the end

	first  []int64 // columns of G below the diagonal
	row    []int32
	share  []float32
	begin  []int64 // rows of G left of the diagonal
	col    []int32
	weight []float32

	inverse []float32 // 1/D, 0 where D is 0
	pivot   []float64 // D
	height  int       // of the elimination tree
}

// factor sorts what the workers have left.
func (e *hostElimination) factor() *levelFactor {
	n := len(e.order)
	l := e.arrays
	f := &levelFactor{
		order: reuse.Make[int32](l, n), first: reuse.Make[int64](l, n+1), begin: reuse.Make[int64](l, n+1),
		inverse: reuse.Make[float32](l, n),
		pivot:   reuse.Make[float64](l, n),
	}
	to := e.byLevel(f)
	e.inRanges(n, func(lo, hi int) {
		for at := lo; at < hi; at++ {
			f.first[at+1] = int64(e.columns[e.position[f.order[at]]].count)
		}
	})
	sum(f.first)
	entries := int(f.first[n])
	f.row, f.share = reuse.Make[int32](l, entries), reuse.Make[float32](l, entries)
	f.col, f.weight = reuse.Make[int32](l, entries), reuse.Make[float32](l, entries)
	e.inRanges(n, func(lo, hi int) {
		for at := lo; at < hi; at++ {
			e.copyColumn(f, at, e.position[f.order[at]], to)
		}
	})
	sum(f.begin)
	e.sortLines(f.first, f.row, f.share)
	e.turn(f.first, f.row, f.share, f.begin, f.col, f.weight)
	return f
}

// copyColumn takes column k of the elimination to place at of the factor, and counts its entries by rows, each in the
// place after its row's.
func (e *hostElimination) copyColumn(f *levelFactor, at int, k int32, to []int32) {
	c := e.columns[k]
	w := &e.workers[c.worker]
	for i := range int64(c.count) {
		r := to[w.rows[c.first+i]]
		f.row[f.first[at]+i], f.share[f.first[at]+i] = r, w.shares[c.first+i]
		atomic.AddInt64(&f.begin[r+1], 1)
	}
	f.pivot[at] = c.pivot
	if c.pivot > 0 {
		f.inverse[at] = float32(1 / c.pivot)
	}
}

// sum turns the lengths of lines, each in the place after its line's, into where they begin.
func sum(first []int64) {
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
}

// longest is the number of entries of the longest column.
func (f *levelFactor) longest() (most int) {
	for c := range len(f.first) - 1 {
		most = max(most, int(f.first[c+1]-f.first[c]))
	}
	return most
}

// byLevel fills order, levels and height, and returns the places in the factor of the elimination's places.
func (e *hostElimination) byLevel(f *levelFactor) []int32 {
	depth := int32(0)
	for k := range e.vertices {
		depth = max(depth, e.vertices[k].level.Load()+1)
		f.height = max(f.height, int(e.vertices[k].height.Load())+1)
	}
	f.levels = reuse.Make[int32](e.arrays, int(depth)+1)
	for k := range e.vertices {
		f.levels[e.vertices[k].level.Load()+1]++
	}
	for l := range depth {
		f.levels[l+1] += f.levels[l]
	}
	next := append([]int32(nil), f.levels...)
	to := reuse.Make[int32](e.arrays, len(e.order))
	for row, k := range e.position {
		l := e.vertices[k].level.Load()
		f.order[next[l]] = int32(row)
		to[k] = next[l]
		next[l]++
	}
	return to
}

// size is the memory of the factor in bytes, with the order of the elimination and the scratch of solves.
func (f *levelFactor) size() int64 { return int64(len(f.row))*16 + int64(len(f.order))*(36+8) }

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
				slot := atomic.AddInt64(&next[at[i]], 1) - 1
				to[slot], w[slot] = int32(c), v[i]
			}
		}
	})
	e.sortLines(begin, to, w)
}

// solve sets z = (G D G^T)^-1 r, level by level on all workers: G y = r, then D G^T x = y in place. y stays in the
// order of the factor.
func (f *levelFactor) solve(s *host.Space, z, r, y []float32) {
	perRow := 2 + len(f.row)/max(1, len(f.order))
	for l := range len(f.levels) - 1 {
		first, n := int(f.levels[l]), int(f.levels[l+1]-f.levels[l])
		s.Loop(n, n*perRow, func(lo, hi, _ int) { f.forward(first+lo, first+hi, y, r) })
	}
	for l := len(f.levels) - 2; l >= 0; l-- {
		first, n := int(f.levels[l]), int(f.levels[l+1]-f.levels[l])
		s.Loop(n, n*perRow, func(lo, hi, _ int) { f.backward(first+lo, first+hi, y, z) })
	}
}

func (f *levelFactor) forward(lo, hi int, y, r []float32) {
	for at := lo; at < hi; at++ {
		sum := r[f.order[at]]
		for i := f.begin[at]; i < f.begin[at+1]; i++ {
			sum += f.weight[i] * y[f.col[i]]
		}
		y[at] = sum
	}
}

func (f *levelFactor) backward(lo, hi int, y, z []float32) {
	for at := lo; at < hi; at++ {
		sum := y[at] * f.inverse[at]
		for i := f.first[at]; i < f.first[at+1]; i++ {
			sum += f.share[i] * y[f.row[i]]
		}
		y[at] = sum
		z[f.order[at]] = sum
	}
}
