package host

import (
	"errors"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

// matrix is a system that was given as a matrix, in one of two forms. Loops go over blocks of rows, with one partial
// sum per block.
type matrix struct {
	Space
	by     *sparse.Diagonals // one of the two
	rows   *sparse.CSR
	blocks int
	// symmetric selects the Krylov methods that apply.
	symmetric bool

	partial [][4]float64 // sums of a block
}

var _ ops.Forms = (*matrix)(nil)

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

func (m *matrix) Symmetric() bool { return m.symmetric }

func (m *matrix) SourceOf(v ops.Vector) ops.Source { return vectorSource{v.(*vec64)} }

// vectorSource is a vector as the right side of a matrix.
type vectorSource struct{ *vec64 }

func (b vectorSource) Read(dst []float64) { copy(dst, b.values()) }

func (b vectorSource) Close() {}

// errDiagonals is for methods that need a grid's matrix.
var errDiagonals = errors.New("the matrix is given by rows, not as the seven diagonals of a grid, so methods for " +
	"grids cannot use it; choose another preconditioner")

func (m *matrix) Diagonals() (ops.Diagonals, error) {
	if m.by == nil {
		return nil, errDiagonals
	}
	return m.newDiagonals(m.by, false), nil
}

func (m *matrix) Rows() (ops.Rows, error) {
	if m.rows != nil {
		return m.newRows(m.rows, false), nil
	}
	return m.newRows(m.by.CSRIn(m.Arrays()), true), nil
}

// do runs body over all blocks and returns the sums of the first three values and the maximum of the fourth.
func (m *matrix) do(body func(lo, hi int) [4]float64) (sum [3]float64, top float64) {
	m.Loop(m.blocks, m.cells, func(first, end, _ int) {
		for b := first; b < end; b++ {
			m.partial[b] = body(b*blockRows, min((b+1)*blockRows, m.cells))
		}
	})
	for _, p := range m.partial {
		sum[0] += p[0]
		sum[1] += p[1]
		sum[2] += p[2]
		top = math.Max(top, p[3])
	}
	return sum, top
}

func (m *matrix) Apply(y, x ops.Vector) {
	out, v := Doubles(y), Doubles(x)
	m.do(func(lo, hi int) (none [4]float64) {
		product(m, out, v, lo, hi)
		return none
	})
}

func (m *matrix) Residual(r, r32 ops.Vector, b ops.Source, x ops.Vector) ops.Norms {
	t := matrixResidual{m: m, b: b.(vectorSource).values(), r: Doubles(r), r32: Singles(r32)}
	if x != nil {
		t.x = Doubles(x)
	}
	s, _ := m.do(t.block)
	return ops.Norms{Residual: math.Sqrt(s[0]), Source: math.Sqrt(s[1]), Floor: 0x1p-53 * math.Sqrt(s[2])}
}

// matrixResidual computes r = b - A x; a nil x is zero.
type matrixResidual struct {
	m       *matrix
	b, x, r []float64
	r32     []float32
}

func (t *matrixResidual) block(lo, hi int) (sum [4]float64) {
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
		t.r[c], t.r32[c] = v, float32(v)
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

func (m *matrix) NewWorkspace() (ops.Workspace, error) {
	return &matrixWorkspace{Iteration{Space: &m.Space}, m}, nil
}

func (w *matrixWorkspace) Apply(y, x ops.Vector) { w.m.Apply(y, x) }

func (w *matrixWorkspace) Dot(r32, z ops.Vector, first bool) {
	r, zs := Singles(r32), Singles(z)
	s, top := w.m.do(func(lo, hi int) (sum [4]float64) {
		for c := lo; c < hi; c++ {
			v := float64(zs[c])
			sum[0] += float64(r[c]) * v
			sum[3] = max(sum[3], math.Abs(v))
		}
		return sum
	})
	w.SetRZ(s[0], top, first)
}

func (w *matrixWorkspace) DirectionApply(p, z, q ops.Vector) {
	ps, zs, qs, beta := Singles(p), Singles(z), Doubles(q), float32(w.beta)
	w.m.do(func(lo, hi int) (none [4]float64) {
		if w.beta == 0 {
			copy(ps[lo:hi], zs[lo:hi])
			return none
		}
		for c := lo; c < hi; c++ {
			ps[c] = zs[c] + beta*ps[c]
		}
		return none
	})
	s, _ := w.m.do(func(lo, hi int) (sum [4]float64) {
		product(w.m, qs, ps, lo, hi)
		for c := lo; c < hi; c++ {
			sum[0] += float64(ps[c]) * qs[c]
		}
		return sum
	})
	w.SetPQ(s[0])
}

func (w *matrixWorkspace) Update(x, r, r32, p, _, q ops.Vector) {
	xs, rs, singles, ps, qs, alpha := Doubles(x), Doubles(r), Singles(r32), Singles(p), Doubles(q), w.alpha
	s, _ := w.m.do(func(lo, hi int) (sum [4]float64) {
		for c := lo; c < hi; c++ {
			xs[c] += alpha * float64(ps[c])
			v := rs[c] - alpha*qs[c]
			rs[c], singles[c] = v, float32(v)
			sum[0] += v * v
		}
		return sum
	})
	w.scalars.RR = s[0]
}

// product sets y = A x for the rows from lo to hi, in FP64.
func product[T float32 | float64](m *matrix, y []float64, x []T, lo, hi int) {
	if m.rows != nil {
		for r := lo; r < hi; r++ {
			cols, vals := m.rows.Row(r)
			sum := 0.0
			for i, c := range cols {
				sum += vals[i] * float64(x[c])
			}
			y[r] = sum
		}
		return
	}
	d := m.by
	for c := lo; c < hi; c++ {
		y[c] = d.Main[c] * float64(x[c])
	}
	for _, b := range bandsOf(d) {
		addBand(y, x, b, lo, hi)
	}
}

// band are the diagonals at an offset above and below the main one.
type band struct {
	upper, lower []float64
	offset       int
}

func bandsOf(d *sparse.Diagonals) [3]band {
	lx, ly, lz := d.Lower()
	return [3]band{{d.X, lx, 1}, {d.Y, ly, d.NX}, {d.Z, lz, d.NX * d.NY}}
}

func addBand[T float32 | float64](y []float64, x []T, b band, lo, hi int) {
	for c := lo; c < min(hi, len(b.upper)); c++ {
		y[c] += b.upper[c] * float64(x[c+b.offset])
	}
	for c := max(lo, b.offset); c < min(hi, len(b.lower)+b.offset); c++ {
		y[c] += b.lower[c-b.offset] * float64(x[c-b.offset])
	}
}

// magnitude is the sum of |A_cn| |x_n| over the entries of row c.
func (m *matrix) magnitude(x []float64, c int) float64 {
	sum := 0.0
	if m.rows != nil {
		cols, vals := m.rows.Row(c)
		for i, n := range cols {
			sum += math.Abs(vals[i] * x[n])
		}
		return sum
	}
	d := m.by
	sum = math.Abs(d.Main[c] * x[c])
	for _, b := range bandsOf(d) {
		if c < len(b.upper) {
			sum += math.Abs(b.upper[c] * x[c+b.offset])
		}
		if n := c - b.offset; n >= 0 && n < len(b.lower) {
			sum += math.Abs(b.lower[n] * x[n])
		}
	}
	return sum
}

// diagonals and rows are matrices that methods build on, counted in their space's memory until released.
type diagonals struct {
	*sparse.Diagonals
	s     *Space
	bytes int64
}

type rows struct {
	*sparse.CSR
	s     *Space
	bytes int64
}

func (d *diagonals) Shape() (nx, ny, nz int) { return d.NX, d.NY, d.NZ }

func (d *diagonals) Download() *sparse.Diagonals { return d.Diagonals }

func (d *diagonals) Release() {
	d.s.Account(-d.bytes)
	d.bytes, d.Diagonals = 0, nil
}

func (r *rows) Len() int { return r.N() }

func (r *rows) Entries() int64 { return int64(r.CSR.Entries()) }

func (r *rows) Download() *sparse.CSR { return r.CSR }

func (r *rows) Release() {
	r.s.Account(-r.bytes)
	r.bytes, r.CSR = 0, nil
}

// newDiagonals counts what the space made for the form; a form of what the space holds anyway costs nothing.
func (s *Space) newDiagonals(d *sparse.Diagonals, own bool) *diagonals {
	f := &diagonals{Diagonals: d, s: s}
	if own {
		f.bytes = 8 * int64(len(d.Main)+len(d.X)+len(d.Y)+len(d.Z)+len(d.LowerX)+len(d.LowerY)+len(d.LowerZ))
	}
	s.Account(f.bytes)
	return f
}

func (s *Space) newRows(a *sparse.CSR, own bool) *rows {
	f := &rows{CSR: a, s: s}
	if own {
		f.bytes = 8*int64(len(a.RowPtr)) + 12*int64(len(a.Col))
	}
	s.Account(f.bytes)
	return f
}

func (s *system) Diagonals() (ops.Diagonals, error) {
	d, beside, err := s.NearDiagonals()
	if err == nil && beside > 0 {
		d.Release()
		return nil, errCoolant
	}
	return d, err
}

// NearDiagonals are those of the mesh's operator, without the couplings two planes apart that porous cavities have.
func (s *system) NearDiagonals() (d ops.Diagonals, beside int64, err error) {
	a := s.expand()
	if s.cooling != nil {
		beside = s.cooling.addDiagonals(s, a)
	}
	return s.newDiagonals(a, true), beside, nil
}

// errCoolant is why the operator of a stack with a porous cavity has no diagonals.
var errCoolant = errors.New("a porous cavity couples cells beyond the seven diagonals of a grid")

func (s *system) Rows() (ops.Rows, error) {
	if s.cooling != nil {
		a, err := s.cooledRows()
		if err != nil {
			return nil, err
		}
		return s.newRows(a, true), nil
	}
	return s.newRows(s.expand().CSRIn(s.Arrays()), true), nil
}

// expand sums the diagonal in FP64.
func (s *system) expand() *sparse.Diagonals {
	d := sparse.DiagonalsIn(s.Arrays(), s.nx, s.ny, s.nz)
	zero := reuse.Make[float32](s.Arrays(), s.nx)
	for k := range s.nz {
		for j := range s.ny {
			st, c := s.row(k, j, zero)
			c -= s.pad
			for i := range s.nx {
				d.Main[c+i] = st.diagonal(i)
			}
			negate(d.X, c, st.east)
			negate(d.Y, c, st.north)
			negate(d.Z, c, st.above)
		}
	}
	return d
}

// negate writes a row of couplings into a diagonal, as far as that reaches.
func negate(band []float64, c int, g []float32) {
	for i, v := range g {
		if c+i < len(band) {
			band[c+i] = -float64(v)
		}
	}
}

// diagonal of cell i of the row, in FP64.
func (st *stencil) diagonal(i int) float64 {
	v := float64(st.west[i]) + float64(st.east[i]) + float64(st.south[i]) + float64(st.north[i]) +
		float64(st.below[i]) + float64(st.above[i])
	if st.ground != nil {
		v += float64(st.ground[i])
	}
	if st.capacity != nil {
		v += float64(st.capacity[i])
	}
	return v
}
