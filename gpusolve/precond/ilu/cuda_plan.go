package ilu

import "math/bits"

// wavefront is the schedule of precond/ilu/wavefront.h for a grid: tiles of the plane of columns, in the order in which blocks take them.
type wavefront struct {
	order        int
	nx, ny, nz   int
	tileP, tileQ int
	// chunk is how many levels a tile completes between two messages to its neighbours: a power of two.
	chunk int32
	plan  []int32 // planEntries numbers a tile
}

// planEntries is the length of a tile's plan (see precond/ilu/wavefront.h): first column p and q, first and last level, the tiles to wait for (left, below, diagonal), and padding.
const planEntries = KernelsPlan

// newWavefront plans tiles of at most KernelsWide columns, with messages every so many levels. Sizes of zero are chosen.
func newWavefront(order, nx, ny, nz, tileP, tileQ, levels int) *wavefront {
	const most = KernelsWide
	if tileQ <= 0 {
		tileQ = (nz + (nz+7)/8 - 1) / ((nz + 7) / 8) // equal parts of up to 8
	}
	tileQ = min(tileQ, most/2)
	if tileP <= 0 {
		tileP = most
	}
	tileP = min(tileP, most/tileQ)
	w := &wavefront{order: order, nx: nx, ny: ny, nz: nz, tileP: tileP, tileQ: tileQ, chunk: powerOfTwo(levels)}
	w.lay()
	return w
}

// powerOfTwo is the largest one that does not exceed n.
func powerOfTwo(n int) int32 { return 1 << (bits.Len(uint(n)) - 1) }

// lay plans tiles.
func (w *wavefront) lay() {
	p := plane{width: w.ny + w.order*(w.nz-1), height: w.nz, length: w.nx, level: w.level,
		span: func(q int) (lo, hi int) { return w.order * q, w.ny + w.order*q }}
	w.plan = p.tiles(w.tileP, w.tileQ)
}

// level of the cell i = 0 of a column.
func (w *wavefront) level(p, q int) int { return (1+w.order)*p + q }

func (w *wavefront) tiles() int { return len(w.plan) / planEntries }

// place of a cell in the layout by levels.
func (w *wavefront) place(i, j, k int) int {
	level := i + (1+w.order)*j + (1+2*w.order)*k
	return (level%w.nx*w.nz+k)*w.ny + j
}

// squares is how many blocks turn a field from one layout to the other.
func (w *wavefront) squares() uint32 {
	const s = KernelsSquare
	return uint32((w.nx+s-1)/s) * uint32((w.ny+s-1)/s) * uint32(w.nz)
}

// squeezed returns the shape of a grid without its directions of a single cell, which move to the end, and which of the directions x, y, z
// the first and second then are. Offsets between neighbours stay the same.
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
