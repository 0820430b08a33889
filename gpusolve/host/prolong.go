package host

import "thermsim/gpusolve/ops"

type prolongTask struct {
	fine, coarse *level
	x, xc        []float32
}

// Prolong sets x += P xc.
func (s *system) Prolong(fine, coarse ops.Level, x, xc ops.Vector) {
	f, c := fine.(*level), coarse.(*level)
	s.prolongOp = prolongTask{f, c, f32(x), f32(xc)}
	f.rows(&s.prolongOp, f.ny)
	s.prolongOp = prolongTask{}
}

func (t *prolongTask) run(lo, hi, worker int) {
	f, c := t.fine, t.coarse
	tr := &f.next
	line := f.s.dev.scratch[worker].floats(c.nx)
	for k := range f.nz {
		for j := lo; j < hi; j++ {
			near, far, weight := tr.y.rowsOf(j)
			a := t.xc[c.pad+k*c.sheet+near*c.nx:][:c.nx]
			b := a
			if far >= 0 {
				b = t.xc[c.pad+k*c.sheet+far*c.nx:][:c.nx]
			}
			o := f.pad + k*f.sheet + j*f.nx
			x := t.x[o : o+f.nx]
			if tr.wx[k] != nil || tr.wy[k] != nil {
				t.weighted(x, a, b, weight, k, j)
				continue
			}
			for i, v := range a {
				line[i] = v + weight*(b[i]-v)
			}
			f.prolongLine(x, line)
		}
	}
}

// prolongLine adds the geometric interpolation of a coarse row along x.
func (l *level) prolongLine(x, v []float32) {
	d := &l.next.x
	switch {
	case d.kept():
		add(x, v, 1)
		return
	case !d.regular:
		for i, w := range d.Far {
			own := v[d.Parent[i]]
			if w > 0 {
				own += w * (v[d.beyond(i)] - own)
			}
			x[i] += own
		}
		return
	}
	left := v[0]
	for i, own := range v {
		right := own
		if i+1 < len(v) {
			right = v[i+1]
		}
		pair := x[2*i : 2*i+2]
		pair[0] += 0.75*own + 0.25*left
		pair[1] += 0.75*own + 0.25*right
		left = own
	}
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
