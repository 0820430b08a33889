package ilu

// patchPlan is the schedule of patches.cu for a grid: the wavefront of its patches of 4 x rows cells.
type patchPlan struct {
	*wavefront // of patches: quads along x, groups of rows along y
	rows       int
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
	tileP, tileQ := how.TileY, how.TileZ
	if tileQ <= 0 {
		tileQ = (nz + (nz+7)/8 - 1) / ((nz + 7) / 8)
	}
	tileQ = min(tileQ, PatchesWide/2)
	if tileP <= 0 {
		tileP = PatchesWide
	}
	// A thread fetches one row of a neighbouring column.
	tileP = min(tileP, PatchesWide/tileQ, (PatchesWide-tileQ)/rows)
	// A thread has so many steps under way, which divide a chunk, and asks for the next chunk in the first three steps.
	least := max(4, PatchesQuads/rows)
	for tileP > 1 && least > PatchesFetch*(PatchesWide/(rows*tileP+tileQ)) {
		tileP--
	}
	p := &patchPlan{newWavefront(0, (nx+3)/4, (ny+rows-1)/rows, nz, tileP, tileQ, 0), rows}
	levels := how.Chunk
	if levels <= 0 {
		levels = 8
	}
	p.chunk = int32(least)
	for 2*int(p.chunk) <= min(levels, PatchesFetch*(PatchesWide/p.items())) {
		p.chunk *= 2
	}
	return p
}

// items is how many quads of neighbouring tiles a tile reads at a step.
func (p *patchPlan) items() int { return p.tileQ + p.rows*p.tileP }

// padded is the number of cells of whole patches.
func (p *patchPlan) padded() int64 {
	return 4 * int64(p.rows) * int64(p.nx) * int64(p.ny) * int64(p.nz)
}

// shared is the memory of a block, for values of so many bytes: two steps of its own, two chunks of its neighbours'.
func (p *patchPlan) shared(bytes int) uint32 {
	return uint32(4 * bytes * 2 * (p.rows*PatchesWide + int(p.chunk)*p.items()))
}

// squares is how many blocks turn a field from one layout to the other.
func (p *patchPlan) squares() uint32 {
	return uint32((p.nx+PatchesSlabs-1)/PatchesSlabs) * uint32((p.ny+PatchesLanes-1)/PatchesLanes) * uint32(p.rows) * uint32(p.nz)
}
