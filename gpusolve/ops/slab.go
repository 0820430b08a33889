package ops

import (
	"thermsim/gpusolve/ranks"
	"thermsim/mesh"
)

// Ghosts is the number of rows beyond the owned ones, on either side, that a rank holds of every vector and of every
// coupling where the grid has them. A multigrid cycle works on that many between two exchanges.
const Ghosts = 3

// A Partition says how ranks share the rows (y) of a grid with NX columns: rank r owns rows Borders[r] <= j <
// Borders[r+1]. It holds Ghosts more on either side, of which its neighbours own the first ones and send their values.
type Partition struct {
	NX      int
	Borders []int
}

// NY is the number of rows of the whole grid.
func (p Partition) NY() int { return p.Borders[len(p.Borders)-1] }

// Held is the half-open range of rows that a rank holds.
func (p Partition) Held(rank int) (from, to int) {
	return max(0, p.Borders[rank]-Ghosts), min(p.NY(), p.Borders[rank+1]+Ghosts)
}

// Own is the half-open range of a rank's own rows, counted from the first that it holds.
func (p Partition) Own(rank int) (first, last int) {
	from, _ := p.Held(rank)
	return p.Borders[rank] - from, p.Borders[rank+1] - from
}

// Least is the smallest number of rows that a rank owns.
func (p Partition) Least() int {
	least := p.NY()
	for n, from := range p.Borders[:len(p.Borders)-1] {
		least = min(least, p.Borders[n+1]-from)
	}
	return least
}

// Slab is what a rank has of a grid.
type Slab struct {
	Rows  Partition
	Group ranks.Group
}

// SlabDevice is a Device that can hold a part of a system.
type SlabDevice interface {
	Device
	// AssembleSlab is Assemble for one rank. The mesh is that of the rows which it holds, see mesh.Slab.
	AssembleSlab(m *mesh.Mesh, dt float64, s Slab) (SlabSystem, error)
	// ExchangeColumns is about the number of columns that a multigrid cycle works on in the time of two exchanges of a
	// level's ghost rows.
	ExchangeColumns() int
}

// SlabSystem is the part of a System that a rank holds: the operator on the rows that it owns and on ghost rows. All
// ranks ask the same of theirs, in the same order.
//
// What it sums or takes the maximum of, it does over the own rows of all ranks, so that all get the same number, the
// same bits: RZ, MaxZ, PQ, RR, Norms, Max, FaceHeat, Stored, OutOfRange, and Alpha and Beta after that. Everything else
// it does to the rows it holds, without a word to others: results are right in the rows for which the arguments were.
type SlabSystem interface {
	System
	// Exchange fills ghost rows of vectors with what the neighbours have there: the rows next to the owned ones, this
	// number below and above. All ranks fill as many, which may be no more than Ghosts, nor than the rows that any of
	// them owns. A vector has a whole number of planes of rows.
	Exchange(on Partition, below, above int, vectors ...Vector)
	// Collect fills whole, a vector on all rows of the grid, from the own rows of all ranks.
	Collect(on Partition, whole, part Vector)
	// Cut fills all rows of part, ghosts included, from whole. There is no communication.
	Cut(on Partition, part, whole Vector)
}

// Distributed is a System of which this rank holds a slab. It acts as the whole: Mesh is that of all rows, and results
// are right in the own rows of all ranks.
type Distributed interface {
	System
	Slab() (SlabSystem, Slab)
	// SharedLevels is the number of grids of a hierarchy, from the finest on, that ranks share. Each works alone on the
	// others.
	SharedLevels() int
}
