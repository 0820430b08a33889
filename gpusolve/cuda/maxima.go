package cuda

import (
	"errors"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

var _ reduction.Binning = (*PlaneReducer)(nil)

// Maxima shows planes in bins, with one launch. What it takes of the device's memory it gives back.
func (p *PlaneReducer) Maxima(x ops.Vector, offset float64, m *reduction.Maxima, dst []float64) bool {
	s := p.space
	k, err := Module(s.Device, "statistics", kernels.LoadStatistics)
	s.Note(err)
	if !s.Ready() || m.Count() == 0 {
		return true // and means nothing
	}
	lists := [][]int32{m.X.First, m.X.Last, m.Y.First, m.Y.Last}
	bytes := int64(0)
	for _, l := range lists {
		bytes += BytesOf(l)
	}
	places, err := tryAlloc[byte](s, bytes)
	out, err2 := tryAlloc[float64](s, int64(m.Count()))
	defer s.Discard(places, out)
	if err := errors.Join(err, err2); err != nil {
		if errors.Is(err, cudriver.ErrOutOfMemory) {
			return false
		}
		s.Note(err)
		return true
	}
	b := NewPacker(places, bytes)
	firstX, lastX := Pack(&b, lists[0]), Pack(&b, lists[1])
	firstY, lastY := Pack(&b, lists[2]), Pack(&b, lists[3])
	Send(s, places, b.bytes)
	s.Note(k.Maxima(s.Stream, perThread(int64(m.Count())), kernels.StatisticsMaximaArgs{
		Count: int64(m.Count()), Width: int32(len(m.X.First)), Nx: int32(p.nx), Sheet: p.sheet,
		Planes: int32(m.Planes[1] - m.Planes[0]),
		X:      F64(x).Add(int64(m.Planes[0]) * p.sheet), Offset: offset, FirstX: firstX, LastX: lastX, FirstY: firstY,
		LastY: lastY, Out: out,
	}))
	ReceivePinned(s, dst, out)
	return true
}
