package host

import (
	"math"

	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

// stencil is one row of the operator: conductances to the six neighbours of each cell. All slices have the row's
// length.
type stencil struct {
	west, east, south, north, below, above []float32
	ground, capacity                       []float32 // nil where zero
}

// row returns the operator's row j of plane k and the offset of its first cell in padded vectors. zero must be nx
// zeros.
func (s *system) row(k, j int, zero []float32) (st stencil, c int) {
	n := s.nx
	c = s.pad + k*s.sheet + j*n
	st.east = s.gx.buf[c : c+n]
	st.west = s.gx.buf[c-1 : c-1+n]
	st.north = s.gy.buf[c : c+n]
	st.south = s.gy.buf[c-n : c]
	st.above = s.gz.buf[c : c+n]
	st.below = zero
	if k > 0 {
		st.below = s.gz.buf[c-s.sheet : c-s.sheet+n]
	}
	if g := s.ground[k]; g != nil {
		st.ground = g[j*n : j*n+n]
	}
	st.capacity = s.heldIn(k, j)
	return st, c
}

// together is the number of rows whose products are found at once: those of small grids are too short for vector
// instructions. Coolant is added row by row.
func (s *system) together() int {
	if s.cooling != nil {
		return 1
	}
	return max(1, 512/s.nx)
}

// vertical are the couplings of rows of plane k from row j on to the planes below and above, and the values of v there.
// In the bottom and top plane the missing row is the row itself, which has no effect because its coupling is zero. zero
// must be as many zeros as there are cells in the rows.
func vertical[T float32 | float64](s *system, v []T, k, j int, zero []float32) (gBelow, gAbove []float32, below,
	above []T) {
	n := len(zero)
	c := s.pad + k*s.sheet + j*s.nx
	gBelow, gAbove = zero, s.gz.buf[c:c+n]
	below, above = v[c:c+n], v[c:c+n]
	if k > 0 {
		gBelow = s.gz.buf[c-s.sheet : c-s.sheet+n]
		below = v[c-s.sheet : c-s.sheet+n]
	}
	if k < s.nz-1 {
		above = v[c+s.sheet : c+s.sheet+n]
	}
	return gBelow, gAbove, below, above
}

// flow computes q = A x for rows of plane k from row j on in FP64, capacity left out. Couplings across the ends of rows
// are zero.
func flow[T float32 | float64](s *system, q []float64, x []T, k, j int, zero []float32) {
	n := len(q)
	c := s.pad + k*s.sheet + j*s.nx
	l := simd.Around(s.gx.buf, s.gy.buf, x, c, n, s.nx)
	gBelow, gAbove, below, above := vertical(s, x, k, j, zero[:n])
	simd.Flow(q, &l, gBelow, gAbove, below, above)
	if g := s.ground[k]; g != nil {
		simd.AddProduct(q, g[j*s.nx:j*s.nx+n], x[c:c+n])
	}
	if s.cooling != nil {
		addCooling(s, q, x, k, j)
	}
}

// heldIn is a row of a plane's capacities, nil where it has none.
func (s *system) heldIn(k, j int) []float32 { return s.heldFrom(k, j, s.nx) }

// heldFrom are the capacities of n cells from row j on.
func (s *system) heldFrom(k, j, n int) []float32 {
	if g := s.capacity[k]; g != nil {
		return g[j*s.nx : j*s.nx+n]
	}
	return nil
}

func (s *system) Apply(y, x ops.Vector) {
	out, v, n := f64(y), f64(x), s.nx
	s.rows(loop(func(lo, hi, worker int) {
		zero := s.Scratch(worker).Floats(n)
		clear(zero)
		for j := lo; j < hi; j++ {
			for k := range s.nz {
				c := s.pad + k*s.sheet + j*n
				flow(s, out[c:c+n], v, k, j, zero)
				if g := s.heldIn(k, j); g != nil {
					simd.AddProduct(out[c:c+n], g, v[c:c+n])
				}
			}
		}
	}))
}

// residualTask computes r = b - A x. In a transient the capacity acts on old - x, so that the heat content at the start
// of the step, which nearly cancels, is never formed.
type residualTask struct {
	s    *system
	b    *source
	r, x []float64
	r32  []float32
}

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
	rows := min(s.together(), hi-lo)
	n := rows * s.nx
	w := s.Scratch(worker)
	d := w.Doubles(3 * n)
	zero := w.Floats(n)
	clear(zero)
	for j := lo; j < hi; j += rows {
		if t.x == nil {
			for row := j; row < min(j+rows, hi); row++ {
				t.sourceRow(row, d[:s.nx])
			}
			continue
		}
		clear(s.partial[perRow*j : perRow*min(j+rows, hi)])
		n := min(rows, hi-j) * s.nx
		for k := range s.nz {
			t.plane(k, j, [3][]float64{d[:n], d[n : 2*n], d[2*n : 3*n]}, zero)
		}
	}
}

