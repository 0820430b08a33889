package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

// Stored is the heat in W that the capacities take up between old and x.
func (s *system) Stored(x, old ops.Vector) float64 {
	s.forRows(x, old, s.storedRow)
	return s.sums(1).of(0)
}

func (s *system) storedRow(x, old []float64, j int) {
	sum := 0.0
	for k := range s.nz {
		c := k*s.sheet + j*s.nx
		for i, g := range s.capacity[k][j*s.nx : (j+1)*s.nx] {
			sum += float64(g) * (x[c+i] - old[c+i])
		}
	}
	s.partial[perRow*j] = sum
}

// FaceHeat is the heat in W that leaves through each face, with the conductances that the operator holds.
func (s *system) FaceHeat(x ops.Vector) (heat [6]float64) {
	v := x.(*vec64).values()
	for f := range stack.Face(stack.NumFaces) {
		if !s.mesh.Exchanges(f) {
			continue
		}
		s.onFace(f, func(i, j, k int) {
			if !s.owns(j) {
				return
			}
			d := s.mesh.Drive(f, i, j, k)
			if d.Flux != 0 {
				heat[f] -= d.Flux * s.mesh.CellFaceArea(f, i, j, k)
			}
			if !d.Driven() {
				return
			}
			own := s.faceMaterial(v, i, j, k)
			_, _, leaves := s.mesh.FaceTerm(f, i, j, k, &own, v[k*s.sheet+j*s.nx+i])
			heat[f] += leaves
		})
	}
	if s.share != nil {
		s.share.total(&s.grid, heat[:])
	}
	return heat
}
