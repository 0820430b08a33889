package host

import (
	"errors"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

// matrix is a system that was given as a matrix, in one of two forms. Loops go over blocks of rows, with one partial
// sum per block.
type matrix struct {
	Space
	by     *sparse.Diagonals // one of the two
	rows   *sparse.CSR
	blocks int
	// symmetric tells which Krylov methods are for it.
	symmetric bool

	partial  [][4]float64 // sums of a block
	algebraT algebraTask
}

var (
	_ ops.Operator = (*matrix)(nil)
	_ ops.Forms    = (*matrix)(nil)
)

// blockRows is the length of a block: long enough to make handing it out cheap, short enough to stay in cache.
const blockRows = 2048

// LoadDiagonals refers to the matrix, which must stay as it is.
func (d *Device) LoadDiagonals(a *sparse.Diagonals) (ops.Operator, error) {
	m := newMatrix(d, a.N())
	m.by, m.symmetric = a, a.Symmetric()
	m.newDiagonals(a, true)
	return m, nil
}

// LoadCSR refers to the matrix, which must stay as it is.
func (d *Device) LoadCSR(a *sparse.CSR) (ops.Operator, error) {
	m := newMatrix(d, a.N())
	m.rows = a
	_, skew := a.Asymmetric()
	m.symmetric = !skew
	m.newRows(a, true)
	return m, nil
}

func newMatrix(d *Device, n int) *matrix {
	m := &matrix{Space: newSpace(d, n, 0)}
	m.blocks = (n + blockRows - 1) / blockRows
	m.partial = make([][4]float64, m.blocks)
	m.Account(32 * int64(m.blocks))
	return m
}

// Symmetric tells which Krylov methods are for it.
func (m *matrix) Symmetric() bool { return m.symmetric }

// SourceOf is b = v.
func (m *matrix) SourceOf(v ops.Vector) ops.Source { return vectorSource{v.(*vec64)} }

// vectorSource is a vector as the right side of a matrix.
type vectorSource struct{ *vec64 }

// Read copies b to the host.
func (b vectorSource) Read(dst []float64) { copy(dst, b.values()) }

// Close leaves the vector to its owner.
func (b vectorSource) Close() {}

// errDiagonals is for methods that need a grid's matrix.
var errDiagonals = errors.New("the matrix is given by rows, not as the seven diagonals of a grid, so methods for " +
	"grids cannot use it; choose another preconditioner")

// Diagonals is the matrix, where it came so.
func (m *matrix) Diagonals() (ops.Diagonals, error) {
	if m.by == nil {
		return nil, errDiagonals
	}
	return m.newDiagonals(m.by, false), nil
}

// Rows is the matrix by rows.
func (m *matrix) Rows() (ops.Rows, error) {
	if m.rows != nil {
		return m.newRows(m.rows, false), nil
	}
	return m.newRows(m.by.CSRIn(m.Arrays()), true), nil
}

// algebraTask runs one of the matrix's operations on blocks of rows.
type algebraTask struct {
	m       *matrix
	body    func(t *algebraTask, lo, hi int) [4]float64
	b       []float64 // right side
	x, r, q []float64
	z, p    []float32
	factor  float64
}

func (t *algebraTask) Run(lo, hi, _ int) {
	for b := lo; b < hi; b++ {
		t.m.partial[b] = t.body(t, b*blockRows, min((b+1)*blockRows, t.m.cells))
	}
}

// do runs the task over all blocks and returns the sums of the first three values and the maximum of the fourth.
func (m *matrix) do(t algebraTask) (sum [3]float64, top float64) {
	t.m = m
	m.algebraT = t
	m.Run(&m.algebraT, m.blocks, m.cells)
	m.algebraT = algebraTask{}
	for _, p := range m.partial {
		sum[0] += p[0]
		sum[1] += p[1]
		sum[2] += p[2]
		top = math.Max(top, p[3])
	}
	return sum, top
}

// Apply sets y = A x.
func (m *matrix) Apply(y, x ops.Vector) {
	m.do(algebraTask{q: y.(*vec64).values(), x: x.(*vec64).values(),
		body: func(t *algebraTask, lo, hi int) (none [4]float64) {
			product(t.m, t.q, t.x, lo, hi)
			return none
		}})
}

// Residual computes r = b - A x and its norms.
func (m *matrix) Residual(r, r32 ops.Vector, b ops.Source, x ops.Vector) ops.Norms {
	t := algebraTask{b: b.(vectorSource).values(), r: r.(*vec64).values(), z: r32.(*vec32).values(),
		body: residualBlock}
	if x != nil {
		t.x = x.(*vec64).values()
	}
	s, _ := m.do(t)
	return ops.Norms{Residual: math.Sqrt(s[0]), Source: math.Sqrt(s[1]), Floor: 0x1p-53 * math.Sqrt(s[2])}
}

func residualBlock(t *algebraTask, lo, hi int) (sum [4]float64) {
	if t.x == nil {
		clear(t.r[lo:hi])
	} else {
		product(t.m, t.r, t.x, lo, hi)
	}
	for c := lo; c < hi; c++ {
		b := t.b[c]
		size := math.Abs(b)
		if t.x != nil {
			size += t.m.magnitude(t.x, c)
		}
		v := b - t.r[c]
		t.r[c], t.z[c] = v, float32(v)
		sum[0] += v * v
		sum[1] += b * b
		sum[2] += size * size
	}
	return sum
}

// matrixWorkspace is what one solve of a matrix keeps.
type matrixWorkspace struct {
	Iteration
	m *matrix
}

var _ ops.Workspace = (*matrixWorkspace)(nil)

// NewWorkspace makes the scalars of a solve.
func (m *matrix) NewWorkspace() (ops.Workspace, error) {
	return &matrixWorkspace{Iteration{Space: &m.Space}, m}, nil
}

// Apply sets y = A x.
func (w *matrixWorkspace) Apply(y, x ops.Vector) { w.m.Apply(y, x) }

// Dot sets RZ, MaxZ and Beta.
func (w *matrixWorkspace) Dot(r32, z ops.Vector, first bool) {
	s, top := w.m.do(algebraTask{p: r32.(*vec32).values(), z: z.(*vec32).values(),
		body: func(t *algebraTask, lo, hi int) (sum [4]float64) {
			for c := lo; c < hi; c++ {
				v := float64(t.z[c])
				sum[0] += float64(t.p[c]) * v
				sum[3] = max(sum[3], math.Abs(v))
			}
			return sum
		}})
	w.SetRZ(s[0], top, first)
}

// DirectionApply sets p = z + Beta p, q = A p, PQ and Alpha.
func (w *matrixWorkspace) DirectionApply(p, z, q ops.Vector) {
	t := algebraTask{p: p.(*vec32).values(), z: z.(*vec32).values(), q: q.(*vec64).values(), factor: w.beta}
	t.body = func(t *algebraTask, lo, hi int) (none [4]float64) {
		if t.factor == 0 {
			copy(t.p[lo:hi], t.z[lo:hi])
			return none
		}
		beta := float32(t.factor)
		for c := lo; c < hi; c++ {
			t.p[c] = t.z[c] + beta*t.p[c]
		}
		return none
	}
	w.m.do(t)
	t.body = func(t *algebraTask, lo, hi int) (sum [4]float64) {
		product(t.m, t.q, t.p, lo, hi)
		for c := lo; c < hi; c++ {
			sum[0] += float64(t.p[c]) * t.q[c]
		}
		return sum
	}
	s, _ := w.m.do(t)
	w.SetPQ(s[0])
}

// Update advances x and r along p.
func (w *matrixWorkspace) Update(x, r, r32, p, _, q ops.Vector) {
	t := algebraTask{x: x.(*vec64).values(), r: r.(*vec64).values(), z: r32.(*vec32).values(), p: p.(*vec32).values(),
		q: q.(*vec64).values(), factor: w.alpha}
	t.body = func(t *algebraTask, lo, hi int) (sum [4]float64) {
		for c := lo; c < hi; c++ {
			t.x[c] += t.factor * float64(t.p[c])
			v := t.r[c] - t.factor*t.q[c]
			t.r[c], t.z[c] = v, float32(v)
			sum[0] += v * v
		}
		return sum
	}
	s, _ := w.m.do(t)
	w.scalars.RR = s[0]
}
