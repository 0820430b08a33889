package host

import "thermsim/gpusolve/ops"

// tile is the number of columns solved together: their elimination stays in the first caches for any number of planes that matters.
const tile = 512

type startTask struct {
	l    *level
	x, b []float32
	c    float32
}

// Start sets x = c T^-1 b. It reads b, gz, inverse (twice gz) and writes x: 16 bytes per cell from memory.
func (s *system) Start(l ops.Level, x, b ops.Vector, c float32) {
	lv := l.(*level)
	s.startOp = startTask{lv, f32(x), f32(b), c}
	lv.rows(&s.startOp, lv.ny)
	s.startOp = startTask{}
}

func (t *startTask) run(lo, hi, worker int) {
	l := t.l
	y := l.s.dev.scratch[worker].floats(l.nz * min(tile, l.nx))
	for j := lo; j < hi; j++ {
		for i := 0; i < l.nx; i += tile {
			t.columns(j, i, min(tile, l.nx-i), y)
		}
	}
}

func (t *startTask) columns(j, i0, n int, y []float32) {
	l := t.l
	c := l.pad + j*l.nx + i0
	for k := 0; k < l.nz; k++ {
		yk := y[k*n : k*n+n]
		b, inv := t.b[c : c+n][:len(yk)], l.inverse[c : c+n][:len(yk)]
		if k == 0 {
			for i := range yk {
				yk[i] = b[i] * inv[i]
			}
		} else {
			g, below := l.gz[c-l.sheet : c-l.sheet+n][:len(yk)], y[(k-1)*n : k*n][:len(yk)]
			for i := range yk {
				yk[i] = (b[i] + g[i]*below[i]) * inv[i]
			}
		}
		c += l.sheet
	}
	for k := l.nz - 1; k >= 0; k-- {
		c -= l.sheet
		yk := y[k*n : k*n+n]
		if k < l.nz-1 {
			l.substitute(yk, y[(k+1)*n:(k+2)*n], c)
		}
		x := t.x[c : c+n][:len(yk)]
		for i, v := range yk {
			x[i] = t.c * v
		}
	}
}

// substitute adds to yk what the solved plane above contributes; c is the offset of the first cell.
func (l *level) substitute(yk, above []float32, c int) {
	n := len(yk)
	g, inv := l.gz[c : c+n][:n], l.inverse[c : c+n][:n]
	above = above[:n]
	for i := range yk {
		yk[i] += g[i] * inv[i] * above[i]
	}
}

type stepTask struct {
	l               *level
	dst, x, prev, b []float32
	a, c            float32
}

// Step sets dst = x + a (x - prev) + c T^-1 (b - A x). Since T is A without its lateral couplings, T^-1 (b - A x) is
// T^-1 (b + lateral x) - x, which needs neither the diagonal nor the vertical part of A x. It reads x, b, gx, gy, gz, inverse and
// writes dst: 28 bytes per cell, 32 with prev.
func (s *system) Step(l ops.Level, dst, x, prev, b ops.Vector, a, c float32) {
	lv := l.(*level)
	s.stepOp = stepTask{lv, f32(dst), f32(x), f32(prev), f32(b), a, c}
	lv.rows(&s.stepOp, lv.ny)
	s.stepOp = stepTask{}
}

func (t *stepTask) run(lo, hi, worker int) {
	l := t.l
	y := l.s.dev.scratch[worker].floats(l.nz * min(tile, l.nx))
	for j := lo; j < hi; j++ {
		for i := 0; i < l.nx; i += tile {
			t.columns(j, i, min(tile, l.nx-i), y)
		}
	}
}

func (t *stepTask) columns(j, i0, n int, y []float32) {
	l := t.l
	c := l.pad + j*l.nx + i0
	for k := 0; k < l.nz; k++ {
		yk := y[k*n : k*n+n]
		l.lateral(yk, t.x, c)
		b, inv := t.b[c : c+n][:len(yk)], l.inverse[c : c+n][:len(yk)]
		if k == 0 {
			for i := range yk {
				yk[i] = (b[i] + yk[i]) * inv[i]
			}
		} else {
			g, below := l.gz[c-l.sheet : c-l.sheet+n][:len(yk)], y[(k-1)*n : k*n][:len(yk)]
			for i := range yk {
				yk[i] = (b[i] + yk[i] + g[i]*below[i]) * inv[i]
			}
		}
		c += l.sheet
	}
	for k := l.nz - 1; k >= 0; k-- {
		c -= l.sheet
		yk := y[k*n : k*n+n]
		if k < l.nz-1 {
			l.substitute(yk, y[(k+1)*n:(k+2)*n], c)
		}
		t.combine(yk, c)
	}
}

func (t *stepTask) combine(yk []float32, c int) {
	n := len(yk)
	dst, x := t.dst[c : c+n][:n], t.x[c : c+n][:n]
	switch {
	case t.prev != nil:
		prev := t.prev[c : c+n][:n]
		for i, v := range yk {
			xi := x[i]
			dst[i] = xi + t.a*(xi-prev[i]) + t.c*(v-xi)
		}
	default:
		keep := 1 + t.a - t.c
		for i, v := range yk {
			dst[i] = keep*x[i] + t.c*v
		}
	}
}

// lateral sets y = sum of lateral couplings times neighbours for the cells from offset c on.
func (l *level) lateral(y, x []float32, c int) {
	n := len(y)
	ge, gw := l.gx[c : c+n][:n], l.gx[c-1 : c-1+n][:n]
	gn, gs := l.gy[c : c+n][:n], l.gy[c-l.nx : c-l.nx+n][:n]
	xe, xw := x[c+1 : c+1+n][:n], x[c-1 : c-1+n][:n]
	xn, xs := x[c+l.nx : c+l.nx+n][:n], x[c-l.nx : c-l.nx+n][:n]
	for i := range y {
		y[i] = ge[i]*xe[i] + gw[i]*xw[i] + gn[i]*xn[i] + gs[i]*xs[i]
	}
}
