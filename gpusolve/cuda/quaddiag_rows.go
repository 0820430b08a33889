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
func (s *space) csr() *kernels.Csr {
	k, err := module(s.Device, "csr", kernels.LoadCsr)
	s.note(err)
	return k
}

func (s *space) multiplyRows(a *stored, entries ops.Precision, y, x ops.Vector) {
	k := s.csr()
	if !s.ready() {
		return
	}
	err := errPrecision
	switch r := a.rows; (pair{entries, precision(x)}) {
	case pair{ops.Double, ops.Double}:
		err = k.MultiplyRowsDouble(s.stream, rowGrid(r.n), kernels.CsrMultiplyRowsDoubleArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: r.val, V: f64(x), Out: f64(y),
		})
	case pair{ops.Single, ops.Double}:
		err = k.MultiplyRowsDecoupled(s.stream, rowGrid(r.n), kernels.CsrMultiplyRowsDecoupledArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: a.rowValues, V: f64(x), Out: f64(y),
		})
	case pair{ops.Single, ops.Single}:
		err = k.MultiplyRowsSingle(s.stream, rowGrid(r.n), kernels.CsrMultiplyRowsSingleArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: a.rowValues, V: f32(x), Out: f32(y),
		})
	}
	s.note(err)
}

func (s *iteration) curveRows(a *stored, entries ops.Precision, q, p ops.Vector) {
	k := s.csr()
	if !s.ready() {
		return
	}
	err := errPrecision
	switch r := a.rows; (pair{entries, precision(p)}) {
	case pair{ops.Double, ops.Double}:
		err = k.CurveRowsDouble(s.stream, rowGrid(r.n), kernels.CsrCurveRowsDoubleArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: r.val, P: f64(p), Q: f64(q), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		})
	case pair{ops.Single, ops.Double}:
		err = k.CurveRowsDecoupled(s.stream, rowGrid(r.n), kernels.CsrCurveRowsDecoupledArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: a.rowValues, P: f64(p), Q: f64(q), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		})
	case pair{ops.Single, ops.Single}:
		err = k.CurveRowsSingle(s.stream, rowGrid(r.n), kernels.CsrCurveRowsSingleArgs{
			N: r.n, RowPtr: r.rowPtr, Col: r.col, Val: a.rowValues, P: f32(p), Q: f32(q), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		})
	}
	s.note(err)
}
