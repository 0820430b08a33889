package team

import (
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// Shared is a field of which every rank has its rows.
type Shared interface {
	solution.Field // of a plane the own rows alone are right
	Grid() *mesh.Mesh
	// Borders of the rows that the ranks own.
	Borders() []int
	// Cut is what this rank has of regions.
	Cut(r *reduction.Regions) (*reduction.Slab, error)
	// ReduceOwn takes the statistics of the own rows; all ranks do so at once.
	ReduceOwn(r *reduction.Regions, own *reduction.Slab) (*reduction.Values, error)
}
