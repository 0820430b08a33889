package host

import "thermsim/gpusolve/ops"

// InverseDiagonal fills d with 1/diag(A), the diagonal summed in FP64.
func (s *system) InverseDiagonal(d ops.Vector) {
	zero := make([]float32, s.nx)
	dst := f32(d)
	for k := range s.nz {
		for j := range s.ny {
			st, c := s.row(k, j, zero)
			for i := range s.nx {
				dst[c+i] = float32(1 / st.diagonal(i))
			}
		}
	}
}

type scaleTask struct {
	s       *system
	z, d, r []float32
}

// Scale sets z = d r, or z = r where d is nil.
func (s *system) Scale(z, d, r ops.Vector) {
	t := scaleTask{s: s, z: z.(*vec32).values(), r: r.(*vec32).values()}
	if d != nil {
		t.d = d.(*vec32).values()
	}
	s.scaleOp = t
	s.rows(&s.scaleOp)
	s.scaleOp = scaleTask{}
}

func (t *scaleTask) Run(lo, hi, _ int) {
	s := t.s
	for k := range s.nz {
		a, b := k*s.sheet+lo*s.nx, k*s.sheet+hi*s.nx
		if t.d == nil {
			copy(t.z[a:b], t.r[a:b])
			continue
		}
		for c := a; c < b; c++ {
			t.z[c] = t.d[c] * t.r[c]
		}
	}
}
