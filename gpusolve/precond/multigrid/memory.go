package multigrid

import (
	"slices"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Memory counts the hierarchy level by level. Where the mesh is not built yet, every level has a quarter of the cells
// of the finer one and no plane has weights: the least that any stack takes.
func Memory(s precond.Shape) precond.Need {
	if s.Mesh == nil {
		return memory(s, halvings(s.NX, s.NY), 0, 0, 0)
	}
	plan := Choose(s.Mesh)
	levels := sizes(s.NX, s.NY, plan.Coarsenings)
	if s.GPU && s.Mesh.Cooled() {
		return cooledMemory(s, levels)
	}
	return planned(s, plan, levels)
}

// RankMemory is that of a rank which shares the first levels of a mesh with others: part is the shape of the rows that
// it holds, whole that of the mesh.
func (plan Plan) RankMemory(part, whole precond.Shape, rows ops.Partition, shared, rank int) precond.Need {
	levels := sizes(whole.NX, whole.NY, plan.Coarsenings)
	held := slices.Clone(levels[:shared])
	for n := range held { // the last of them every rank has as a slab and whole
		rows = coarseRows(rows, plan.Coarsenings[n])
		from, to := rows.Held(rank)
		held[n].ny = to - from
	}
	need := planned(part, plan, held)
	alone := planned(whole, plan, levels).Held - planned(whole, plan, levels[:shared-1]).Held
	return precond.Need{SetUp: need.SetUp + alone, Held: need.Held + alone}
}

// planned is the memory of levels of a plan.
func planned(s precond.Shape, plan Plan, levels []size) precond.Need {
	return memory(s, levels, plan.weighted(), int64(len(s.Mesh.Cavities)), int64(channels(s.Mesh)))
}

// size of a coarser level, and how many directions it merges.
type size struct {
	nx, ny     int
	directions int64
}

// memory of a hierarchy. Coolant adds five sheets a cavity: couplings beyond neighbours, what elimination fills in for
// them, and lines; but one of channels on the finest level. Those part there into two planes.
func memory(s precond.Shape, levels []size, weighted, cavities, channels int64) precond.Need {
	grounded, nz := s.Grounded, int64(s.NZ)
	held := s.Vector(2 * 4) // pivots and x of the finest level
	switch {
	case !s.GPU && s.InTime:
		held += 4 * grounded * s.Sheet() // ground and capacity, added up
		grounded = nz
	case s.GPU && lineClass(s.NZ) == anyLength: // scratch of the columns
		held += s.Vector(4)
	}
	held += 4 * s.Sheet() * (5*cavities - 4*channels)
	if grounded == nz {
		grounded += channels
	}
	nz += channels
	vectors := int64(3 + 1 + 3) // conductances, pivots; b, z and x
	if s.GPU && s.InTime {
		vectors++ // capacity
	}
	fine := size{s.NX, s.NY, 0}
	for _, l := range levels {
		weights := 4 * weighted * int64(fine.nx) * int64(fine.ny)
		if s.GPU {
			weights /= 2
		}
		held += l.directions * weights
		if s.GPU {
			// parents and weights of both directions, slots, and what rounding up takes
			held += 16*int64(fine.nx+fine.ny) + 4*nz + 14*storeAlign
		}
		sheet := int64(l.nx) * int64(l.ny)
		held += 4*vectors*precond.Padded(sheet*nz, l.nx) + 4*(grounded+5*cavities)*sheet
		weighted = min(nz, weighted*nz) // all planes or none
		fine = l
	}
	return precond.Need{SetUp: held, Held: held}
}

// sizes of the levels of a plan.
func sizes(nx, ny int, plan []Coarsening) []size {
	var levels []size
	for _, c := range plan {
		l := size{c.X.Coarse(nx), c.Y.Coarse(ny), c.directions()}
		levels, nx, ny = append(levels, l), l.nx, l.ny
	}
	return levels
}

// halvings are the levels where cells are merged in pairs along both directions.
func halvings(nx, ny int) []size {
	var levels []size
	for nx > 1 || ny > 1 {
		nx, ny = (nx+1)/2, (ny+1)/2
		levels = append(levels, size{nx, ny, 2})
	}
	return levels
}

// cooledMemory is that of a stack with coolant on a GPU: factors of columns, room for a residual, and for each cavity
// couplings two planes apart and lines of coolant and of walls. Channels part into two planes on the second level.
func cooledMemory(s precond.Shape, levels []size) precond.Need {
	cavities, channels, lines := int64(len(s.Mesh.Cavities)), int64(channels(s.Mesh)), int64(0)
	for _, c := range s.Mesh.Cavities {
		lines += int64(len(c.Heat))
	}
	const perLine, perPlane = 5 * 4, 8 * 4
	held := s.Vector(4*4) + 4*s.Sheet()*(4*cavities-2*channels) + perLine*lines + perPlane*int64(s.NZ)
	nz, grounded := int64(s.NZ)+channels, s.Grounded
	if s.InTime || grounded == int64(s.NZ) {
		grounded = nz
	}
	fine := size{s.NX, s.NY, 0}
	for _, l := range levels {
		sheet := int64(l.nx) * int64(l.ny)
		held += 4*8*precond.Padded(sheet*nz, l.nx) + 4*(grounded+6*cavities)*sheet
		held += 16*int64(fine.nx+fine.ny) + perLine*cavities*int64(max(l.nx, l.ny)) + perPlane*nz + 1024
		fine = l
	}
	return precond.Need{SetUp: held, Held: held}
}
