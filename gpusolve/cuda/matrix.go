package cuda

import (
	"errors"
	"math"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

// matrix is a system that was given as a matrix, in one of two forms.
type matrix struct {
	Space
	kernels *kernels.Matrix
	by      *Diagonals // one of the two
	rows    *Rows
	// symmetric selects the Krylov methods that apply.
	symmetric bool
}

var _ ops.Forms = (*matrix)(nil)

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

// Grid of the kernels: a thread a row, or several lanes a row where rows differ in length.
func (m *matrix) Grid() [3]uint32 {
	per := int64(kernels.MatrixThreads)
	if m.rows != nil {
		per /= kernels.MatrixLanes
	}
	return [3]uint32{uint32(max(1, min((m.cells+per-1)/per, ReductionBlocks))), 1, 1}
}

// NewWork makes an FP64 vector: nothing is known of the matrix's range.
func (m *matrix) NewWork() (ops.Vector, error) { return m.New64() }

func (m *matrix) Single(ops.Vector) (ops.Vector, error) { return m.New32() }

func (m *matrix) Symmetric() bool { return m.symmetric }

func (m *matrix) SourceOf(v ops.Vector) ops.Source { return vectorSource{m, v.(*vector[float64])} }

// vectorSource is a vector as the right side of a matrix.
type vectorSource struct {
	m *matrix
	*vector[float64]
}

func (b vectorSource) Read(dst []float64) { b.m.Read(b.vector, dst) }

func (b vectorSource) Close() {}

// errDiagonals is for methods that need a grid's matrix.
var errDiagonals = errors.New("the matrix is given by rows, not as the seven diagonals of a grid, so methods for " +
	"grids cannot use it; choose another preconditioner")

func (m *matrix) Diagonals() (ops.Diagonals, error) {
	if m.by == nil {
		return nil, errDiagonals
	}
	return m.by, m.err
}

func (m *matrix) Rows() (ops.Rows, error) {
	if m.rows != nil {
		return m.rows, m.err
	}
	return m.rowsOf(m.by)
}

func (m *matrix) Apply(y, x ops.Vector) {
	if r := m.rows; r != nil {
		Launch(&m.Space, &m.kernels.MultiplyRows, m.Grid(), kernels.MatrixMultiplyRowsArgs{
			N: m.cells, RowPtr: r.rowPtr, Col: r.col, Val: r.val, V: F64(x), Out: F64(y),
		})
		return
	}
	d := m.by
	Launch(&m.Space, &m.kernels.MultiplyBands, m.Grid(), kernels.MatrixMultiplyBandsArgs{
		N: m.cells, Nx: int64(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
		Ly: d.lowerY,
		Lz: d.lowerZ, V: F64(x), Out: F64(y),
	})
}

func (m *matrix) Residual(r, r32 ops.Vector, source ops.Source, x ops.Vector) ops.Norms {
	b := source.(vectorSource).at
	if m.Ready() {
		if a := m.rows; a != nil {
			Launch(&m.Space, &m.kernels.ResidualRows, m.Grid(), kernels.MatrixResidualRowsArgs{
				N: m.cells, RowPtr: a.rowPtr, Col: a.col, Val: a.val, B: b, V: F64(x), R: F64(r), R32: F32(r32),
				Partial: m.partial, Scalars: m.scalarsDev, Ticket: m.ticket,
			})
		} else {
			d := m.by
			Launch(&m.Space, &m.kernels.ResidualBands, m.Grid(), kernels.MatrixResidualBandsArgs{
				N: m.cells, Nx: int64(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
				Ly: d.lowerY,
				Lz: d.lowerZ, B: b, V: F64(x), R: F64(r), R32: F32(r32), Partial: m.partial, Scalars: m.scalarsDev,
				Ticket: m.ticket,
			})
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

func (m *matrix) NewWorkspace() (ops.Workspace, error) {
	return &matrixWorkspace{newIteration(&m.Space), m}, m.err
}

// NewDirection makes a vector that is updated in place.
func (w *matrixWorkspace) NewDirection() (ops.Vector, error) {
	w.direction = NewVector[float32](w.Space, w.cells, w.pad)
	return w.direction, w.err
}

func (w *matrixWorkspace) Apply(y, x ops.Vector) { w.m.Apply(y, x) }

func (w *matrixWorkspace) DirectionApply(p, z, q ops.Vector) {
	m := w.m
	Launch(&m.Space, &m.kernels.Turn, Flat(m.cells),
		kernels.MatrixTurnArgs{N: m.cells, Z: F32(z), P: F32(p), Scalars: w.scalarsDev})
	if r := m.rows; r != nil {
		Launch(&m.Space, &m.kernels.ApplyRows, m.Grid(), kernels.MatrixApplyRowsArgs{
			N: m.cells, RowPtr: r.rowPtr, Col: r.col, Val: r.val, P: F32(p), Q: F64(q), Partial: m.partial,
			Scalars: w.scalarsDev,
			Ticket:  m.ticket,
		})
		return
	}
	d := m.by
	Launch(&m.Space, &m.kernels.ApplyBands, m.Grid(), kernels.MatrixApplyBandsArgs{
		N: m.cells, Nx: int64(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
		Ly: d.lowerY,
		Lz: d.lowerZ, P: F32(p), Q: F64(q), Partial: m.partial, Scalars: w.scalarsDev, Ticket: m.ticket,
	})
}

func (w *matrixWorkspace) Update(x, r, r32, p, _, q ops.Vector) {
	m := w.m
	Launch(&m.Space, &m.kernels.Advance, Flat(m.cells), kernels.MatrixAdvanceArgs{
		N: m.cells, X: F64(x), R: F64(r), R32: F32(r32), P: F32(p), Q: F64(q), Partial: m.partial,
		Scalars: w.scalarsDev,
		Ticket:  m.ticket,
	})
}

// Diagonals are those of sparse.Diagonals in device memory. The lower ones are the upper ones where the matrix is
// symmetric.
type Diagonals struct {
	s                      *Space
	nx, ny, nz             int
	symmetric              bool
	main, x, y, z          cudriver.Ptr[float64]
	lowerX, lowerY, lowerZ cudriver.Ptr[float64]
	lent                   bool // the memory belongs to the space itself
}

// Rows are compressed sparse rows (CSR), those of sparse.CSR, in device memory.
type Rows struct {
	s          *Space
	n, entries int64
	rowPtr     cudriver.Ptr[int64]
	col        cudriver.Ptr[int32]
	val        cudriver.Ptr[float64]
	lent       bool
}

func (d *Diagonals) Shape() (nx, ny, nz int) { return d.nx, d.ny, d.nz }

func (d *Diagonals) Symmetric() bool { return d.symmetric }

func (d *Diagonals) Release() {
	if d.lent {
		return
	}
	d.s.Discard(d.main, d.x, d.y, d.z)
	if !d.symmetric {
		d.s.Discard(d.lowerX, d.lowerY, d.lowerZ)
	}
}

func (d *Diagonals) Download() *sparse.Diagonals {
	a := sparse.DiagonalsIn(d.s.Arrays(), d.nx, d.ny, d.nz)
	Receive(d.s, a.Main, d.main)
	Receive(d.s, a.X, d.x)
	Receive(d.s, a.Y, d.y)
	Receive(d.s, a.Z, d.z)
	if !d.symmetric {
		a.LowerX, a.LowerY, a.LowerZ = make([]float64, len(a.X)), make([]float64, len(a.Y)), make([]float64, len(a.Z))
		Receive(d.s, a.LowerX, d.lowerX)
		Receive(d.s, a.LowerY, d.lowerY)
		Receive(d.s, a.LowerZ, d.lowerZ)
	}
	return a
}

func (d *Diagonals) cells() int64 { return int64(d.nx) * int64(d.ny) * int64(d.nz) }
func (d *Diagonals) sheet() int64 { return int64(d.nx) * int64(d.ny) }

// UploadRows copies a matrix to the device.
func UploadRows(s *Space, a *sparse.CSR) *Rows {
	return &Rows{s: s, n: int64(a.N()), entries: int64(a.Entries()), rowPtr: Upload(s, a.RowPtr), col: Upload(s, a.Col),
		val: Upload(s, a.Val)}
}

func (r *Rows) Len() int { return int(r.n) }

func (r *Rows) Entries() int64 { return r.entries }

func (r *Rows) Download() *sparse.CSR {
	l, n := r.s.Arrays(), int(r.entries)
	a := &sparse.CSR{RowPtr: reuse.Make[int64](l, int(r.n)+1), Col: reuse.Make[int32](l, n),
		Val: reuse.Make[float64](l, n)}
	Receive(r.s, a.RowPtr, r.rowPtr)
	Receive(r.s, a.Col, r.col)
	Receive(r.s, a.Val, r.val)
	return a
}

func (r *Rows) Release() {
	if r.lent {
		return
	}
	r.s.Discard(r.rowPtr, r.col, r.val)
}

func (s *system) Diagonals() (ops.Diagonals, error) {
	if s.cooling != nil {
		return nil, errCoolant
	}
	forms, err := Module(s.Device, "forms", kernels.LoadForms)
	if err != nil {
		return nil, err
	}
	d := &Diagonals{s: &s.Space, nx: s.nx, ny: s.ny, nz: s.nz, symmetric: true}
	d.main, d.x = Alloc[float64](&s.Space, s.cells), Alloc[float64](&s.Space, s.cells-1)
	d.y, d.z = Alloc[float64](&s.Space, s.cells-int64(s.nx)), Alloc[float64](&s.Space, s.cells-s.sheet)
	d.lowerX, d.lowerY, d.lowerZ = d.x, d.y, d.z
	Launch(&s.Space, &forms.Expand, Flat(s.cells), kernels.FormsExpandArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at,
		Ground:     s.ground.data,
		GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z,
	})
	return d, s.err
}

func (s *system) Rows() (ops.Rows, error) {
	d, err := s.Diagonals()
	if err != nil {
		return nil, err
	}
	defer d.Release()
	return s.rowsOf(d.(*Diagonals))
}

func (s *system) Apply(y, x ops.Vector) {
	if s.cooling != nil {
		s.cooledApply(y, x)
		return
	}
	if forms, ok := loaded(&s.Space, "forms", kernels.LoadForms); ok {
		Launch(&s.Space, &forms.Multiply, Flat(s.cells), kernels.FormsMultiplyArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at,
			Ground:     s.ground.data,
			GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), V: F64(x), Out: F64(y),
		})
	}
}

// rowsOf lays diagonals out by rows: count, add up, fill.
func (s *Space) rowsOf(d *Diagonals) (*Rows, error) {
	forms, err := Module(s.Device, "forms", kernels.LoadForms)
	if err != nil {
		return nil, err
	}
	n := d.cells()
	groups := (n + kernels.FormsWide - 1) / kernels.FormsWide
	r := &Rows{s: s, n: n, rowPtr: Alloc[int64](s, n+1)}
	sums := Alloc[float64](s, groups)
	defer s.Discard(sums)
	wide := [3]uint32{uint32(groups), 1, 1}
	Launch(s, &forms.CountRows, wide, kernels.FormsCountRowsArgs{
		N: n, Nx: int32(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
		Ly: d.lowerY,
		Lz: d.lowerZ, RowPtr: r.rowPtr, BlockSum: sums,
	})
	Launch(s, &forms.StartBlocks, [3]uint32{1, 1, 1},
		kernels.FormsStartBlocksArgs{Blocks: int32(groups), BlockSum: sums})
	Launch(s, &forms.StartRows, wide,
		kernels.FormsStartRowsArgs{N: n, RowPtr: r.rowPtr, BlockSum: sums})
	r.entries = ReceiveOne(s, r.rowPtr.Add(n))
	r.col, r.val = Alloc[int32](s, r.entries), Alloc[float64](s, r.entries)
	Launch(s, &forms.FillRows, Flat(n), kernels.FormsFillRowsArgs{
		N: n, Nx: int32(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
		Ly: d.lowerY,
		Lz: d.lowerZ, RowPtr: r.rowPtr, Col: r.col, Val: r.val,
	})
	return r, s.err
}

func (d *Diagonals) Arrays() (main, x, y, z, lowerX, lowerY, lowerZ cudriver.Ptr[float64]) {
	return d.main, d.x, d.y, d.z, d.lowerX, d.lowerY, d.lowerZ
}

func (r *Rows) Arrays() (rowPtr cudriver.Ptr[int64], col cudriver.Ptr[int32], val cudriver.Ptr[float64]) {
	return r.rowPtr, r.col, r.val
}
