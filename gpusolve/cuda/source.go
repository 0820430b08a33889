package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// source is the right side of a mesh's system: power, what the faces drive in, and C/dt times the state at the start of
// a step.
type source struct {
	*system
	power  slots[float64]
	canvas canvas                // what is on them
	share  cudriver.Ptr[float64] // of its layer's power that falls into a plane of cells, by z
	inflow cudriver.Ptr[int32]   // slots of the planes that faces heat; those of none where the source is not driven
	none   cudriver.Ptr[int32]
	old    ops.Vector // nil where no step is taken
	lent   bool       // the planes of power are a vector's
}

var _ ops.HeatSource = (*source)(nil)

// NewSource makes a source without power.
func (s *system) NewSource(driven bool) (ops.HeatSource, error) {
	b := s.newSource(driven)
	return b, s.err
}

func (s *system) newSource(driven bool) *source {
	b := &source{system: s, power: reserve[float64](s, make([]bool, s.nz)), inflow: s.inflow.onDev}
	if !driven {
		empty := reserve[float64](s, make([]bool, s.nz))
		b.none, b.inflow = empty.onDev, empty.onDev
	}
	return b
}

// SourceOf is b = v, plane by plane.
func (s *system) SourceOf(v ops.Vector) ops.Source {
	b := s.newSource(false)
	ones := make([]float64, s.nz)
	for k := range ones {
		b.power.of[k], ones[k] = int32(k), 1
	}
	b.lent, b.power.data = true, F64(v)
	Send(&s.Space, b.power.onDev, b.power.of)
	b.share = Upload(&s.Space, ones)
	return b
}

// SetOld adds C/dt old to the source; a nil old takes that back.
func (s *source) SetOld(old ops.Vector) { s.old = old }

// Read writes b to the host: the residual of x = 0, in FP64.
func (s *source) Read(dst []float64) {
	double, single := NewVector[float64](&s.Space, s.cells, s.pad), NewVector[float32](&s.Space, s.cells, s.pad)
	defer s.Release(double, single)
	s.Residual(double, single, s, nil)
	s.system.Read(double, dst)
}

// Close gives the planes back.
func (s *source) Close() {
	s.Discard(s.none, s.power.onDev, s.share)
	if !s.lent {
		s.Discard(s.power.data)
	}
}
