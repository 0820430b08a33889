package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

// assembleTask rounds the discretisation of mesh to FP32, row by row.
type assembleTask struct{ s *system }

func (t *assembleTask) Run(lo, hi, worker int) {
	s := t.s
	row := s.Scratch(worker).Doubles(s.nx)
	for k := range s.nz {
		for j := lo; j < hi; j++ {
			c := s.pad + k*s.sheet + j*s.nx
			s.mesh.CouplingX(k, j, row)
			round(s.gx.buf[c:], row)
			s.mesh.CouplingY(k, j, row)
			round(s.gy.buf[c:], row)
			s.mesh.CouplingZ(k, j, row)
			round(s.gz.buf[c:], row)
			if s.dt > 0 {
				s.mesh.Capacity(k, j, row)
				for i, v := range row {
					s.capacity[k][j*s.nx+i] = float32(v / s.dt)
				}
			}
		}
	}
}

func (s *system) assemble() {
	if s.dt > 0 {
		for k := range s.capacity {
			s.capacity[k] = make([]float32, s.sheet)
			s.Account(int64(s.sheet) * 4)
		}
	}
	s.discretise()
}

// Refresh discretises the mesh again.
func (s *system) Refresh(dt float64) error {
	if (dt > 0) != (s.dt > 0) {
		return ops.ErrRefresh
	}
	s.dt = dt
	if s.leaking != nil {
		s.leaking.in = false
	}
	for k := range s.nz {
		clear(s.ground[k])
		clear(s.inflow[k])
	}
	s.discretise()
	return nil
}

func (s *system) discretise() {
	s.assembleOp = assembleTask{s}
	s.rows(&s.assembleOp)
	for f := range stack.Face(stack.NumFaces) {
		s.assembleFace(f)
	}
	if s.cooling != nil {
		s.cooling.assemble(s)
	}
}

// assembleFace adds a face's conductances to ground, and the heat that its temperature or flux drives into the cells to
// inflow. The driven heat uses the conductance that ground holds, so that a stack at the temperature of its faces stays
// there exactly.
func (s *system) assembleFace(f stack.Face) {
	if !s.mesh.Exchanges(f) {
		return
	}
	follows := s.mesh.Stack.Boundary[f].Follows()
	s.onFace(f, func(i, j, k int) {
		c := j*s.nx + i
		d := s.mesh.Drive(f, i, j, k)
		if d.Flux != 0 {
			s.planeInflow(k)[c] += d.Flux * s.mesh.CellFaceArea(f, i, j, k)
		}
		if !d.Driven() {
			return
		}
		if s.ground[k] == nil {
			s.ground[k] = make([]float32, s.sheet)
			s.Account(int64(s.sheet) * 4)
		}
		s.ground[k][c] += float32(s.mesh.FaceConductance(f, i, j, k))
		if rise := d.Temperature - s.mesh.Stack.Ambient; rise != 0 || follows {
			s.planeInflow(k)[c] += s.mesh.HeldFaceConductance(f, i, j, k) * rise
		}
	})
}

func (s *system) planeInflow(k int) []float64 {
	if s.inflow[k] == nil {
		s.inflow[k] = make([]float64, s.sheet)
		s.Account(int64(s.sheet) * 8)
	}
	return s.inflow[k]
}
