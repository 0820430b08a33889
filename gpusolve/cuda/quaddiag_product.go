package cuda

import (
	"errors"

	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// errPrecision is a fault of the caller.
var errPrecision = errors.New("no kernel multiplies entries and vectors of these precisions")

// MixedMultiply sets y = A x.
func (s *space) MixedMultiply(m ops.Stored, entries ops.Precision, y, x ops.Vector) {
	a := m.(*stored)
	if a.rows != nil {
		s.multiplyRows(a, entries, y, x)
		return
	}
	q, err := module(s.Device, "quaddiag", kernels.LoadQuaddiag)
	s.note(err)
	if !s.ready() {
		return
	}
	nx, ny, nz := a.shape()
	grid := a.tiles(precision(x), 0)
	switch (pair{entries, precision(x)}) {
	case pair{ops.Double, ops.Double}:
		err = q.MultiplyDouble(s.stream, grid, kernels.QuaddiagMultiplyDoubleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.double.main, X: a.double.x, Y: a.double.y, Z: a.double.z, V: f64(x), Out: f64(y),
		})
	case pair{ops.Single, ops.Double}:
		err = q.MultiplyDecoupled(s.stream, grid, kernels.QuaddiagMultiplyDecoupledArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.single.main, X: a.single.x, Y: a.single.y, Z: a.single.z, V: f64(x), Out: f64(y),
		})
	case pair{ops.Single, ops.Single}:
		err = q.MultiplySingle(s.stream, grid, kernels.QuaddiagMultiplySingleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.single.main, X: a.single.x, Y: a.single.y, Z: a.single.z, V: f32(x), Out: f32(y),
		})
	case pair{ops.Half, ops.Single}:
		if !a.promote.IsNil() {
			err = q.MultiplyPlanes(s.stream, grid, kernels.QuaddiagMultiplyPlanesArgs{
				Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Back: a.undo, Promote: a.promote,
				V: f32(x), Out: f32(y),
			})
			break
		}
		err = q.MultiplyPhysics(s.stream, grid, kernels.QuaddiagMultiplyPhysicsArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Back: a.undo, V: f32(x), Out: f32(y),
		})
	case pair{ops.Half, ops.Half}:
		err = q.MultiplyHalf(s.stream, grid, kernels.QuaddiagMultiplyHalfArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Back: a.undo, V: f16(x), Out: f16(y),
		})
	default:
		err = errPrecision
	}
	s.note(err)
}

// MixedCurve sets q = A p, PQ and Alpha.
func (s *iteration) MixedCurve(m ops.Stored, entries ops.Precision, out, p ops.Vector) {
	a := m.(*stored)
	if a.rows != nil {
		s.curveRows(a, entries, out, p)
		return
	}
	q, err := module(s.Device, "quaddiag", kernels.LoadQuaddiag)
	s.note(err)
	if !s.ready() {
		return
	}
	nx, ny, nz := a.shape()
	grid := a.tiles(precision(p), s.maxBlocks)
	switch (pair{entries, precision(p)}) {
	case pair{ops.Double, ops.Double}:
		err = q.CurveDouble(s.stream, grid, kernels.QuaddiagCurveDoubleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.double.main, X: a.double.x, Y: a.double.y, Z: a.double.z, P: f64(p), Q: f64(out), Partial: s.partial,
			Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	case pair{ops.Single, ops.Double}:
		err = q.CurveDecoupled(s.stream, grid, kernels.QuaddiagCurveDecoupledArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.single.main, X: a.single.x, Y: a.single.y, Z: a.single.z, P: f64(p), Q: f64(out), Partial: s.partial,
			Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	case pair{ops.Single, ops.Single}:
		err = q.CurveSingle(s.stream, grid, kernels.QuaddiagCurveSingleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.single.main, X: a.single.x, Y: a.single.y, Z: a.single.z, P: f32(p), Q: f32(out), Partial: s.partial,
			Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	case pair{ops.Half, ops.Half}:
		err = q.CurveHalf(s.stream, grid, kernels.QuaddiagCurveHalfArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Back: a.undo, P: f16(p), Q: f16(out),
			Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	default:
		err = errPrecision
	}
	s.note(err)
}

// pair is what a product multiplies.
type pair struct{ entries, vector ops.Precision }

// precision of a vector.
func precision(v ops.Vector) ops.Precision {
	switch v.(type) {
	case *vector[float64]:
		return ops.Double
	case *vector[float32]:
		return ops.Single
	}
	return ops.Half
}
