package cuda

import (
	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

// diagonals are those of sparse.Diagonals in device memory. The lower ones are the upper ones where the matrix is symmetric.
type diagonals struct {
	s                      *space
	nx, ny, nz             int
	symmetric              bool
	main, x, y, z          cu.Ptr[float64]
	lowerX, lowerY, lowerZ cu.Ptr[float64]
	lent                   bool // the memory belongs to the space itself
}

// rows are those of sparse.CSR in device memory.
type rows struct {
	s          *space
	n, entries int64
	rowPtr     cu.Ptr[int64]
	col        cu.Ptr[int32]
	val        cu.Ptr[float64]
	lent       bool
}

var (
	_ ops.Diagonals = (*diagonals)(nil)
	_ ops.Rows      = (*rows)(nil)
)

// Shape of the grid.
func (d *diagonals) Shape() (nx, ny, nz int) { return d.nx, d.ny, d.nz }

// Symmetric says whether the lower diagonals equal the upper ones.
func (d *diagonals) Symmetric() bool { return d.symmetric }

// Release gives the memory back.
func (d *diagonals) Release() {
	if d.lent {
		return
	}
	d.s.free(d.main, d.x, d.y, d.z)
	if !d.symmetric {
		d.s.free(d.lowerX, d.lowerY, d.lowerZ)
	}
}

// Download copies the diagonals to the host.
func (d *diagonals) Download() *sparse.Diagonals {
	a := sparse.NewDiagonals(d.nx, d.ny, d.nz)
	receiveSlice(d.s, a.Main, d.main)
	receiveSlice(d.s, a.X, d.x)
	receiveSlice(d.s, a.Y, d.y)
	receiveSlice(d.s, a.Z, d.z)
	if !d.symmetric {
		a.LowerX, a.LowerY, a.LowerZ = make([]float64, len(a.X)), make([]float64, len(a.Y)), make([]float64, len(a.Z))
		receiveSlice(d.s, a.LowerX, d.lowerX)
		receiveSlice(d.s, a.LowerY, d.lowerY)
		receiveSlice(d.s, a.LowerZ, d.lowerZ)
	}
	return a
}

func (d *diagonals) cells() int64 { return int64(d.nx) * int64(d.ny) * int64(d.nz) }
func (d *diagonals) sheet() int64 { return int64(d.nx) * int64(d.ny) }

// Len is the number of rows.
func (r *rows) Len() int { return int(r.n) }

// Entries is the number of stored entries.
func (r *rows) Entries() int64 { return r.entries }

// Download copies the rows to the host.
func (r *rows) Download() *sparse.CSR {
	a := &sparse.CSR{RowPtr: make([]int64, r.n+1), Col: make([]int32, r.entries), Val: make([]float64, r.entries)}
	receiveSlice(r.s, a.RowPtr, r.rowPtr)
	receiveSlice(r.s, a.Col, r.col)
	receiveSlice(r.s, a.Val, r.val)
	return a
}

// Release gives the memory back.
func (r *rows) Release() {
	if r.lent {
		return
	}
	r.s.free(r.rowPtr, r.col, r.val)
}

// Diagonals of the mesh's operator, from its couplings.
func (s *system) Diagonals() (ops.Diagonals, error) {
	forms, err := module(s.Device, "forms", kernels.LoadForms)
	if err != nil {
		return nil, err
	}
	d := &diagonals{s: &s.space, nx: s.nx, ny: s.ny, nz: s.nz, symmetric: true}
	d.main, d.x = alloc[float64](&s.space, s.cells), alloc[float64](&s.space, s.cells-1)
	d.y, d.z = alloc[float64](&s.space, s.cells-int64(s.nx)), alloc[float64](&s.space, s.cells-s.sheet)
	d.lowerX, d.lowerY, d.lowerZ = d.x, d.y, d.z
	if s.ready() {
		s.note(forms.Expand(s.stream, flat(s.cells), kernels.FormsExpandArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
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
	return s.rowsOf(d.(*diagonals))
}

// Apply sets y = A x.
func (s *system) Apply(y, x ops.Vector) {
	forms, err := module(s.Device, "forms", kernels.LoadForms)
	s.note(err)
	if s.ready() {
		s.note(forms.Multiply(s.stream, flat(s.cells), kernels.FormsMultiplyArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
			GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), V: f64(x), Out: f64(y),
		}))
	}
}

// rowsOf lays diagonals out by rows: count, add up, fill.
func (s *space) rowsOf(d *diagonals) (*rows, error) {
	forms, err := module(s.Device, "forms", kernels.LoadForms)
	if err != nil {
		return nil, err
	}
	n := d.cells()
	groups := (n + kernels.FormsWide - 1) / kernels.FormsWide
	r := &rows{s: s, n: n, rowPtr: alloc[int64](s, n+1)}
	sums := alloc[float64](s, groups)
	defer s.free(sums)
	wide := [3]uint32{uint32(groups), 1, 1}
	if s.ready() {
		s.note(forms.CountRows(s.stream, wide, kernels.FormsCountRowsArgs{
			N: n, Nx: int32(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX, Ly: d.lowerY,
			Lz: d.lowerZ, RowPtr: r.rowPtr, BlockSum: sums,
		}))
		s.note(forms.StartBlocks(s.stream, [3]uint32{1, 1, 1}, kernels.FormsStartBlocksArgs{Blocks: int32(groups), BlockSum: sums}))
		s.note(forms.StartRows(s.stream, wide, kernels.FormsStartRowsArgs{N: n, RowPtr: r.rowPtr, BlockSum: sums}))
	}
	r.entries = read(s, r.rowPtr.Add(n))
	r.col, r.val = alloc[int32](s, r.entries), alloc[float64](s, r.entries)
	if s.ready() {
		s.note(forms.FillRows(s.stream, flat(n), kernels.FormsFillRowsArgs{
			N: n, Nx: int32(d.nx), Sheet: d.sheet(), Diagonal: d.main, X: d.x, Y: d.y, Z: d.z, Lx: d.lowerX, Ly: d.lowerY,
			Lz: d.lowerZ, RowPtr: r.rowPtr, Col: r.col, Val: r.val,
		}))
	}
	return r, s.err
}
