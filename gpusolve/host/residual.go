package host

import (
	"math"

	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

// residualTask computes r = b - A x. In a transient the capacity acts on old - x, so that the heat content at the start
// of the step, which nearly cancels, is never formed.
type residualTask struct {
	s    *system
	b    *source
	r, x []float64
	r32  []float32
}

// Residual computes r = b - A x and its norms.
func (s *system) Residual(r, r32 ops.Vector, b ops.Source, x ops.Vector) ops.Norms {
	s.residualOp = residualTask{s, b.(*source), f64(r), f64(x), f32(r32)}
	s.rows(&s.residualOp)
	s.residualOp = residualTask{}
	sums := s.sums(3)
	return ops.Norms{
		Residual: math.Sqrt(sums.of(0)),
		Source:   math.Sqrt(sums.of(1)),
		Floor:    0x1p-53 * math.Sqrt(sums.of(2)),
	}
}

func (t *residualTask) Run(lo, hi, worker int) {
	s := t.s
	n := s.nx
	w := s.Scratch(worker)
	d := w.Doubles(3 * n)
	q, b, size := d[:n], d[n:2*n], d[2*n:]
	zero := w.Floats(n)
	clear(zero)
	for j := lo; j < hi; j++ {
		if t.x == nil {
			t.sourceRow(j, b)
			continue
		}
		var rr, bb, ff float64
		for k := range s.nz {
			c := s.pad + k*s.sheet + j*n
			flow(s, q, t.x, k, j, zero)
			t.b.heat(b, k, j)
			s.magnitude(size, t.x, k, j, zero)
			if g := s.heldIn(k, j); g != nil {
				if t.b.old != nil {
					bb += simd.Hold(q, b, g, t.x[c:c+n], t.b.old[c:c+n])
				} else {
					simd.AddProduct(q, g, t.x[c:c+n])
				}
				simd.AddMagnitude(size, g, t.x[c:c+n])
			}
			r, source, floor := simd.Residual(t.r[c:c+n], t.r32[c:c+n], b, q, size)
			rr, bb, ff = rr+r, bb+source, ff+floor
		}
		p := s.partial[perRow*j:][:perRow]
		p[0], p[1], p[2] = rr, bb, ff
	}
}

// sourceRow is a row of the residual of x = 0: b itself.
func (t *residualTask) sourceRow(j int, b []float64) {
	s := t.s
	var bb float64
	for k := range s.nz {
		t.b.values(b, k, j)
		c := s.pad + k*s.sheet + j*s.nx
		for i, v := range b {
			t.r[c+i] = v
			t.r32[c+i] = float32(v)
			bb += v * v
		}
	}
	p := s.partial[perRow*j:][:perRow]
	p[0], p[1], p[2] = bb, bb, bb
}

// magnitude computes |A| |x| for row j of plane k, up to a factor of 2: the scale of the residual's rounding errors.
func (s *system) magnitude(size, x []float64, k, j int, zero []float32) {
	n := s.nx
	c := s.pad + k*s.sheet + j*n
	l := simd.Around(s.gx.buf, s.gy.buf, x, c, n, n)
	gBelow, gAbove, _, _ := vertical(s, x, k, j, zero)
	simd.Magnitude(size, &l, gBelow, gAbove)
	if g := s.ground[k]; g != nil {
		simd.AddMagnitude(size, g[j*n:j*n+n], x[c:c+n])
	}
	if s.cooling != nil {
		s.cooling.addMagnitude(s, size, x, k, j)
	}
}
