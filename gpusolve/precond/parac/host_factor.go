package parac

import (
	"sync/atomic"

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
	forward forwardTask
	back    backwardTask
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
			f.first[at+1] = int64(e.columns[e.place[f.order[at]]].count)
		}
	})
	sum(f.first)
	entries := int(f.first[n])
	f.row, f.share = reuse.Make[int32](l, entries), reuse.Make[float32](l, entries)
	f.col, f.weight = reuse.Make[int32](l, entries), reuse.Make[float32](l, entries)
	var height atomic.Int64
	e.inRanges(n, func(lo, hi int) {
		highest := int32(0)
		for at := lo; at < hi; at++ {
			k := e.place[f.order[at]]
			e.copyColumn(f, at, k, to)
			highest = max(highest, e.vertices[k].height.Load()+1)
		}
		raiseTo(&height, int64(highest))
	})
	f.height = int(height.Load())
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

// byLevel fills order and levels, and returns the places in the factor of the elimination's places.
func (e *hostElimination) byLevel(f *levelFactor) []int32 {
	depth := int32(0)
	for k := range e.vertices {
		depth = max(depth, e.vertices[k].level.Load()+1)
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
	for row, k := range e.place {
		l := e.vertices[k].level.Load()
		f.order[next[l]] = int32(row)
		to[k] = next[l]
		next[l]++
	}
	return to
}

// size is the memory of the factor in bytes.
func (f *levelFactor) size() int64 { return int64(len(f.row))*16 + int64(len(f.order))*36 }
