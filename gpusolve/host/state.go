package host

import (
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

// mapTask changes or measures the temperature field row by row.
type mapTask struct {
	s      *system
	x, old []float64
	body   func(s *system, x, old []float64, j int)
}

func (t *mapTask) Run(lo, hi, _ int) {
	for j := lo; j < hi; j++ {
		t.body(t.s, t.x, t.old, j)
	}
}

func (s *system) forRows(x, old ops.Vector, body func(s *system, x, old []float64, j int)) {
	s.mapOp = mapTask{s: s, x: x.(*vec64).values(), body: body}
	if old != nil {
		s.mapOp.old = old.(*vec64).values()
	}
	s.rows(&s.mapOp)
	s.mapOp = mapTask{}
}

// Max is the largest value of x, NaN where any is NaN.
func (s *system) Max(x ops.Vector) float64 {
	s.forRows(x, nil, maxRow)
	return s.sums(1).largest(0, math.Inf(-1))
}

func maxRow(s *system, x, _ []float64, j int) {
	top := math.Inf(-1)
	for k := range s.nz {
		c := k*s.sheet + j*s.nx
		for _, v := range x[c : c+s.nx] {
			top = max(top, v)
		}
	}
	s.partial[perRow*j] = top
}

// Stored is the heat in W that the capacities take up between old and x.
func (s *system) Stored(x, old ops.Vector) float64 {
	s.forRows(x, old, storedRow)
	return s.sums(1).of(0)
}

func storedRow(s *system, x, old []float64, j int) {
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
		s.share.total(s, heat[:])
	}
	return heat
}