// plane finds the residual of rows of plane k from row j on, and adds to their sums. work are A x, b and the scale of
// the rounding errors.
func (t *residualTask) plane(k, j int, work [3][]float64, zero []float32) {
	s := t.s
	q, b, size := work[0], work[1], work[2]
	c, n := s.pad+k*s.sheet+j*s.nx, len(q)
	flow(s, q, t.x, k, j, zero)
	t.b.heat(b, k, j)
	s.magnitude(size, t.x, k, j, zero)
	g := s.heldFrom(k, j, n)
	if g != nil {
		if t.b.old == nil {
			simd.AddProduct(q, g, t.x[c:c+n])
		}
		simd.AddMagnitude(size, g, t.x[c:c+n])
	}
	for ; len(q) > 0; j, c = j+1, c+s.nx {
		n := s.nx
		p := s.partial[perRow*j:][:perRow]
		if g != nil && t.b.old != nil {
			p[1] += simd.Hold(q[:n], b[:n], g[:n], t.x[c:c+n], t.b.old[c:c+n])
			g = g[n:]
		}
		r, source, floor := simd.Residual(t.r[c:c+n], t.r32[c:c+n], b[:n], q[:n], size[:n])
		p[0], p[1], p[2] = p[0]+r, p[1]+source, p[2]+floor
		q, b, size = q[n:], b[n:], size[n:]
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

// magnitude computes |A| |x| for rows of plane k from row j on, up to a factor of 2: the scale of the residual's
// rounding errors.
func (s *system) magnitude(size, x []float64, k, j int, zero []float32) {
	n := len(size)
	c := s.pad + k*s.sheet + j*s.nx
	l := simd.Around(s.gx.buf, s.gy.buf, x, c, n, s.nx)
	gBelow, gAbove, _, _ := vertical(s, x, k, j, zero[:n])
	simd.Magnitude(size, &l, gBelow, gAbove)
	if g := s.ground[k]; g != nil {
		simd.AddMagnitude(size, g[j*s.nx:j*s.nx+n], x[c:c+n])
	}
	if s.cooling != nil {
		s.cooling.addMagnitude(s, size, x, k, j)
	}
}

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

func (s *system) NewWorkspace() (ops.Workspace, error) {
	return &meshWorkspace{Iteration: Iteration{Space: &s.Space}, sys: s}, nil
}

func (w *meshWorkspace) Apply(y, x ops.Vector) { w.sys.Apply(y, x) }

type dotTask struct {
	s    *system
	r, z []float32
}

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
	rows := min(s.together(), hi-lo)
	zero := s.Scratch(worker).Floats(rows * s.nx)
	clear(zero)
	for j := lo; j < hi; j += rows {
		last := min(j+rows, hi)
		n := (last - j) * s.nx
		clear(s.partial[perRow*j : perRow*last])
		for k := range s.nz {
			c := s.pad + k*s.sheet + j*s.nx
			q, p := t.q[c:c+n], t.p[c:c+n]
			flow(s, q, t.p, k, j, zero)
			if g := s.heldFrom(k, j, n); g != nil {
				simd.AddProduct(q, g, p)
			}
			for row := j; row < last; row++ {
				from, to := (row-j)*s.nx, (row-j+1)*s.nx
				s.partial[perRow*row] += simd.Dot(p[from:to], q[from:to])
			}
		}
	}
}

type updateTask struct {
	s       *system
	x, r, q []float64
	r32, p  []float32
	alpha   float64
}

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

// Iteration holds the scalars of one solve. Two of them on one space are two solves.
type Iteration struct {
	*Space
	scalars ops.Scalars
	alpha   float64
	beta    float64
}

// IterationOf is the processor's part of a workspace, for methods that set its scalars by themselves. ok is false for
// what lives elsewhere.
func IterationOf(w ops.Workspace) (i *Iteration, ok bool) {
	on, ok := w.(interface{ hostIteration() *Iteration })
	if !ok {
		return nil, false
	}
	return on.hostIteration(), true
}

func (w *Iteration) hostIteration() *Iteration { return w }

// Close has nothing to give back that the collector would not take.
func (w *Iteration) Close() {}

// NewDirection makes an FP32 vector: the processor updates directions in place.
func (w *Iteration) NewDirection() (ops.Vector, error) { return w.New32() }

// Settle has nothing to do: every Update moves x.
func (w *Iteration) Settle(_, _ ops.Vector) {}

func (w *Iteration) Scalars() ops.Scalars { return w.scalars }

// SetPQ keeps the curvature along a direction and the step that follows from it, 0 where that means nothing.
func (w *Iteration) SetPQ(pq float64) {
	w.scalars.PQ = pq
	w.alpha = w.scalars.RZ / pq
	if !(pq > 0) || !finite(w.alpha) {
		w.alpha = 0
	}
}

// SetRZ keeps r.z and max|z|, and the weight of the former direction.
func (w *Iteration) SetRZ(rz, maxZ float64, first bool) {
	w.beta = 0
	if !first {
		w.beta = rz / w.scalars.RZ
	}
	w.scalars.RZ, w.scalars.MaxZ = rz, maxZ
}

func (w *Iteration) SetRR(rr float64) { w.scalars.RR = rr }

// Alpha is the length of a step along the direction.
func (w *Iteration) Alpha() float64 { return w.alpha }

// Beta is the weight of the former direction in the new one.
func (w *Iteration) Beta() float64 { return w.beta }

func finite(v float64) bool { return v-v == 0 }

func (s *system) Stored(x, old ops.Vector) float64 {
	s.forRows(x, old, s.storedRow)
	return s.sums(1).of(0)
}

func (s *system) storedRow(x, old []float64, j int) {
	sum := 0.0
	for k := range s.nz {
		c := k*s.sheet + j*s.nx
		sum += simd.Stored(s.capacity[k][j*s.nx:(j+1)*s.nx], x[c:c+s.nx], old[c:c+s.nx])
	}
	s.partial[perRow*j] = sum
}

// FaceHeat is the heat in W that leaves through each face, with the conductances that the operator holds. The ground of
// a cell on a single face is its conductance, unless temperatures have changed it.
func (s *system) FaceHeat(x ops.Vector) (heat [6]float64) {
	v, constant := x.(*vec64).values(), s.following == nil && s.leaking == nil
	for f := range stack.Face(stack.NumFaces) {
		if !s.mesh.Exchanges(f) {
			continue
		}
		s.mesh.FaceCells(f, [2]int{0, s.nz}, func(i, j, k int) {
			if !s.owns(j) {
				return
			}
			d := s.mesh.Drive(f, i, j, k)
			if d.Flux != 0 {
				heat[f] -= d.Flux * s.mesh.CellFaceArea(f, i, j, k)
			}
			c := j*s.nx + i
			switch at := v[k*s.sheet+c]; {
			case !d.Driven():
			case constant && s.mesh.OnOneFace(i, j, k):
				heat[f] += float64(s.ground[k][c]) * (at - (d.Temperature - s.mesh.Stack.Ambient))
			default:
				own := s.faceMaterial(v, i, j, k)
				_, _, leaves := s.mesh.FaceTerm(f, i, j, k, &own, at)
				heat[f] += leaves
			}
		})
	}
	if s.share != nil {
		s.share.total(&s.grid, heat[:])
	}
	return heat
}
