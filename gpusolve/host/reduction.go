package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

var _ reduction.Reducer = (*PlaneReducer)(nil)

// PlaneReducer reduces vectors of nz planes of nx x ny values, one behind the other, where they are.
type PlaneReducer struct {
	space      *Space
	nx, ny, nz int
	sheet      int
	planes     func(x ops.Vector) []float64
}

// NewPlaneReducer runs on a space's workers; planes are the values of a vector.
func NewPlaneReducer(s *Space, nx, ny, nz int, planes func(x ops.Vector) []float64) PlaneReducer {
	return PlaneReducer{space: s, nx: nx, ny: ny, nz: nz, sheet: nx * ny, planes: planes}
}

// reducing reads planes in place.
type reducing struct {
	p       *PlaneReducer
	regions *reduction.Regions
}

// NewReduction holds nothing but the regions.
func (p *PlaneReducer) NewReduction(r *reduction.Regions) (reduction.Reduction, error) {
	return &reducing{p, r}, nil
}

// Of takes the statistics of x.
func (r *reducing) Of(x ops.Vector, offset float64) *reduction.Values {
	all, sheet := r.p.planes(x), r.p.sheet
	planes := func(k int) ([]float64, error) { return all[k*sheet : (k+1)*sheet], nil }
	values, _ := r.regions.Reduce(planes, offset) // planes in memory do not fail
	return values
}

// quantiseTask counts squares, a row of them at a time.
type quantiseTask struct {
	p      *PlaneReducer
	x      []float64
	offset float64
	q      reduction.Quanta
	counts []int32
}

// Quantise counts all planes.
func (p *PlaneReducer) Quantise(x ops.Vector, offset float64, q reduction.Quanta, counts []int32) bool {
	p.space.Run(&quantiseTask{p, p.planes(x), offset, q, counts}, p.nz*q.Side(p.ny), p.nz*p.sheet)
	return true
}

func (t *quantiseTask) Run(lo, hi, worker int) {
	s := t.p
	w, h := t.q.Side(s.nx), t.q.Side(s.ny)
	scratch := s.space.Scratch(worker).Doubles(t.q.Factor * s.nx)
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

var _ reduction.Binning = (*PlaneReducer)(nil)

// maximaTask shows planes in bins, a row of them at a time.
type maximaTask struct {
	p      *PlaneReducer
	planes [][]float64
	offset float64
	m      *reduction.Maxima
	dst    []float64
}

// Maxima shows planes in bins.
func (p *PlaneReducer) Maxima(x ops.Vector, offset float64, m *reduction.Maxima, dst []float64) bool {
	t := &maximaTask{p: p, offset: offset, m: m, dst: dst}
	for k := m.Planes[0]; k < m.Planes[1]; k++ {
		t.planes = append(t.planes, p.planes(x)[k*p.sheet:(k+1)*p.sheet])
	}
	p.space.Run(t, len(m.Y.First), len(t.planes)*p.sheet)
	return true
}

func (t *maximaTask) Run(lo, hi, worker int) {
	w := len(t.m.X.First)
	scratch := t.p.space.Scratch(worker).Doubles(t.p.nx)
	for q := lo; q < hi; q++ {
		t.m.Row(t.dst[q*w:(q+1)*w], q, t.planes, t.offset, t.p.nx, scratch)
	}
}
