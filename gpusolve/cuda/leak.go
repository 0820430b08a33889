package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// leaking is what a system keeps on the device whose power follows the temperature: the planes of ground and inflow
// without it.
type leaking struct {
	planes  cudriver.Ptr[kernels.FollowLeakPlane]
	terms   cudriver.Ptr[kernels.FollowLeakTerm]
	sheets  cudriver.Ptr[float64]
	laws    cudriver.Ptr[kernels.FollowLaws]
	without cudriver.Ptr[float32]
	driven  cudriver.Ptr[float64]
	in      bool // the leakage is in
}

// uploadLeakage sends how the power follows the temperature.
func (s *system) uploadLeakage() {
	of := s.mesh.Leakage
	if of == nil {
		return
	}
	n := int64(len(of.Planes))
	l := &leaking{without: Alloc[float32](&s.Space, n*s.sheet), driven: Alloc[float64](&s.Space, n*s.sheet),
		sheets: Alloc[float64](&s.Space, int64(len(of.Sheets))*s.sheet)}
	for i, sheet := range of.Sheets {
		Send(&s.Space, l.sheets.Add(int64(i)*s.sheet), sheet)
	}
	l.planes = Upload(&s.Space, converted(of.Planes, func(p *mesh.LeakagePlane) kernels.FollowLeakPlane {
		return kernels.FollowLeakPlane{Share: p.Share, Plane: int64(p.Plane), First: int64(p.First),
			Count: int64(p.Count)}
	}))
	l.terms = Upload(&s.Space, converted(of.Terms, func(t *mesh.LeakageTerm) kernels.FollowLeakTerm {
		return kernels.FollowLeakTerm{Curve: t.Curve, Sheet: t.Sheet}
	}))
	l.laws = Upload(&s.Space, []kernels.FollowLaws{{
		Curves: Upload(&s.Space, lawCurves(of.Laws)), Pieces: Upload(&s.Space, lawPieces(of.Laws)),
		Buckets: Upload(&s.Space, of.Laws.Buckets),
	}})
	s.leaking = l
}

// Leak puts the leakage into the operator and into driven sources, linear around the state x and times a scale. Outside
// the range of a law the derivative is zero, or with ends that at the end.
func (s *system) Leak(x ops.Vector, scale float64, ends bool) error {
	if l := s.leaking; l != nil {
		s.leak(F64(x), scale, ends, !l.in)
		l.in = true
	}
	return s.err
}

// Unleak takes the leakage out.
func (s *system) Unleak() error {
	if l := s.leaking; l != nil && l.in {
		s.leak(cudriver.Ptr[float64]{}, 0, false, false)
		l.in = false
	}
	return s.err
}

func (s *system) leak(x cudriver.Ptr[float64], scale float64, ends, save bool) {
	k := s.kernelsToFollow()
	if k == nil {
		return
	}
	flag := func(b bool) int32 {
		if b {
			return 1
		}
		return 0
	}
	l := s.leaking
	s.Note(k.Leak(s.Stream, s.Grid(int(s.sheet), kernels.FollowThreads, len(s.mesh.Leakage.Planes), 1),
		kernels.FollowLeakArgs{
			Sheet: int32(s.sheet), Planes: l.planes, Terms: l.terms, Sheets: l.sheets, Laws: l.laws,
			Ambient: s.mesh.Stack.Ambient, X: x, Scale: scale,
			Ends: flag(ends), Save: flag(save), Without: l.without, Driven: l.driven, Ground: s.ground.data,
			GroundSlot: s.ground.onDev,
			Inflow:     s.inflow.data, InflowSlot: s.inflow.onDev,
		}))
}
