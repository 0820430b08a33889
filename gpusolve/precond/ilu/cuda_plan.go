package ilu

import (
	"cmp"
	"slices"
)

// wavefront is the schedule of precond/ilu/wavefront.h for a grid: tiles of the plane of columns, in the order in which
// blocks take them.
type wavefront struct {
	order        int
	nx, ny, nz   int
	tileP, tileQ int
	// chunk is how many levels a tile completes between two messages to its neighbours: a power of two.
	chunk int32
	plan  []int32 // planEntries numbers a tile
}

// planEntries is the length of a tile's plan (see precond/ilu/wavefront.h): first column p and q, first and last level,
// the tiles to wait for (left, below, diagonal), and padding.
const planEntries = KernelsPlan

// newWavefront plans tiles of at most KernelsWide columns. Zero sizes are chosen.
func newWavefront(order int, shape [3]int, tileP, tileQ int) *wavefront {
	nx, ny, nz := shape[0], shape[1], shape[2]
	const most = KernelsWide
	if tileQ <= 0 {
		tileQ = (nz + (nz+7)/8 - 1) / ((nz + 7) / 8) // equal parts of up to 8
	}
	tileQ = min(tileQ, most/2)
	if tileP <= 0 {
		tileP = most
	}
	// Edges, tileP + tileQ + 1 columns, are read by one thread each.
	tileP = min(tileP, most/tileQ, most-tileQ-1)
	w := &wavefront{order: order, nx: nx, ny: ny, nz: nz, tileP: tileP, tileQ: tileQ,
		chunk: chunkOf(tileP, tileQ)}
	w.lay()
	return w
}

// chunkOf is the largest power of two up to 16 whose edge values fit into a block's shared memory.
func chunkOf(tileP, tileQ int) int32 {
	chunk := int32(2 * KernelsAhead)
	for 2*chunk <= 16 && 2*int(chunk)*(tileP+tileQ+1) <= KernelsKept {
		chunk *= 2
	}
	return chunk
}

// tile is a rectangle of the plane.
type tile struct {
	p, q, first, last int
}

// lay finds the tiles that hold columns and sorts them by the level of their lowest corner. That grows along p and q,
// so a tile comes after all that it waits for.
func (w *wavefront) lay() {
	width := w.ny + w.order*(w.nz-1)
	across, along := (width+w.tileP-1)/w.tileP, (w.nz+w.tileQ-1)/w.tileQ
	var tiles []tile
	for b := range across * along {
		t := tile{p: b % across * w.tileP, q: b / across * w.tileQ, first: -1}
		for q := t.q; q < min(t.q+w.tileQ, w.nz); q++ {
			lo, hi := max(t.p, w.order*q), min(t.p+w.tileP, w.ny+w.order*q)-1 // columns with 0 <= j < ny
			if lo > hi {
				continue
			}
			if first := w.level(lo, q); t.first < 0 || first < t.first {
				t.first = first
			}
			t.last = max(t.last, w.level(hi, q)+w.nx-1)
		}
		if t.first >= 0 {
			tiles = append(tiles, t)
		}
	}
	slices.SortStableFunc(tiles, func(a, b tile) int { return cmp.Compare(w.level(a.p, a.q), w.level(b.p, b.q)) })
	numbers := map[[2]int]int32{}
	for n, t := range tiles {
		numbers[[2]int{t.p, t.q}] = int32(n)
	}
	at := func(p, q int) int32 {
		if n, ok := numbers[[2]int{p, q}]; ok {
			return n
		}
		return -1
	}
	for _, t := range tiles {
		w.plan = append(w.plan, int32(t.p), int32(t.q), int32(t.first), int32(t.last),
			at(t.p-w.tileP, t.q), at(t.p, t.q-w.tileQ), at(t.p-w.tileP, t.q-w.tileQ), 0)
	}
}

// level of the cell i = 0 of a column.
func (w *wavefront) level(p, q int) int { return (1+w.order)*p + q }

func (w *wavefront) tiles() int { return len(w.plan) / planEntries }

// index of a cell in the layout by levels.
func (w *wavefront) index(i, j, k int) int {
	level := i + (1+w.order)*j + (1+2*w.order)*k
	return (level%w.nx*w.nz+k)*w.ny + j
}

// squares is how many blocks turn a field from one layout to the other.
func (w *wavefront) squares() uint32 {
	const s = KernelsSquare
	return uint32((w.nx+s-1)/s) * uint32((w.ny+s-1)/s) * uint32(w.nz)
}

// squeezed returns the shape of a grid without its directions of a single cell, which move to the end, and which of the
// directions x, y, z the first and second then are. Offsets between neighbours stay the same.
func squeezed(nx, ny, nz int) (shape [3]int, from [3]int) {
	n := 0
	for d, l := range [3]int{nx, ny, nz} {
		if l > 1 {
			shape[n], from[n] = l, d
			n++
		}
	}
	for d, l := range [3]int{nx, ny, nz} {
		if l <= 1 {
			shape[n], from[n] = l, d
			n++
		}
	}
	return shape, from
}
