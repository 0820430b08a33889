package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

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

// Rows are those of sparse.CSR in device memory.
type Rows struct {
	s          *Space
	n, entries int64
	rowPtr     cudriver.Ptr[int64]
	col        cudriver.Ptr[int32]
	val        cudriver.Ptr[float64]
	lent       bool
}

var (
	_ ops.Diagonals = (*Diagonals)(nil)
	_ ops.Rows      = (*Rows)(nil)
)

// Shape of the grid.
func (d *Diagonals) Shape() (nx, ny, nz int) { return d.nx, d.ny, d.nz }

// Symmetric says whether the lower diagonals equal the upper ones.
func (d *Diagonals) Symmetric() bool { return d.symmetric }

// Release gives the memory back.
func (d *Diagonals) Release() {
	if d.lent {
		return
	}
	d.s.Discard(d.main, d.x, d.y, d.z)
	if !d.symmetric {
		d.s.Discard(d.lowerX, d.lowerY, d.lowerZ)
	}
}

// Download copies the diagonals to the host.
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

// Len is the number of rows.
func (r *Rows) Len() int { return int(r.n) }

// Entries is the number of stored entries.
func (r *Rows) Entries() int64 { return r.entries }

// Download copies the rows to the host.
func (r *Rows) Download() *sparse.CSR {
	l, n := r.s.Arrays(), int(r.entries)
	a := &sparse.CSR{RowPtr: reuse.Make[int64](l, int(r.n)+1), Col: reuse.Make[int32](l, n),
		Val: reuse.Make[float64](l, n)}
	Receive(r.s, a.RowPtr, r.rowPtr)
	Receive(r.s, a.Col, r.col)
	Receive(r.s, a.Val, r.val)
	return a
}

// Release gives the memory back.
func (r *Rows) Release() {
	if r.lent {
		return
	}
	r.s.Discard(r.rowPtr, r.col, r.val)
}

// Diagonals of the mesh's operator, from its couplings.
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
	if s.Ready() {
		s.Note(forms.Expand(s.Stream, Flat(s.cells), kernels.FormsExpandArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at,
			Ground:     s.ground.data,
			GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z,
		}))
	}
	return d, s.err
}

// Rows of the mesh's operator.
func (s *system) Rows() (ops.Rows, error) {
	d, err := s.Diagonals()
	if err != nil {
		return nil, err
	}
	defer d.Release()
	return s.rowsOf(d.(*Diagonals))
}

// Apply sets y = A x.
func (s *system) Apply(y, x ops.Vector) {
	if s.cooling != nil {
		s.cooledApply(y, x)
		return
	}
	forms, err := Module(s.Device, "forms", kernels.LoadForms)
	s.Note(err)
	if s.Ready() {
		s.Note(forms.Multiply(s.Stream, Flat(s.cells), kernels.FormsMultiplyArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at,
			Ground:     s.ground.data,
			GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), V: F64(x), Out: F64(y),
		}))
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
	if s.Ready() {
		s.Note(forms.CountRows(s.Stream, wide, kernels.FormsCountRowsArgs{
			N: n, Nx: int32(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
			Ly: d.lowerY,
			Lz: d.lowerZ, RowPtr: r.rowPtr, BlockSum: sums,
		}))
		s.Note(forms.StartBlocks(s.Stream, [3]uint32{1, 1, 1},
			kernels.FormsStartBlocksArgs{Blocks: int32(groups), BlockSum: sums}))
		s.Note(forms.StartRows(s.Stream, wide, kernels.FormsStartRowsArgs{N: n, RowPtr: r.rowPtr, BlockSum: sums}))
	}
	r.entries = ReceiveOne(s, r.rowPtr.Add(n))
	r.col, r.val = Alloc[int32](s, r.entries), Alloc[float64](s, r.entries)
	if s.Ready() {
		s.Note(forms.FillRows(s.Stream, Flat(n), kernels.FormsFillRowsArgs{
			N: n, Nx: int32(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX,
			Ly: d.lowerY,
			Lz: d.lowerZ, RowPtr: r.rowPtr, Col: r.col, Val: r.val,
		}))
	}
	return r, s.err
}

// Arrays are the diagonals on the device.
func (d *Diagonals) Arrays() (main, x, y, z, lowerX, lowerY, lowerZ cudriver.Ptr[float64]) {
	return d.main, d.x, d.y, d.z, d.lowerX, d.lowerY, d.lowerZ
}

// Arrays are the rows on the device.
func (r *Rows) Arrays() (rowPtr cudriver.Ptr[int64], col cudriver.Ptr[int32], val cudriver.Ptr[float64]) {
	return r.rowPtr, r.col, r.val
}
