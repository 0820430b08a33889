package mixed

import (
	"errors"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels/launch"
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
	switch (pair{entries, GPUPrecision(x)}) {
	case pair{Double, Double}:
		launchMultiply(a, &q.MultiplyDouble, a.Double, y, x)
	case pair{Single, Double}:
		launchMultiply(a, &q.MultiplyDecoupled, a.Single, y, x)
	case pair{Single, Single}:
		launchMultiply(a, &q.MultiplySingle, a.Single, y, x)
	case pair{Half, Single}:
		if a.Promote.IsNil() {
			launchMultiplyHalf(a, &q.MultiplyPhysics, y, x)
			break
		}
		nx, ny, nz := a.Shape()
		cuda.Launch(s.Space, &q.MultiplyPlanes, a.Tiles(Single, 0), QuaddiagMultiplyPlanesArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit,
			Back: a.Undo, Promote: a.Promote, V: cuda.F32(x), Out: cuda.F32(y),
		})
	case pair{Half, Half}:
		launchMultiplyHalf(a, &q.MultiplyHalf, y, x)
	default:
		s.Note(ErrPrecision)
	}
}

func launchMultiply[T, U cuda.Number](a *GPUMatrix, kernel *launch.Kernel[QuaddiagMultiplyArgs[T, U]],
	bands GPUBands[T], y, x ops.Vector) {
	nx, ny, nz := a.Shape()
	cuda.Launch(a.s, kernel, a.Tiles(GPUPrecision(x), 0), QuaddiagMultiplyArgs[T, U]{
		Nx: nx, Ny: ny, Nz: nz, Main: bands.Main, X: bands.X, Y: bands.Y, Z: bands.Z, V: cuda.Address[U](x),
		Out: cuda.Address[U](y),
	})
}

// launchMultiplyHalf multiplies entries in FP16.
func launchMultiplyHalf[T cuda.Number](a *GPUMatrix, kernel *launch.Kernel[QuaddiagMultiplyPhysicsArgs[T]],
	y, x ops.Vector) {
	nx, ny, nz := a.Shape()
	cuda.Launch(a.s, kernel, a.Tiles(GPUPrecision(x), 0), QuaddiagMultiplyPhysicsArgs[T]{
		Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit, Back: a.Undo,
		V: cuda.Address[T](x), Out: cuda.Address[T](y),
	})
}

func (s gpuOperations) Curve(m Stored, entries Precision, out, p ops.Vector) {
	a := m.(*GPUMatrix)
	if a.rows != nil {
		s.curveRows(a, entries, out, p)
		return
	}
	q := cuda.Loaded(s.Space, "quaddiag", LoadQuaddiag)
	switch (pair{entries, GPUPrecision(p)}) {
	case pair{Double, Double}:
		launchCurve(s, &q.CurveDouble, a, a.Double, out, p)
	case pair{Single, Double}:
		launchCurve(s, &q.CurveDecoupled, a, a.Single, out, p)
	case pair{Single, Single}:
		launchCurve(s, &q.CurveSingle, a, a.Single, out, p)
	case pair{Half, Half}:
		partial, scalars, ticket := s.Sums()
		nx, ny, nz := a.Shape()
		cuda.Launch(s.Space, &q.CurveHalf, a.Tiles(Half, s.MaxBlocks()), QuaddiagCurveHalfArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit,
			Back: a.Undo, P: cuda.Address[cudriver.Half](p), Q: cuda.Address[cudriver.Half](out), Partial: partial,
			Scalars: scalars, Ticket: ticket,
		})
	default:
		s.Note(ErrPrecision)
	}
}

func launchCurve[T, U cuda.Number](s gpuOperations, kernel *launch.Kernel[QuaddiagCurveArgs[T, U]], a *GPUMatrix,
	bands GPUBands[T], out, p ops.Vector) {
	partial, scalars, ticket := s.Sums()
	nx, ny, nz := a.Shape()
	cuda.Launch(s.Space, kernel, a.Tiles(GPUPrecision(p), s.MaxBlocks()), QuaddiagCurveArgs[T, U]{
		Nx: nx, Ny: ny, Nz: nz, Main: bands.Main, X: bands.X, Y: bands.Y, Z: bands.Z, P: cuda.Address[U](p),
		Q: cuda.Address[U](out), Partial: partial, Scalars: scalars, Ticket: ticket,
	})
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
	_, _, values := a.rows.Arrays()
	switch (pair{entries, GPUPrecision(x)}) {
	case pair{Double, Double}:
		launchMultiplyRows(a, &k.MultiplyRowsDouble, values, y, x)
	case pair{Single, Double}:
		launchMultiplyRows(a, &k.MultiplyRowsDecoupled, a.rowValues, y, x)
	case pair{Single, Single}:
		launchMultiplyRows(a, &k.MultiplyRowsSingle, a.rowValues, y, x)
	default:
		s.Note(ErrPrecision)
	}
}

func launchMultiplyRows[T, U cuda.Number](a *GPUMatrix, kernel *launch.Kernel[CsrMultiplyRowsArgs[T, U]],
	values cudriver.Ptr[T], y, x ops.Vector) {
	n := int64(a.rows.Len())
	rowPtr, col, _ := a.rows.Arrays()
	cuda.Launch(a.s, kernel, rowGrid(n), CsrMultiplyRowsArgs[T, U]{N: n, RowPtr: rowPtr, Col: col, Val: values,
		V: cuda.Address[U](x), Out: cuda.Address[U](y)})
}

func (s gpuOperations) curveRows(a *GPUMatrix, entries Precision, q, p ops.Vector) {
	k := s.csr()
	_, _, values := a.rows.Arrays()
	switch (pair{entries, GPUPrecision(p)}) {
	case pair{Double, Double}:
		launchCurveRows(s, &k.CurveRowsDouble, a.rows, values, q, p)
	case pair{Single, Double}:
		launchCurveRows(s, &k.CurveRowsDecoupled, a.rows, a.rowValues, q, p)
	case pair{Single, Single}:
		launchCurveRows(s, &k.CurveRowsSingle, a.rows, a.rowValues, q, p)
	default:
		s.Note(ErrPrecision)
	}
}

func launchCurveRows[T, U cuda.Number](s gpuOperations, kernel *launch.Kernel[CsrCurveRowsArgs[T, U]], rows *cuda.Rows,
	values cudriver.Ptr[T], q, p ops.Vector) {
	partial, scalars, ticket := s.Sums()
	n := int64(rows.Len())
	rowPtr, col, _ := rows.Arrays()
	cuda.Launch(s.Space, kernel, rowGrid(n), CsrCurveRowsArgs[T, U]{N: n, RowPtr: rowPtr, Col: col, Val: values,
		P: cuda.Address[U](p), Q: cuda.Address[U](q), Partial: partial, Scalars: scalars, Ticket: ticket})
}
