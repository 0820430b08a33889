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

// extrapolateTask continues three states in time.
type extrapolateTask struct {
	s             *system
	x, old, older []float64
	quadratic     bool
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

// Extrapolate makes x the continuation of (older, old, x), and the two others the states before.
func (s *system) Extrapolate(x, old, older ops.Vector, quadratic bool) {
	s.extrapolateOp = extrapolateTask{s: s, x: x.(*vec64).values(), old: old.(*vec64).values(), quadratic: quadratic}
	if older != nil {
		s.extrapolateOp.older = older.(*vec64).values()
	}
	s.rows(&s.extrapolateOp)
	s.extrapolateOp = extrapolateTask{}
}

func (t *extrapolateTask) Run(lo, hi, _ int) {
	n := t.s.nx
	for j := lo; j < hi; j++ {
		for k := range t.s.nz {
			c := k*t.s.sheet + j*n
			x, old := t.x[c:c+n], t.old[c:c+n]
			if t.older == nil {
				for i, v := range x {
					x[i] = v + (v - old[i])
					old[i] = v
				}
				continue
			}
			older := t.older[c : c+n]
			for i, v := range x {
				slope := v - old[i]
				x[i] = v + slope
				if t.quadratic {
					x[i] += slope - (old[i] - older[i])
				}
				older[i], old[i] = old[i], v
			}
		}
	}
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
	s.partial[4*j] = top
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
	s.partial[4*j] = sum
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
