package gpusolve

import (
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/mesh"
	"thermsim/stack"
)

// EstimateBytes predicts the memory in bytes that the host executor takes for a solve with the default preconditioner; jacobi and none take less, and what the others take beside comes from their entries in methods.
// It comes from the vectors and matrices that such a solve holds, cell by cell:
//
//	finest grid    3 couplings, 1 pivot, 4 vectors in FP32; 3 vectors in FP64        56 B
//	coarser grids  3 couplings, 1 pivot, 3 vectors in FP32                           28 B a cell of theirs
//	per plane      ground, capacity and interpolation weights where it has them
//	transient      capacity in FP32 and two former states in FP64                    20 B
//	per layer      power in FP64, a plane of it, where it changes in time
func EstimateBytes(m *mesh.Mesh, transient bool) int64 {
	cells, planes := int64(m.Cells()), groundedPlanes(m)
	sheet := int64(m.NX() * m.NY())
	bytes := 56*cells + planes*sheet*4
	coarsePlanes := planes
	if transient {
		bytes += 20*cells + planes*sheet*4
		coarsePlanes = int64(m.NZ())
		for i := range m.Power.Layers {
			if m.Power.Layers[i].Transient() {
				bytes += sheet * 8
			}
		}
	}
	plan := multigrid.Choose(m)
	weighted := int64(0)
	for _, w := range plan.Weighted {
		if w {
			weighted++
		}
	}
	nx, ny := m.NX(), m.NY()
	for _, c := range plan.Coarsenings {
		fine := int64(nx * ny)
		if c.X.Parent != nil {
			bytes += weighted * fine * 4
		}
		if c.Y.Parent != nil {
			bytes += weighted * fine * 4
		}
		nx, ny = c.X.Coarse(nx), c.Y.Coarse(ny)
		coarse := int64(nx * ny)
		bytes += 28*coarse*int64(m.NZ()) + coarsePlanes*coarse*4
	}
	return bytes
}

// groundedPlanes is the number of planes that hold cells of a face with a temperature.
func groundedPlanes(m *mesh.Mesh) int64 {
	var n int64
	for f := stack.West; f < stack.NumFaces; f++ {
		if _, ok := m.FaceResistance(f); ok {
			return int64(m.NZ())
		}
	}
	for _, f := range []stack.Face{stack.Bottom, stack.Top} {
		if _, ok := m.FaceResistance(f); ok {
			n++
		}
	}
	return min(n, int64(m.NZ()))
}
