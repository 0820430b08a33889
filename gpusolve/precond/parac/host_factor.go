package parac

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/reuse"
)

// levels is the structure of G D G^T on the processor with its unknowns sorted by level, by row inside a level: an
// unknown depends on lower levels in the forward substitution, and on higher ones in the backward one.
type levels struct {
	order  []int32 // place in the factor -> row of the matrix
	starts []int32 // where each level begins, and the end

	first []int64 // columns of G below the diagonal
	row   []int32
	begin []int64 // rows of G left of the diagonal
	col   []int32

	pivot  []float64 // D
	height int       // of the elimination tree
}

// levelFactor is the factor in the precision of its solves. Entries are -G, which is not negative.
type levelFactor[T float32 | float64] struct {
	levels
	share   []T // by columns
	weight  []T // by rows
	inverse []T // 1/D, 0 where D is 0
	y       []T // scratch of the solves
}

// triangles are a levelFactor of either precision.
type triangles interface {
	solve(s *host.Space, z, r []float32)
	structure() *levels
	size() int64
}

func (f *levels) structure() *levels { return f }

// factor sorts what the workers have left.
func (e *hostElimination) factor() triangles {
	if e.double {
		return sortedFactor(e, func(w *eliminator) []float64 { return w.doubles })
	}
	return sortedFactor(e, func(w *eliminator) []float32 { return w.shares })
}

func sortedFactor[T float32 | float64](e *hostElimination, shares func(*eliminator) []T) *levelFactor[T] {
	n := len(e.order)
	l := e.arrays
	f := &levelFactor[T]{levels: levels{order: reuse.Make[int32](l, n), first: reuse.Make[int64](l, n+1),
		begin: reuse.Make[int64](l, n+1), pivot: reuse.Make[float64](l, n)},
		inverse: reuse.Make[T](l, n), y: reuse.Make[T](l, n)}
	to := e.byLevel(&f.levels)
	e.inRanges(n, func(lo, hi int) {
		for at := lo; at < hi; at++ {
			f.first[at+1] = int64(e.columns[e.position[f.order[at]]].count)
		}
	})
	sum(f.first)
	entries := int(f.first[n])
	f.row, f.share = reuse.Make[int32](l, entries), reuse.Make[T](l, entries)
	f.col, f.weight = reuse.Make[int32](l, entries), reuse.Make[T](l, entries)
	e.inRanges(n, func(lo, hi int) {
		for at := lo; at < hi; at++ {
			c := e.columns[e.position[f.order[at]]]
			w := &e.workers[c.worker]
			f.copyColumn(at, c, w.rows, shares(w), to)
		}
	})
	sum(f.begin)
	sortLines(e, f.first, f.row, f.share)
	f.turn(e)
	return f
}

// copyColumn takes a column of the elimination to place at of the factor, and counts its entries by rows, each in the
// place after its row's.
func (f *levelFactor[T]) copyColumn(at int, c column, rows []int32, shares []T, to []int32) {
	for i := range int64(c.count) {
		r := to[rows[c.first+i]]
		f.row[f.first[at]+i], f.share[f.first[at]+i] = r, shares[c.first+i]
		atomic.AddInt64(&f.begin[r+1], 1)
	}
	f.pivot[at] = c.pivot
	if c.pivot > 0 {
		f.inverse[at] = T(1 / c.pivot)
	}
}

// sum turns the lengths of lines, each in the place after its line's, into where they begin.
func sum(first []int64) {
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
}

// longest is the number of entries of the longest column.
func (f *levels) longest() (most int) {
	for c := range len(f.first) - 1 {
		most = max(most, int(f.first[c+1]-f.first[c]))
	}
	return most
}

// byLevel fills order, starts and height, and returns the places in the factor of the elimination's places.
func (e *hostElimination) byLevel(f *levels) []int32 {
	depth := int32(0)
	for k := range e.vertices {
		depth = max(depth, e.vertices[k].level.Load()+1)
		f.height = max(f.height, int(e.vertices[k].height.Load())+1)
	}
	f.starts = reuse.Make[int32](e.arrays, int(depth)+1)
	for k := range e.vertices {
		f.starts[e.vertices[k].level.Load()+1]++
	}
	for l := range depth {
		f.starts[l+1] += f.starts[l]
	}
	next := append([]int32(nil), f.starts...)
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
func (f *levelFactor[T]) size() int64 {
	number := int64(unsafe.Sizeof(f.y[0]))
	return int64(len(f.row))*(8+2*number) + int64(len(f.order))*(28+8+2*number)
}

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
func sortLines[T float32 | float64](e *hostElimination, first []int64, at []int32, v []T) {
	e.inRanges(len(first)-1, func(lo, hi int) {
		var packed []uint64
		var unsorted []T
		for i := lo; i < hi; i++ {
			places, values := at[first[i]:first[i+1]], v[first[i]:first[i+1]]
			if slices.IsSorted(places) {
				continue
			}
			packed, unsorted = packed[:0], append(unsorted[:0], values...)
			for n, p := range places {
				packed = append(packed, uint64(p)<<32|uint64(n))
			}
			slices.Sort(packed)
			for n, p := range packed {
				places[n], values[n] = int32(p>>32), unsorted[uint32(p)]
			}
		}
	})
}

// turn makes rows of the columns.
func (f *levelFactor[T]) turn(e *hostElimination) {
	next := append(reuse.Make[int64](e.arrays, len(f.begin))[:0], f.begin...)
	e.inRanges(len(f.first)-1, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			for i := f.first[c]; i < f.first[c+1]; i++ {
				slot := atomic.AddInt64(&next[f.row[i]], 1) - 1
				f.col[slot], f.weight[slot] = int32(c), f.share[i]
			}
		}
	})
	sortLines(e, f.begin, f.col, f.weight)
}

// solve sets z = (G D G^T)^-1 r, level by level on all workers: G y = r, then D G^T x = y in place. y stays in the
// order of the factor.
func (f *levelFactor[T]) solve(s *host.Space, z, r []float32) {
	y := f.y
	perRow := 2 + len(f.row)/max(1, len(f.order))
	for l := range len(f.starts) - 1 {
		first, n := int(f.starts[l]), int(f.starts[l+1]-f.starts[l])
		s.Loop(n, n*perRow, func(lo, hi, _ int) { f.forward(first+lo, first+hi, y, r) })
	}
	for l := len(f.starts) - 2; l >= 0; l-- {
		first, n := int(f.starts[l]), int(f.starts[l+1]-f.starts[l])
		s.Loop(n, n*perRow, func(lo, hi, _ int) { f.backward(first+lo, first+hi, y, z) })
	}
}

func (f *levelFactor[T]) forward(lo, hi int, y []T, r []float32) {
	for at := lo; at < hi; at++ {
		sum := T(r[f.order[at]])
		for i := f.begin[at]; i < f.begin[at+1]; i++ {
			sum += f.weight[i] * y[f.col[i]]
		}
		y[at] = sum
	}
}

func (f *levelFactor[T]) backward(lo, hi int, y []T, z []float32) {
	for at := lo; at < hi; at++ {
		sum := y[at] * f.inverse[at]
		for i := f.first[at]; i < f.first[at+1]; i++ {
			sum += f.share[i] * y[f.row[i]]
		}
		y[at] = sum
		z[f.order[at]] = float32(sum)
	}
}
