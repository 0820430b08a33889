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

type reducing struct {
	p       *PlaneReducer
	regions *reduction.Regions
}

func (p *PlaneReducer) NewReduction(r *reduction.Regions) (reduction.Reduction, error) {
	return &reducing{p, r}, nil
}

func (r *reducing) Of(x ops.Vector, offset float64) *reduction.Values {
	all, sheet := r.p.planes(x), r.p.sheet
	planes := func(k int) ([]float64, error) { return all[k*sheet : (k+1)*sheet], nil }
	values, _ := r.regions.Reduce(planes, offset) // planes in memory do not fail
	return values
}

// Quantise counts squares, a row of them at a time.
func (p *PlaneReducer) Quantise(x ops.Vector, offset float64, q reduction.Quanta, counts []int32) bool {
	all, w, h := p.planes(x), q.Side(p.nx), q.Side(p.ny)
	p.space.Run(loop(func(lo, hi, worker int) {
		scratch := p.space.Scratch(worker).Doubles(q.Factor * p.nx)
		for n := lo; n < hi; n++ {
			k, line := n/h, n%h
			from, to := line*q.Factor, min((line+1)*q.Factor, p.ny)
			rows := all[k*p.sheet+from*p.nx : k*p.sheet+to*p.nx]
			kelvin := scratch[:len(rows)]
			for c, v := range rows {
				kelvin[c] = v + offset
			}
			q.Plane(counts[n*w:(n+1)*w], kelvin, p.nx)
		}
	}), p.nz*h, p.nz*p.sheet)
	return true
}

var _ reduction.Binning = (*PlaneReducer)(nil)

// Maxima shows planes in bins, a row of them at a time.
func (p *PlaneReducer) Maxima(x ops.Vector, offset float64, m *reduction.Maxima, dst []float64) bool {
	var planes [][]float64
	for k := m.Planes[0]; k < m.Planes[1]; k++ {
		planes = append(planes, p.planes(x)[k*p.sheet:(k+1)*p.sheet])
	}
	w := len(m.X.First)
	p.space.Run(loop(func(lo, hi, worker int) {
		scratch := p.space.Scratch(worker).Doubles(p.nx)
		for q := lo; q < hi; q++ {
			m.Row(dst[q*w:(q+1)*w], q, planes, offset, p.nx, scratch)
		}
	}), len(m.Y.First), len(planes)*p.sheet)
	return true
}
