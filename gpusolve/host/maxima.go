package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

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
