package multigrid

import (
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

// tile is the number of columns solved together: their elimination stays in the first caches for any number of planes
// that matters.
const tile = 512

// smoothTask is Start where x is nil, and else Step.
type smoothTask struct {
	l               *hostLevel
	dst, x, prev, b []float32
	w               Relaxation
}

// Start sets x = c T^-1 b. It reads b, gz, inverse (twice gz) and writes x: 16 bytes per cell from memory.
func (s *hostOperations) Start(l Level, x, b ops.Vector, c float32) {
	s.smooth(smoothTask{l.(*hostLevel), values(x), nil, nil, values(b), Relaxation{C: c}})
}

// Step sets dst = x + a (x - prev) + c T^-1 (b - A x). Since T is A without its lateral couplings, T^-1 (b - A x) is
// T^-1 (b + lateral x) - x, which needs neither the diagonal nor the vertical part of A x. It reads x, b, gx, gy, gz,
// inverse and writes dst: 28 bytes per cell, 32 with prev.
func (s *hostOperations) Step(l Level, dst, x, prev, b ops.Vector, w Relaxation) {
	s.smooth(smoothTask{l.(*hostLevel), values(dst), values(x), values(prev), values(b), w})
}

func (s *hostOperations) smooth(t smoothTask) {
	s.smoothOp = t
	t.l.rows(&s.smoothOp, t.l.ny)
	s.smoothOp = smoothTask{}
}

func (t *smoothTask) Run(lo, hi, worker int) {
	l := t.l
	y := l.s.Scratch(worker).Floats((l.nz + 1) * min(tile, l.nx)) // the planes, and a right-hand side
	for j := lo; j < hi; j++ {
		for i := 0; i < l.nx; i += tile {
			t.columns(j, i, min(tile, l.nx-i), y)
		}
	}
}

func (t *smoothTask) columns(j, i0, n int, y []float32) {
	l := t.l
	c := l.pad + j*l.nx + i0
	var below []float32
	for k := range l.nz {
		yk := y[k*n : k*n+n]
		b := l.right(y[l.nz*n:(l.nz+1)*n], t.b[c:c+n], y, t.x, k, c)
		if t.x == nil {
			simd.Start(yk, b, l.inverse[c:c+n], l.below(k, c, n), below)
		} else {
			x := l.around(t.x, c, n)
			simd.Eliminate(yk, b, l.inverse[c:c+n], l.below(k, c, n), below, &x)
		}
		below = yk
		c += l.sheet
	}
	for k := l.nz - 1; k >= 0; k-- {
		c -= l.sheet
		yk := y[k*n : k*n+n]
		if k < l.nz-1 {
			l.substitute(yk, y[(k+1)*n:], k, c)
		}
		dst := t.dst[c : c+n]
		switch {
		case t.x == nil:
			simd.Scale(dst, yk, t.w.C)
		case t.prev != nil:
			simd.Momentum(dst, t.x[c:c+n], t.prev[c:c+n], yk, t.w.A, t.w.C)
		default:
			simd.Combine(dst, t.x[c:c+n], yk, 1+t.w.A-t.w.C, t.w.C)
		}
	}
}

// below are the couplings of n cells of plane k to the plane below, nil at the bottom, as the elimination leaves them;
// c is the offset of the first cell.
func (l *hostLevel) below(k, c, n int) []float32 {
	if k == 0 {
		return nil
	}
	return l.above(k-1, c-l.sheet, n)
}

// above are those to the plane above.
func (l *hostLevel) above(k, c, n int) []float32 {
	if l.cool != nil && l.cool.eliminated[k] != nil {
		cell := c - l.pad - k*l.sheet
		return l.cool.eliminated[k][cell : cell+n]
	}
	return l.gz[c : c+n]
}

// substitute adds to yk what the solved planes above contribute, one after the other in solved.
func (l *hostLevel) substitute(yk, solved []float32, k, c int) {
	n := len(yk)
	simd.Substitute(yk, l.above(k, c, n), l.inverse[c:c+n], solved[:n])
	if l.cool != nil && l.cool.far[k] != nil {
		cell := c - l.pad - k*l.sheet
		simd.Substitute(yk, l.cool.far[k][cell:cell+n], l.inverse[c:c+n], solved[n:2*n])
	}
}

// around are n values of x from offset c on, with their neighbours in the plane.
func (l *hostLevel) around(x []float32, c, n int) simd.Lateral[float32] {
	return simd.Around(l.gx, l.gy, x, c, n, l.nx)
}
