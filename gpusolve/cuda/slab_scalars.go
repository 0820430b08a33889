package cuda

import (
	"math"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ranks"
)

// sumsOnStream says where the numbers that a host waits for are summed over the ranks: on the stream, before it reads
// them, where ranks are in several processes, whose hosts take longer to tell each other than the GPUs; by the hosts of
// one process, who need not ask the GPUs again; and by those whose GPUs are joined through them.
func sumsOnStream(l Link, g ranks.Group) bool {
	if _, byHost := l.(staged); byHost {
		return false
	}
	within, ok := underlying(g).(interface{ InProcess() int })
	return !ok || within.InProcess() < g.Size()
}

// ending is a group whose ranks may be asked to end, and end together.
type ending interface {
	Asked() bool
	End()
}

// gather gives all ranks the scalars of each.
func (s *slabSystem) gather(scalars cudriver.Ptr[float64]) bool {
	if s.err == nil {
		s.Note(s.link.AllGather(&s.Space, scalars.Address(), s.all.Address(), 8*scalarCount))
	}
	return s.err == nil
}

// sumOnStream makes some scalars of this rank sums over all, where that is done on the stream. With them goes what asks
// for an end.
func (s *slabSystem) sumOnStream(scalars cudriver.Ptr[float64], which ...int) {
	if !s.onStream || !s.gather(scalars) {
		return
	}
	var bits uint32
	for _, n := range which {
		bits |= 1 << n
	}
	s.Note(s.k.CombineSums(s.Stream, [3]uint32{1, 1, 1}, kernels.SlabCombineSumsArgs{Ranks: int32(s.slab.Group.Size()),
		Which: bits, All: s.all, Scalars: scalars}))
}

// sumsOf sums some scalars over the ranks, and gives all scalars; NaN after a failure.
func (s *slabSystem) sumsOf(scalars cudriver.Ptr[float64], which ...int) []float64 {
	s.sumOnStream(scalars, which...)
	return s.summed(scalars, which...)
}

// summed gives all scalars when the sums are made, on the stream before or by the hosts now; NaN after a failure.
func (s *slabSystem) summed(scalars cudriver.Ptr[float64], which ...int) []float64 {
	v := s.scalarsAt(scalars)
	if s.onStream {
		s.agree(scalars, v)
	} else {
		mine := make([]float64, len(which))
		for i, n := range which {
			mine[i] = v[n]
		}
		for i, sum := range s.sum(mine...) {
			v[which[i]] = sum
		}
	}
	if s.Err() != nil {
		for n := range v {
			v[n] = math.NaN()
		}
	}
	return v
}

// agree ends this rank's part where any rank has asked for it, and has the next sums ask where this one's user does.
func (s *slabSystem) agree(scalars cudriver.Ptr[float64], v []float64) {
	e, ok := s.slab.Group.(ending)
	if !ok || s.err != nil {
		return
	}
	if v[kernels.Ended] > 0 {
		e.End()
	}
	if e.Asked() && v[kernels.Asked] == 0 {
		Send(&s.Space, scalars.Add(kernels.Asked), []float64{1})
	}
}
