package host

import (
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

// Memory movement per cell of one conjugate-gradient iteration: Dot reads r32, z (8 B); DirectionApply reads z, p,
// writes p (12 B), reads p and three couplings, writes q (24 B); Update reads p, q, x, r, writes x, r, r32 (48 B).

// meshWorkspace is what one solve of a mesh's system keeps.
type meshWorkspace struct {
	Iteration
	sys *system

	// The operations' arguments, kept here so that dispatching them allocates nothing.
	dotOp       dotTask
	directionOp directionTask
	applyOp     applyTask
	updateOp    updateTask
}

var _ ops.Workspace = (*meshWorkspace)(nil)

// NewWorkspace makes the scalars of a solve.
func (s *system) NewWorkspace() (ops.Workspace, error) {
	return &meshWorkspace{Iteration: Iteration{Space: &s.Space}, sys: s}, nil
}

// Apply sets y = A x.
func (w *meshWorkspace) Apply(y, x ops.Vector) { w.sys.Apply(y, x) }

type dotTask struct {
	s    *system
	r, z []float32
}

// Dot sets RZ, MaxZ and Beta.
func (w *meshWorkspace) Dot(r32, z ops.Vector, first bool) {
	s := w.sys
	w.dotOp = dotTask{s, r32.(*vec32).values(), z.(*vec32).values()}
	s.rows(&w.dotOp)
	w.dotOp = dotTask{}
	sums := s.sums(2)
	w.SetRZ(sums.of(0), sums.largest(1, 0), first)
}

func (t *dotTask) Run(lo, hi, _ int) {
	s := t.s
	for j := lo; j < hi; j++ {
		sum, top := 0.0, float32(0)
		for k := range s.nz {
			c := k*s.sheet + j*s.nx
			rz, z := simd.DotMax(t.r[c:c+s.nx], t.z[c:c+s.nx])
			sum += rz
			top = max(top, z)
		}
		s.partial[perRow*j], s.partial[perRow*j+1] = sum, float64(top)
	}
}

type directionTask struct {
	s    *system
	p, z []float32
	beta float32
}

func (t *directionTask) Run(lo, hi, _ int) {
	s := t.s
	for j := lo; j < hi; j++ {
		for k := range s.nz {
			c := k*s.sheet + j*s.nx
			p, z := t.p[c:c+s.nx], t.z[c:c+s.nx]
			if t.beta == 0 {
				copy(p, z)
			} else {
				simd.Direction(p, z, t.beta)
			}
		}
	}
}

type applyTask struct {
	s *system
	p []float32
	q []float64
}

// DirectionApply sets p = z + Beta p, q = A p, PQ and Alpha. p is FP32 and q the product of A with just that p in FP64:
// rounding p costs no accuracy, only a little conjugacy.
func (w *meshWorkspace) DirectionApply(p, z, q ops.Vector) {
	s := w.sys
	w.directionOp = directionTask{s, p.(*vec32).values(), z.(*vec32).values(), float32(w.beta)}
	s.rows(&w.directionOp)
	w.directionOp = directionTask{}
	w.applyOp = applyTask{s, f32(p), f64(q)}
	s.rows(&w.applyOp)
	w.applyOp = applyTask{}
	w.SetPQ(s.sums(1).of(0))
}

func (t *applyTask) Run(lo, hi, worker int) {
	s := t.s
	n := s.nx
	zero := s.Scratch(worker).Floats(n)
	clear(zero)
	for j := lo; j < hi; j++ {
		sum := 0.0
		for k := range s.nz {
			c := s.pad + k*s.sheet + j*n
			q, p := t.q[c:c+n], t.p[c:c+n]
			flow(s, q, t.p, k, j, zero)
			if g := s.heldIn(k, j); g != nil {
				simd.AddProduct(q, g, p)
			}
			sum += simd.Dot(p, q)
		}
		s.partial[perRow*j] = sum
	}
}

type updateTask struct {
	s       *system
	x, r, q []float64
	r32, p  []float32
	alpha   float64
}

// Update advances x and r along p.
func (w *meshWorkspace) Update(x, r, r32, p, _, q ops.Vector) {
	s := w.sys
	w.updateOp = updateTask{s, x.(*vec64).values(), r.(*vec64).values(), q.(*vec64).values(),
		r32.(*vec32).values(), p.(*vec32).values(), w.alpha}
	s.rows(&w.updateOp)
	w.updateOp = updateTask{}
	w.scalars.RR = s.sums(1).of(0)
}

func (t *updateTask) Run(lo, hi, _ int) {
	s := t.s
	n := s.nx
	for j := lo; j < hi; j++ {
		sum := 0.0
		for k := range s.nz {
			c := k*s.sheet + j*n
			sum += simd.Update(t.x[c:c+n], t.r[c:c+n], t.r32[c:c+n], t.p[c:c+n], t.q[c:c+n], t.alpha)
		}
		s.partial[perRow*j] = sum
	}
}
