package cuda

import (
	"errors"
	"math"

	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

// matrix is a system that was given as a matrix, in one of two forms.
type matrix struct {
	Space
	kernels *kernels.Matrix
	by      *Diagonals // one of the two
	rows    *Rows
	// symmetric tells which Krylov methods are for it.
	symmetric bool
}

var (
	_ ops.Operator = (*matrix)(nil)
	_ ops.Forms    = (*matrix)(nil)
)

// LoadDiagonals copies the matrix to the GPU.
func (d *Device) LoadDiagonals(a *sparse.Diagonals) (ops.Operator, error) {
	return d.newMatrix(int64(a.N()), func(m *matrix) {
		s := &m.Space
		m.symmetric = a.Symmetric()
		m.by = &Diagonals{
			s: s, nx: a.NX, ny: a.NY, nz: a.NZ, symmetric: a.Symmetric(), lent: true,
			main: Upload(s, a.Main), x: Upload(s, a.X), y: Upload(s, a.Y), z: Upload(s, a.Z),
		}
		m.by.lowerX, m.by.lowerY, m.by.lowerZ = m.by.x, m.by.y, m.by.z
		if !a.Symmetric() {
			m.by.lowerX, m.by.lowerY, m.by.lowerZ = Upload(s, a.LowerX), Upload(s, a.LowerY), Upload(s, a.LowerZ)
		}
	})
}

// LoadCSR copies the matrix to the GPU.
func (d *Device) LoadCSR(a *sparse.CSR) (ops.Operator, error) {
	return d.newMatrix(int64(a.N()), func(m *matrix) {
		s := &m.Space
		_, skew := a.Asymmetric()
		m.symmetric = !skew
		m.rows = UploadRows(s, a)
		m.rows.lent = true
	})
}

func (d *Device) newMatrix(n int64, load func(*matrix)) (ops.Operator, error) {
	if err := d.LoadSystems(); err != nil {
		return nil, err
	}
	k, err := Module(d, "matrix", kernels.LoadMatrix)
	if err != nil {
		return nil, err
	}
	m := &matrix{Space: newSpace(d, n, 0), kernels: k}
	m.maxBlocks = ReductionBlocks
	m.reductions(3 * ReductionBlocks)
	load(m)
	if m.err != nil {
		err := m.err
		m.Free()
		return nil, err
	}
	return m, nil
}

// Grid of the kernels: a thread a row, or several lanes a row where rows have lengths of their own.
func (m *matrix) Grid() [3]uint32 {
	per := int64(kernels.MatrixThreads)
	if m.rows != nil {
		per /= kernels.MatrixLanes
	}
	return [3]uint32{uint32(max(1, min((m.cells+per-1)/per, ReductionBlocks))), 1, 1}
}

// NewWork makes an FP64 vector: nothing is known of the matrix's range.
func (m *matrix) NewWork() (ops.Vector, error) { return m.New64() }

// Single makes an FP32 vector beside w.
func (m *matrix) Single(ops.Vector) (ops.Vector, error) { return m.New32() }

// Symmetric tells which Krylov methods are for it.
func (m *matrix) Symmetric() bool { return m.symmetric }

// SourceOf is b = v.
func (m *matrix) SourceOf(v ops.Vector) ops.Source { return vectorSource{m, v.(*vector[float64])} }

// vectorSource is a vector as the right side of a matrix.
type vectorSource struct {
	m *matrix
	*vector[float64]
}

// Read copies b to the host.
func (b vectorSource) Read(dst []float64) { b.m.Read(b.vector, dst) }

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
	return m.by, m.err
}

// Rows is the matrix by rows.
func (m *matrix) Rows() (ops.Rows, error) {
	if m.rows != nil {
		return m.rows, m.err
	}
	return m.rowsOf(m.by)
}

