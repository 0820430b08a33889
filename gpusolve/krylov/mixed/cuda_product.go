package mixed

import (
	"errors"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
)

// ErrPrecision is a fault of the caller.
var ErrPrecision = errors.New("no kernel multiplies entries and vectors of these precisions")

func (s gpuOperations) Multiply(m Stored, entries Precision, y, x ops.Vector) {
	a := m.(*GPUMatrix)
	if a.rows != nil {
		s.multiplyRows(a, entries, y, x)
		return
	}
	q := cuda.Loaded(s.Space, "quaddiag", LoadQuaddiag)
	nx, ny, nz := a.Shape()
	grid := a.Tiles(GPUPrecision(x), 0)
	switch (pair{entries, GPUPrecision(x)}) {
	case pair{Double, Double}:
		cuda.Launch(s.Space, q.MultiplyDouble, grid, QuaddiagMultiplyDoubleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Double.Main, X: a.Double.X, Y: a.Double.Y, Z: a.Double.Z, V: cuda.F64(x),
			Out: cuda.F64(y),
		})
	case pair{Single, Double}:
		cuda.Launch(s.Space, q.MultiplyDecoupled, grid, QuaddiagMultiplyDecoupledArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Single.Main, X: a.Single.X, Y: a.Single.Y, Z: a.Single.Z, V: cuda.F64(x),
			Out: cuda.F64(y),
		})
	case pair{Single, Single}:
		cuda.Launch(s.Space, q.MultiplySingle, grid, QuaddiagMultiplySingleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Single.Main, X: a.Single.X, Y: a.Single.Y, Z: a.Single.Z, V: cuda.F32(x),
			Out: cuda.F32(y),
		})
	case pair{Half, Single}:
		if !a.Promote.IsNil() {
			cuda.Launch(s.Space, q.MultiplyPlanes, grid, QuaddiagMultiplyPlanesArgs{
				Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit,
				Back: a.Undo, Promote: a.Promote, V: cuda.F32(x), Out: cuda.F32(y),
			})
			break
		}
		cuda.Launch(s.Space, q.MultiplyPhysics, grid, QuaddiagMultiplyPhysicsArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit,
			Back: a.Undo, V: cuda.F32(x), Out: cuda.F32(y),
		})
	case pair{Half, Half}:
		cuda.Launch(s.Space, q.MultiplyHalf, grid, QuaddiagMultiplyHalfArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit,
			Back: a.Undo, V: cuda.F16(x), Out: cuda.F16(y),
		})
	default:
		s.Note(ErrPrecision)
	}
}

func (s gpuOperations) Curve(m Stored, entries Precision, out, p ops.Vector) {
	partial, scalars, ticket := s.Sums()
	a := m.(*GPUMatrix)
	if a.rows != nil {
		s.curveRows(a, entries, out, p)
		return
	}
	q := cuda.Loaded(s.Space, "quaddiag", LoadQuaddiag)
	nx, ny, nz := a.Shape()
	grid := a.Tiles(GPUPrecision(p), s.MaxBlocks())
	switch (pair{entries, GPUPrecision(p)}) {
	case pair{Double, Double}:
		cuda.Launch(s.Space, q.CurveDouble, grid, QuaddiagCurveDoubleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Double.Main, X: a.Double.X, Y: a.Double.Y, Z: a.Double.Z, P: cuda.F64(p),
			Q: cuda.F64(out), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case pair{Single, Double}:
		cuda.Launch(s.Space, q.CurveDecoupled, grid, QuaddiagCurveDecoupledArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Single.Main, X: a.Single.X, Y: a.Single.Y, Z: a.Single.Z, P: cuda.F64(p),
			Q: cuda.F64(out), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case pair{Single, Single}:
		cuda.Launch(s.Space, q.CurveSingle, grid, QuaddiagCurveSingleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Single.Main, X: a.Single.X, Y: a.Single.Y, Z: a.Single.Z, P: cuda.F32(p),
			Q: cuda.F32(out), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case pair{Half, Half}:
		cuda.Launch(s.Space, q.CurveHalf, grid, QuaddiagCurveHalfArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit,
			Back: a.Undo, P: cuda.F16(p), Q: cuda.F16(out), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	default:
		s.Note(ErrPrecision)
	}
}

// pair is what a product multiplies.
type pair struct{ entries, vector Precision }

// GPUPrecision of a vector on a GPU.
func GPUPrecision(v ops.Vector) Precision {
	switch cuda.ValueBytes(v) {
	case 8:
		return Double
	case 4:
		return Single
	}
	return Half
}

// rowGrid is the grid of row-wise products, a thread to a row.
func rowGrid(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+CsrThreads-1)/CsrThreads, cuda.ReductionBlocks))), 1, 1}
}

func (s gpuOperations) csr() *Csr { return cuda.Loaded(s.Space, "csr", LoadCsr) }

func (s gpuOperations) multiplyRows(a *GPUMatrix, entries Precision, y, x ops.Vector) {
	k := s.csr()
	n := int64(a.rows.Len())
	rowPtr, col, val := a.rows.Arrays()
	switch (pair{entries, GPUPrecision(x)}) {
	case pair{Double, Double}:
		cuda.Launch(s.Space, k.MultiplyRowsDouble, rowGrid(n),
			CsrMultiplyRowsDoubleArgs{N: n, RowPtr: rowPtr, Col: col, Val: val, V: cuda.F64(x), Out: cuda.F64(y)})
	case pair{Single, Double}:
		cuda.Launch(s.Space, k.MultiplyRowsDecoupled, rowGrid(n), CsrMultiplyRowsDecoupledArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: a.rowValues, V: cuda.F64(x), Out: cuda.F64(y),
		})
	case pair{Single, Single}:
		cuda.Launch(s.Space, k.MultiplyRowsSingle, rowGrid(n), CsrMultiplyRowsSingleArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: a.rowValues, V: cuda.F32(x), Out: cuda.F32(y),
		})
	default:
		s.Note(ErrPrecision)
	}
}

func (s gpuOperations) curveRows(a *GPUMatrix, entries Precision, q, p ops.Vector) {
	partial, scalars, ticket := s.Sums()
	k := s.csr()
	n := int64(a.rows.Len())
	rowPtr, col, val := a.rows.Arrays()
	switch (pair{entries, GPUPrecision(p)}) {
	case pair{Double, Double}:
		cuda.Launch(s.Space, k.CurveRowsDouble, rowGrid(n), CsrCurveRowsDoubleArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: val, P: cuda.F64(p), Q: cuda.F64(q), Partial: partial,
			Scalars: scalars, Ticket: ticket,
		})
	case pair{Single, Double}:
		cuda.Launch(s.Space, k.CurveRowsDecoupled, rowGrid(n), CsrCurveRowsDecoupledArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: a.rowValues, P: cuda.F64(p), Q: cuda.F64(q), Partial: partial,
			Scalars: scalars, Ticket: ticket,
		})
	case pair{Single, Single}:
		cuda.Launch(s.Space, k.CurveRowsSingle, rowGrid(n), CsrCurveRowsSingleArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: a.rowValues, P: cuda.F32(p), Q: cuda.F32(q), Partial: partial,
			Scalars: scalars, Ticket: ticket,
		})
	default:
		s.Note(ErrPrecision)
	}
}
