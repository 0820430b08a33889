package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// mixing returns the kernels and begins an operation: nil after a failure.
func (s *Space) mixing() *kernels.Mixing {
	k, err := Module(s.Device, "mixing", kernels.LoadMixing)
	s.Note(err)
	if !s.Ready() {
		return nil
	}
	return k
}

// Combine sets dst = a x + b y.
func (s *Space) Combine(dst ops.Vector, a float64, x ops.Vector, b float64, y ops.Vector) {
	s.CombineValues(s.cells, F64(dst), a, F64(x), b, F64(y))
}

// CombineValues sets n values dst = a x + b y. dst may be x or y.
func (s *Space) CombineValues(n int64, dst cudriver.Ptr[float64], a float64, x cudriver.Ptr[float64], b float64,
	y cudriver.Ptr[float64]) {
	if k := s.mixing(); k != nil {
		s.Note(k.Combine(s.Stream, Flat(n), kernels.MixingCombineArgs{N: n, A: a, X: x, B: b, Y: y, Dst: dst}))
	}
}

// Inner returns x.y and max|x|.
func (s *Space) Inner(x, y ops.Vector) (product, largest float64) {
	if k := s.mixing(); k != nil {
		s.Note(k.Inner(s.Stream, Flat(s.cells), kernels.MixingInnerArgs{
			N: s.cells, X: F64(x), Y: F64(y), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
	v := s.readStatistics()
	return v[kernels.Scratch], v[kernels.Maxz]
}
