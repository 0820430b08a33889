package cuda

import (
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// rowGrid is the grid of row-wise products, a thread to a row.
func rowGrid(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+kernels.CsrThreads-1)/kernels.CsrThreads, reductionBlocks))), 1, 1}
}

// csr readies the row-wise kernels.
func (s *Space) csr() *kernels.Csr {
	k, err := Module(s.Device, "csr", kernels.LoadCsr)
	s.Note(err)
	return k
}

func (s *Space) multiplyRows(a *stored, entries ops.Precision, y, x ops.Vector) {
	k := s.csr()
	if !s.Ready() {
		return
	}
	err := errPrecision
	switch r := a.rows; (pair{entries, precision(x)}) {
	case pair{ops.Double, ops.Double}:
		err = k.MultiplyRowsDouble(s.Stream, rowGrid(r.n), kernels.CsrMultiplyRowsDoubleArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: r.val, V: F64(x), Out: F64(y),
		})
	case pair{ops.Single, ops.Double}:
		err = k.MultiplyRowsDecoupled(s.Stream, rowGrid(r.n), kernels.CsrMultiplyRowsDecoupledArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: a.rowValues, V: F64(x), Out: F64(y),
		})
	case pair{ops.Single, ops.Single}:
		err = k.MultiplyRowsSingle(s.Stream, rowGrid(r.n), kernels.CsrMultiplyRowsSingleArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: a.rowValues, V: F32(x), Out: F32(y),
		})
	}
	s.Note(err)
}

func (s *iteration) curveRows(a *stored, entries ops.Precision, q, p ops.Vector) {
	k := s.csr()
	if !s.Ready() {
		return
	}
	err := errPrecision
	switch r := a.rows; (pair{entries, precision(p)}) {
	case pair{ops.Double, ops.Double}:
		err = k.CurveRowsDouble(s.Stream, rowGrid(r.n), kernels.CsrCurveRowsDoubleArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: r.val, P: F64(p), Q: F64(q), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		})
	case pair{ops.Single, ops.Double}:
		err = k.CurveRowsDecoupled(s.Stream, rowGrid(r.n), kernels.CsrCurveRowsDecoupledArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: a.rowValues, P: F64(p), Q: F64(q), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		})
	case pair{ops.Single, ops.Single}:
		err = k.CurveRowsSingle(s.Stream, rowGrid(r.n), kernels.CsrCurveRowsSingleArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: a.rowValues, P: F32(p), Q: F32(q), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		})
	}
	s.Note(err)
}
