package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

var _ ops.Reducer = (*system)(nil)

// reducing reads the planes of a system's vectors in place.
type reducing struct {
	s       *system
	regions *reduction.Regions
}

// NewReduction holds nothing but the regions.
func (s *system) NewReduction(r *reduction.Regions) (ops.Reduction, error) {
	return &reducing{s, r}, nil
}

// Of takes the statistics of x.
func (r *reducing) Of(x ops.Vector, offset float64) *reduction.Values {
	planes := func(k int) ([]float64, error) { return r.s.plane(x, k), nil }
	values, _ := r.regions.Reduce(planes, offset) // planes in memory do not fail
	return values
}

func (s *system) plane(x ops.Vector, k int) []float64 {
	return x.(*vec64).values()[k*s.sheet : (k+1)*s.sheet]
}

// quantiseTask counts squares, a row of them at a time.
type quantiseTask struct {
	s      *system
	x      []float64
	offset float64
	q      reduction.Quanta
	counts []int32
}

// Quantise counts all planes.
func (s *system) Quantise(x ops.Vector, offset float64, q reduction.Quanta, counts []int32) bool {
	s.Run(&quantiseTask{s, x.(*vec64).values(), offset, q, counts}, s.nz*q.Side(s.ny), s.cells)
	return true
}

func (t *quantiseTask) Run(lo, hi, worker int) {
	s := t.s
	w, h := t.q.Side(s.nx), t.q.Side(s.ny)
	scratch := s.Scratch(worker).Doubles(t.q.Factor * s.nx)
	for n := lo; n < hi; n++ {
		k, line := n/h, n%h
		from, to := line*t.q.Factor, min((line+1)*t.q.Factor, s.ny)
		rows := t.x[k*s.sheet+from*s.nx : k*s.sheet+to*s.nx]
		kelvin := scratch[:len(rows)]
		for c, v := range rows {
			kelvin[c] = v + t.offset
		}
		t.q.Plane(t.counts[n*w:(n+1)*w], kelvin, s.nx)
	}
}
