package multigrid

import (
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

type prolongTask struct {
	fine, coarse *hostLevel
	x, xc        []float32
}

// Prolong sets x += P xc.
func (s *hostOperations) Prolong(fine, coarse Level, x, xc ops.Vector) {
	f, c := fine.(*hostLevel), coarse.(*hostLevel)
	s.prolongOp = prolongTask{f, c, values(x), values(xc)}
	f.rows(&s.prolongOp, f.ny)
	s.prolongOp = prolongTask{}
}

func (t *prolongTask) Run(lo, hi, worker int) {
	f, c := t.fine, t.coarse
	tr := &f.next
	w := f.s.Scratch(worker).Floats(c.nx + 2 + f.nx)
	line, part := w[:c.nx+2], w[c.nx+2:]
	for k := range f.nz {
		for j := lo; j < hi; j++ {
			o := f.pad + k*f.sheet + j*f.nx
			x := t.x[o : o+f.nx]
			v := tr.parts(k)
			if v == nil {
				t.row(x, line, rowTo{k, tr.plane(k), tr.wet[k]}, j)
				continue
			}
			for _, coolant := range [2]bool{false, true} {
				to := rowTo{k, tr.plane(k), nil}
				if coolant {
					to = rowTo{k, tr.plane(k) + 1, tr.wet[k]}
				}
				clear(part)
				t.row(part, line, to, j)
				v.kind(part, part, j, coolant)
				simd.Add(x, part, 1)
			}
		}
	}
}

// row adds the interpolation of row j from a plane of the coarse level.
func (t *prolongTask) row(x, line []float32, to rowTo, j int) {
	f, c := t.fine, t.coarse
	tr := &f.next
	near, far, weight := tr.y.rowsOf(j)
	a := t.xc[c.pad+to.plane*c.sheet+near*c.nx:][:c.nx]
	b := a
	if far >= 0 {
		b = t.xc[c.pad+to.plane*c.sheet+far*c.nx:][:c.nx]
	}
	if to.limited == nil && (tr.wx[to.k] != nil || tr.wy[to.k] != nil) {
		t.weighted(x, a, b, weight, to.k, j)
		return
	}
	wx, weight := to.weights(tr, j, f.nx, weight)
	simd.Towards(line[1:1+c.nx], a, b, weight)
	f.prolongLine(x, line, wx)
}

// prolongLine adds the geometric interpolation along x of a coarse row, line[1:len(line)-1].
func (l *hostLevel) prolongLine(x, line, wx []float32) {
	d := &l.next.x
	m := len(line) - 2
	v := line[1 : 1+m]
	switch {
	case d.kept():
		simd.Add(x, v, 1)
		return
	case !d.regular || wx != nil:
		if wx == nil {
			wx = d.Far
		}
		for i, w := range wx {
			own := v[d.Parent[i]]
			if w > 0 {
				own += w * (v[d.beyond(i)] - own)
			}
			x[i] += own
		}
		return
	}
	// Beyond the ends lies the same again.
	line[0], line[m+1] = v[0], v[m-1]
	simd.SpreadPairs(x, line, 0.75, 0.25)
}

// weighted adds the interpolation of coarse rows a (near) and b (far) with the plane's own weights.
func (t *prolongTask) weighted(x, a, b []float32, weight float32, k, j int) {
	f := t.fine
	tr := &f.next
	o := j * f.nx
	for i := range x {
		near, far := i, i
		wx, wy := float32(0), weight
		if !tr.x.kept() {
			near = int(tr.x.Parent[i])
			far = near
			if wx = tr.wx[k][o+i]; wx > 0 {
				far = int(tr.x.beyond(i))
			}
		}
		if tr.wy[k] != nil {
			wy = tr.wy[k][o+i]
		}
		x[i] += (1-wy)*((1-wx)*a[near]+wx*a[far]) + wy*((1-wx)*b[near]+wx*b[far])
	}
}
