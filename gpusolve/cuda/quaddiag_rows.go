package cuda

import (
	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// rowGrid is the grid of row-wise products, a thread to a row.
func rowGrid(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+kernels.CsrThreads-1)/kernels.CsrThreads, reductionBlocks))), 1, 1}
}

// csr readies the row-wise kernels and finds the values in a precision.
func (s *space) csr(a *stored, entries ops.Precision) (k *kernels.Csr, values cu.DevicePtr) {
	k, err := module(s.Device, "csr", kernels.LoadCsr)
	s.note(err)
	if entries == ops.Single {
		return k, a.single
	}
	return k, a.rows.val
}

func (s *space) multiplyRows(a *stored, entries ops.Precision, y, x ops.Vector) {
	k, values := s.csr(a, entries)
	if !s.ready() {
		return
	}
	err := errPrecision
	switch r := a.rows; (pair{entries, precision(x)}) {
	case pair{ops.Double, ops.Double}:
		err = k.MultiplyRowsDouble(s.stream, rowGrid(r.n), r.n, r.rowPtr, r.col, values, ptr(x), ptr(y))
	case pair{ops.Single, ops.Double}:
		err = k.MultiplyRowsDecoupled(s.stream, rowGrid(r.n), r.n, r.rowPtr, r.col, values, ptr(x), ptr(y))
	case pair{ops.Single, ops.Single}:
		err = k.MultiplyRowsSingle(s.stream, rowGrid(r.n), r.n, r.rowPtr, r.col, values, ptr(x), ptr(y))
	}
	s.note(err)
}

func (s *iteration) curveRows(a *stored, entries ops.Precision, q, p ops.Vector) {
	k, values := s.csr(a, entries)
	if !s.ready() {
		return
	}
	err := errPrecision
	switch r := a.rows; (pair{entries, precision(p)}) {
	case pair{ops.Double, ops.Double}:
		err = k.CurveRowsDouble(s.stream, rowGrid(r.n), r.n, r.rowPtr, r.col, values, ptr(p), ptr(q), s.partial, s.scalarsDev, s.ticket)
	case pair{ops.Single, ops.Double}:
		err = k.CurveRowsDecoupled(s.stream, rowGrid(r.n), r.n, r.rowPtr, r.col, values, ptr(p), ptr(q), s.partial, s.scalarsDev, s.ticket)
	case pair{ops.Single, ops.Single}:
		err = k.CurveRowsSingle(s.stream, rowGrid(r.n), r.n, r.rowPtr, r.col, values, ptr(p), ptr(q), s.partial, s.scalarsDev, s.ticket)
	}
	s.note(err)
}
