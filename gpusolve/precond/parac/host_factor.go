package parac

import "thermsim/gpusolve/reuse"

// levelFactor is G D G^T on the processor with its unknowns sorted by level, by row inside a level: an unknown depends on lower levels in the forward substitution, and on
// higher ones in the backward one. Entries are -G, which is not negative.
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
		order: reuse.Make[int32](l, n), first: reuse.Make[int64](l, n+1), begin: reuse.Make[int64](l, n+1), inverse: reuse.Make[float32](l, n),
		pivot: reuse.Make[float64](l, n),
	}
	to := e.byLevel(f)
	entries := int64(0)
	for at, row := range f.order {
		f.first[at] = entries
		entries += int64(e.columns[e.place[row]].count)
	}
	f.first[n] = entries
	f.row, f.share = reuse.Make[int32](l, int(entries)), reuse.Make[float32](l, int(entries))
	for at, row := range f.order {
		k := e.place[row]
		c := e.columns[k]
		w := &e.workers[c.worker]
		for i := range int64(c.count) {
			r := to[w.rows[c.first+i]]
			f.row[f.first[at]+i], f.share[f.first[at]+i] = r, w.shares[c.first+i]
			f.begin[r+1]++
		}
		f.pivot[at] = c.pivot
		if c.pivot > 0 {
			f.inverse[at] = float32(1 / c.pivot)
		}
		f.height = max(f.height, int(e.vertices[k].height.Load())+1)
	}
	for r := range n {
		f.begin[r+1] += f.begin[r]
	}
	// Twice transposed, both sides are sorted.
	f.col, f.weight = transpose(l, f.first, f.row, f.share, f.begin)
	f.row, f.share = transpose(l, f.begin, f.col, f.weight, f.first)
	return f
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

// transpose turns columns into rows, or the other way: the lines that begin at first, into those that begin at begin.
func transpose(l *reuse.List, first []int64, at []int32, v []float32, begin []int64) (to []int32, w []float32) {
	next := append(reuse.Make[int64](l, len(begin))[:0], begin...)
	to, w = reuse.Make[int32](l, len(at)), reuse.Make[float32](l, len(v))
	for c := range len(first) - 1 {
		for i := first[c]; i < first[c+1]; i++ {
			r := at[i]
			to[next[r]], w[next[r]] = int32(c), v[i]
			next[r]++
		}
	}
	return to, w
}

// size is the memory of the factor in bytes.
func (f *levelFactor) size() int64 { return int64(len(f.row))*16 + int64(len(f.order))*36 }
