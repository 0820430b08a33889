package host

import (
	"math"

	"thermsim/gpusolve/ops"
)

// Memory movement per cell of one conjugate-gradient iteration: Dot reads r32, z (8 B); DirectionApply reads z, p, writes p (12 B), reads p
// and three couplings, writes q (24 B); Update reads p, q, x, r, writes x, r, r32 (48 B).

type dotTask struct {
	s    *system
	r, z []float32
}

// Dot sets RZ, MaxZ and Beta.
func (s *system) Dot(r32, z ops.Vector, first bool) {
	s.dotOp = dotTask{s, r32.(*vec32).values(), z.(*vec32).values()}
	s.rows(&s.dotOp)
	s.dotOp = dotTask{}
	rz, top := s.sum(0), 0.0
	for j := range s.ny {
		top = math.Max(top, s.partial[4*j+1])
	}
	s.setRZ(rz, top, first)
}

func (t *dotTask) run(lo, hi, _ int) {
	s := t.s
	for j := lo; j < hi; j++ {
		sum, top := 0.0, float32(0)
		for k := range s.nz {
			c := k*s.sheet + j*s.nx
			r := t.r[c : c+s.nx]
			z := t.z[c : c+s.nx][:len(r)]
			for i, v := range r {
				sum += float64(v) * float64(z[i])
				top = max(top, z[i], -z[i])
			}
		}
		s.partial[4*j], s.partial[4*j+1] = sum, float64(top)
	}
}

type directionTask struct {
	s    *system
	p, z []float32
	beta float32
}

func (t *directionTask) run(lo, hi, _ int) {
	s := t.s
	for j := lo; j < hi; j++ {
		for k := range s.nz {
			c := k*s.sheet + j*s.nx
			p := t.p[c : c+s.nx]
			z := t.z[c : c+s.nx][:len(p)]
			if t.beta == 0 {
				copy(p, z)
				continue
			}
			for i, v := range p {
				p[i] = z[i] + t.beta*v
			}
		}
	}
}

type applyTask struct {
	s *system
	p []float32
	q []float64
}

// DirectionApply sets p = z + Beta p, q = A p, PQ and Alpha. p is FP32 and q the product of A with just that p in FP64: rounding p
// costs no accuracy, only a little conjugacy.
func (s *system) DirectionApply(p, z, q ops.Vector) {
	s.directionOp = directionTask{s, p.(*vec32).values(), z.(*vec32).values(), float32(s.beta)}
	s.rows(&s.directionOp)
	s.directionOp = directionTask{}
	s.applyOp = applyTask{s, f32(p), f64(q)}
	s.rows(&s.applyOp)
	s.applyOp = applyTask{}
	s.setPQ(s.sum(0))
}

func (t *applyTask) run(lo, hi, worker int) {
	s := t.s
	n := s.nx
	zero := s.dev.scratch[worker].floats(n)
	clear(zero)
	for j := lo; j < hi; j++ {
		sum := 0.0
		for k := range s.nz {
			st, c := s.row(k, j, zero)
			x := around(t.p, c, n, s.sheet, k, s.nz)
			q := t.q[c : c+n]
			flow(q, &st, &x)
			if st.capacity != nil {
				for i, g := range st.capacity {
					q[i] += float64(g) * float64(x.own[i])
				}
			}
			for i, v := range x.own {
				sum += float64(v) * q[i]
			}
		}
		s.partial[4*j] = sum
	}
}

type updateTask struct {
	s       *system
	x, r, q []float64
	r32, p  []float32
	alpha   float64
}

// Update advances x and r along p.
func (s *system) Update(x, r, r32, p, _, q ops.Vector) {
	s.updateOp = updateTask{s, x.(*vec64).values(), r.(*vec64).values(), q.(*vec64).values(),
		r32.(*vec32).values(), p.(*vec32).values(), s.alpha}
	s.rows(&s.updateOp)
	s.updateOp = updateTask{}
	s.scalars.RR = s.sum(0)
}

func (t *updateTask) run(lo, hi, _ int) {
	s := t.s
	n := s.nx
	for j := lo; j < hi; j++ {
		sum := 0.0
		for k := range s.nz {
			c := k*s.sheet + j*n
			x, r, q := t.x[c:c+n], t.r[c : c+n][:n], t.q[c : c+n][:n]
			r32, p := t.r32[c : c+n][:n], t.p[c : c+n][:n]
			for i := range x {
				x[i] += t.alpha * float64(p[i])
				v := r[i] - t.alpha*q[i]
				r[i] = v
				r32[i] = float32(v)
				sum += v * v
			}
		}
		s.partial[4*j] = sum
	}
}

type multiplyTask struct {
	s    *system
	y, x []float64
}

// Apply sets y = A x.
func (s *system) Apply(y, x ops.Vector) {
	s.multiplyOp = multiplyTask{s, f64(y), f64(x)}
	s.rows(&s.multiplyOp)
	s.multiplyOp = multiplyTask{}
}

func (t *multiplyTask) run(lo, hi, worker int) {
	s := t.s
	n := s.nx
	zero := s.dev.scratch[worker].floats(n)
	clear(zero)
	for j := lo; j < hi; j++ {
		for k := range s.nz {
			st, c := s.row(k, j, zero)
			x := around(t.x, c, n, s.sheet, k, s.nz)
			y := t.y[c : c+n]
			flow(y, &st, &x)
			if st.capacity != nil {
				for i, g := range st.capacity {
					y[i] += float64(g) * x.own[i]
				}
			}
		}
	}
}
