package mixed

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
)

// rowGrid is the grid of row-wise products, a thread to a row.
func rowGrid(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+CsrThreads-1)/CsrThreads, cuda.ReductionBlocks))), 1, 1}
}

// csr readies the row-wise kernels.
func (s gpuOperations) csr() *Csr {
	k, err := cuda.Module(s.Device, "csr", LoadCsr)
	s.Note(err)
	return k
}

func (s gpuOperations) multiplyRows(a *GPUMatrix, entries Precision, y, x ops.Vector) {
	k := s.csr()
	if !s.Ready() {
		return
	}
	err, n := ErrPrecision, int64(a.rows.Len())
	rowPtr, col, val := a.rows.Arrays()
	switch (pair{entries, GPUPrecision(x)}) {
	case pair{Double, Double}:
		err = k.MultiplyRowsDouble(s.Stream, rowGrid(n), CsrMultiplyRowsDoubleArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: val, V: cuda.F64(x), Out: cuda.F64(y),
		})
	case pair{Single, Double}:
		err = k.MultiplyRowsDecoupled(s.Stream, rowGrid(n), CsrMultiplyRowsDecoupledArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: a.rowValues, V: cuda.F64(x), Out: cuda.F64(y),
		})
	case pair{Single, Single}:
		err = k.MultiplyRowsSingle(s.Stream, rowGrid(n), CsrMultiplyRowsSingleArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: a.rowValues, V: cuda.F32(x), Out: cuda.F32(y),
		})
	}
	s.Note(err)
}

func (s gpuOperations) curveRows(a *GPUMatrix, entries Precision, q, p ops.Vector) {
	partial, scalars, ticket := s.Sums()
	k := s.csr()
	if !s.Ready() {
		return
	}
	err, n := ErrPrecision, int64(a.rows.Len())
	rowPtr, col, val := a.rows.Arrays()
	switch (pair{entries, GPUPrecision(p)}) {
	case pair{Double, Double}:
		err = k.CurveRowsDouble(s.Stream, rowGrid(n), CsrCurveRowsDoubleArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: val, P: cuda.F64(p), Q: cuda.F64(q), Partial: partial,
			Scalars: scalars,
			Ticket:  ticket,
		})
	case pair{Single, Double}:
		err = k.CurveRowsDecoupled(s.Stream, rowGrid(n), CsrCurveRowsDecoupledArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: a.rowValues, P: cuda.F64(p), Q: cuda.F64(q), Partial: partial,
			Scalars: scalars,
			Ticket:  ticket,
		})
	case pair{Single, Single}:
		err = k.CurveRowsSingle(s.Stream, rowGrid(n), CsrCurveRowsSingleArgs{
			N: n, RowPtr: rowPtr, Col: col, Val: a.rowValues, P: cuda.F32(p), Q: cuda.F32(q), Partial: partial,
			Scalars: scalars,
			Ticket:  ticket,
		})
	}
	s.Note(err)
}
