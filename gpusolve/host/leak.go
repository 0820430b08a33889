package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// leaking is what a system keeps whose power follows the temperature: the planes of ground and inflow without it.
type leaking struct {
	of     *mesh.Leakage
	ground [][]float32
	inflow [][]float64
	in     bool // the leakage is in
	task   leakTask
}

// leakTask puts leakage into ground and inflow, row by row.
type leakTask struct {
	s     *system
	x     []float64
	scale float64
	ends  bool
}

// newLeaking reserves the planes that leak.
func (s *system) newLeaking() {
	of := s.mesh.Leakage
	if of == nil {
		return
	}
	l := &leaking{of: of}
	for n := range of.Planes {
		k := of.Planes[n].Plane
		if s.ground[k] == nil {
			s.ground[k] = make([]float32, s.sheet)
			s.Account(int64(s.sheet) * 4)
		}
		s.planeInflow(k)
		l.ground, l.inflow = append(l.ground, make([]float32, s.sheet)), append(l.inflow, make([]float64, s.sheet))
		s.Account(int64(s.sheet) * 12)
	}
	s.leaking = l
}

// Leak puts the leakage into the operator and into driven sources, linear around the state x and times a scale:
//
//	q f(T) = q f(T0) + q f'(T0) (T - T0)
//
// Outside the range of a law f' is zero, or with ends that at the end. The diagonal is FP32; what it holds of f' is
// what the source holds, so that the residual of x has q f(T0) in full.
func (s *system) Leak(x ops.Vector, scale float64, ends bool) error {
	l := s.leaking
	if l == nil {
		return nil
	}
	for n := range l.of.Planes {
		k := l.of.Planes[n].Plane
		if !l.in {
			copy(l.ground[n], s.ground[k])
			copy(l.inflow[n], s.inflow[k])
		}
	}
	l.in = true
	l.task = leakTask{s, x.(*vec64).values(), scale, ends}
	s.rows(&l.task)
	l.task = leakTask{}
	return nil
}

// Unleak takes the leakage out.
func (s *system) Unleak() error {
	l := s.leaking
	if l == nil || !l.in {
		return nil
	}
	for n := range l.of.Planes {
		k := l.of.Planes[n].Plane
		copy(s.ground[k], l.ground[n])
		copy(s.inflow[k], l.inflow[n])
	}
	l.in = false
	return nil
}

func (t *leakTask) Run(lo, hi, _ int) {
	s := t.s
	ambient := s.mesh.Stack.Ambient
	for n := range s.leaking.of.Planes {
		p := &s.leaking.of.Planes[n]
		ground, inflow := s.ground[p.Plane], s.inflow[p.Plane]
		without, driven := s.leaking.ground[n], s.leaking.inflow[n]
		for c := lo * s.nx; c < hi*s.nx; c++ {
			x := t.x[p.Plane*s.sheet+c]
			watts, slope := s.leaking.of.At(p, c, ambient+x, t.ends)
			g := float32(float64(without[c]) - float64(t.scale*slope))
			ground[c] = g
			inflow[c] = driven[c] + (float64(t.scale*watts) + float64((float64(g)-float64(without[c]))*x))
		}
	}
}
