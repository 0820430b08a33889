package ilu

// patchPlan is the schedule of patches.cu for a grid: tiles of the plane of columns of patches of 4 x rows cells, for solves in either direction.
type patchPlan struct {
	order, rows  int
	nq, nb, nz   int // patches of a column, columns of a plane, planes
	tileP, tileQ int
	chunk        int32
	plan         [2][]int32 // of lower and upper solves
}

// newPatchPlan chooses what how leaves open.
func newPatchPlan(nx, ny, nz int, how Options) *patchPlan {
	rows := how.Rows
	if rows <= 0 {
		rows = 2
	}
	if how.Double {
		rows = min(rows, 2)
	}
	rows = min(rows, ny, 4)
	if rows == 3 {
		rows = 2
	}
	p := &patchPlan{order: how.Order, rows: rows, nq: (nx + 3) / 4, nb: (ny + rows - 1) / rows, nz: nz}
	if how.Order == 1 {
		p.nq, p.nb = (nx+6)/4, (ny+rows-2)/rows+1 // the plane is sheared
	}
	p.cut(how)
	for upper := range p.plan {
		p.plan[upper] = p.plane(upper == 1).tiles(p.tileP, p.tileQ)
	}
	return p
}

// underway is how many steps a thread has under way.
func (p *patchPlan) underway(double bool) int {
	rows := PatchesStar
	if p.order == 1 {
		rows = PatchesDiamond
	}
	if double {
		rows /= 2
	}
	return max(1, rows/p.rows)
}

// cut chooses tiles and chunks.
func (p *patchPlan) cut(how Options) {
	p.tileP, p.tileQ = how.TileY, how.TileZ
	if p.tileQ <= 0 {
		p.tileQ = (p.nz + (p.nz+7)/8 - 1) / ((p.nz + 7) / 8)
	}
	p.tileQ = min(p.tileQ, p.nz, PatchesWide/8)
	if p.tileP <= 0 {
		p.tileP = PatchesWide
	}
	// A thread fetches one row of a neighbouring column.
	p.tileP = min(p.tileP, PatchesWide/p.tileQ, (PatchesWide-p.tileQ-1)/p.rows)
	// The steps under way divide a chunk, and a tile asks for its next chunk in the first three steps.
	least := max(4, p.underway(how.Double))
	for p.tileP > 1 && least > PatchesFetch*(PatchesWide/p.items()) {
		p.tileP--
	}
	levels := how.Chunk
	if levels <= 0 {
		levels = 8
	}
	p.chunk = int32(least)
	for 2*int(p.chunk) <= min(levels, PatchesFetch*(PatchesWide/p.items())) {
		p.chunk *= 2
	}
}

// firstColumn is where plane k begins, base the step of a column's first patch, top the last step of all (Patches of patches.cu).
func (p *patchPlan) firstColumn(k int) int { return p.order * (k / p.rows) }

func (p *patchPlan) base(b, k int) int { return b + k + p.order*(b*p.rows/4) }

func (p *patchPlan) lastColumn() int { return p.firstColumn(p.nz-1) + p.nb - 1 }

func (p *patchPlan) top() int { return p.base(p.lastColumn(), p.nz-1) + p.nq - 1 }

// plane of columns, for upper solves turned round.
func (p *patchPlan) plane(upper bool) plane {
	last := p.lastColumn()
	a := plane{width: last + 1, height: p.nz, length: p.nq, level: p.base,
		span: func(q int) (lo, hi int) { return p.firstColumn(q), p.firstColumn(q) + p.nb }}
	if upper {
		a.level = func(b, q int) int { return p.top() - p.base(last-b, p.nz-1-q) - (p.nq - 1) }
		a.span = func(q int) (lo, hi int) {
			first := p.firstColumn(p.nz - 1 - q)
			return last - (first + p.nb - 1), last - first + 1
		}
	}
	return a
}

// items is how many quads of neighbouring tiles a tile reads at a step.
func (p *patchPlan) items() int { return p.tileQ + p.rows*p.tileP + 1 }

// padded is the number of cells of whole patches.
func (p *patchPlan) padded() int64 {
	return 4 * int64(p.rows) * int64(p.nq) * int64(p.nb) * int64(p.nz)
}

// tiles of a direction.
func (p *patchPlan) tiles(upper int) uint32 { return uint32(len(p.plan[upper]) / planEntries) }

// states is the length of a solve's state: the tiles taken, and a flag for each.
func (p *patchPlan) states() int64 { return int64(max(p.tiles(0), p.tiles(1))) + 1 }

// shared is the memory of a block, for values of so many bytes: two steps of its own, two chunks of its neighbours'.
func (p *patchPlan) shared(bytes int) uint32 {
	return uint32(4 * bytes * 2 * (p.rows*PatchesWide + int(p.chunk)*p.items()))
}

// squares is how many blocks turn a field from one layout to the other.
func (p *patchPlan) squares() uint32 {
	return uint32((p.nq+PatchesSlabs-1)/PatchesSlabs) * uint32((p.nb+PatchesLanes-1)/PatchesLanes) * uint32(p.rows) * uint32(p.nz)
}
