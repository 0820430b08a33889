package gpusolve

import (
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

// sharedField is a field of which every rank has its rows.
type sharedField interface {
	Field // of a plane the own rows alone are right
	grid() *mesh.Mesh
	// borders of the rows that the ranks own.
	borders() []int
	// cut is what this rank has of regions.
	cut(r *reduction.Regions) (*reduction.Slab, error)
	// reduceOwn takes the statistics of the own rows; all ranks do so at once.
	reduceOwn(r *reduction.Regions, own *reduction.Slab) (*reduction.Values, error)
}