// Apply sets y = A x.
func (m *matrix) Apply(y, x ops.Vector) {
	if !m.Ready() {
		return
	}
	if r := m.rows; r != nil {
		m.Note(m.kernels.MultiplyRows(m.Stream, m.Grid(), kernels.MatrixMultiplyRowsArgs{
			N: m.cells, RowPtr: r.rowPtr, Col: r.col, Val: r.val, V: F64(x), Out: F64(y),
		}))
		return
	}
	d := m.by
	m.Note(m.kernels.MultiplyBands(m.Stream, m.Grid(), kernels.MatrixMultiplyBandsArgs{
		N: m.cells, Nx: int64(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
		Ly: d.lowerY,
		Lz: d.lowerZ, V: F64(x), Out: F64(y),
	}))
}

// Residual computes r = b - A x and its norms.
func (m *matrix) Residual(r, r32 ops.Vector, source ops.Source, x ops.Vector) ops.Norms {
	b := source.(vectorSource).at
	if m.Ready() {
		if a := m.rows; a != nil {
			m.Note(m.kernels.ResidualRows(m.Stream, m.Grid(), kernels.MatrixResidualRowsArgs{
				N: m.cells, RowPtr: a.rowPtr, Col: a.col, Val: a.val, B: b, V: F64(x), R: F64(r), R32: F32(r32),
				Partial: m.partial, Scalars: m.scalarsDev, Ticket: m.ticket,
			}))
		} else {
			d := m.by
			m.Note(m.kernels.ResidualBands(m.Stream, m.Grid(), kernels.MatrixResidualBandsArgs{
				N: m.cells, Nx: int64(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
				Ly: d.lowerY,
				Lz: d.lowerZ, B: b, V: F64(x), R: F64(r), R32: F32(r32), Partial: m.partial, Scalars: m.scalarsDev,
				Ticket: m.ticket,
			}))
		}
	}
	v := m.readStatistics()
	return ops.Norms{Residual: math.Sqrt(v[kernels.RR]), Source: math.Sqrt(v[kernels.BB]),
		Floor: 0x1p-53 * math.Sqrt(v[kernels.Floor])}
}

// matrixWorkspace is what one solve of a matrix keeps.
type matrixWorkspace struct {
	Iteration
	m *matrix
}

var _ ops.Workspace = (*matrixWorkspace)(nil)

// NewWorkspace takes the memory of the scalars.
func (m *matrix) NewWorkspace() (ops.Workspace, error) {
	return &matrixWorkspace{newIteration(&m.Space), m}, m.err
}

// NewDirection makes a vector that is updated in place.
func (w *matrixWorkspace) NewDirection() (ops.Vector, error) {
	w.direction = NewVector[float32](w.Space, w.cells, w.pad)
	return w.direction, w.err
}

// Apply sets y = A x.
func (w *matrixWorkspace) Apply(y, x ops.Vector) { w.m.Apply(y, x) }

// DirectionApply sets p = z + Beta p, q = A p, PQ and Alpha.
func (w *matrixWorkspace) DirectionApply(p, z, q ops.Vector) {
	m := w.m
	if !m.Ready() {
		return
	}
	m.Note(m.kernels.Turn(m.Stream, Flat(m.cells),
		kernels.MatrixTurnArgs{N: m.cells, Z: F32(z), P: F32(p), Scalars: w.scalarsDev}))
	if r := m.rows; r != nil {
		m.Note(m.kernels.ApplyRows(m.Stream, m.Grid(), kernels.MatrixApplyRowsArgs{
			N: m.cells, RowPtr: r.rowPtr, Col: r.col, Val: r.val, P: F32(p), Q: F64(q), Partial: m.partial,
			Scalars: w.scalarsDev,
			Ticket:  m.ticket,
		}))
		return
	}
	d := m.by
	m.Note(m.kernels.ApplyBands(m.Stream, m.Grid(), kernels.MatrixApplyBandsArgs{
		N: m.cells, Nx: int64(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
		Ly: d.lowerY,
		Lz: d.lowerZ, P: F32(p), Q: F64(q), Partial: m.partial, Scalars: w.scalarsDev, Ticket: m.ticket,
	}))
}

// Update advances x and r along p.
func (w *matrixWorkspace) Update(x, r, r32, p, _, q ops.Vector) {
	m := w.m
	if m.Ready() {
		m.Note(m.kernels.Advance(m.Stream, Flat(m.cells), kernels.MatrixAdvanceArgs{
			N: m.cells, X: F64(x), R: F64(r), R32: F32(r32), P: F32(p), Q: F64(q), Partial: m.partial,
			Scalars: w.scalarsDev,
			Ticket:  m.ticket,
		}))
	}
}
