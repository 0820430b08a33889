package cuda

import (
	"errors"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

// countBytes bounds what counts take on the device: more planes go through in parts.
const countBytes = 16 << 20

// counting is room for the counts of some planes.
type counting struct {
	at   cudriver.Ptr[int32]
	room int64
}

// Quantise counts the planes of x. The room for counts is kept for the next time.
func (p *PlaneReducer) Quantise(x ops.Vector, offset float64, q reduction.Quanta, counts []int32) bool {
	s := p.space
	k, err := Module(s.Device, "statistics", kernels.LoadStatistics)
	s.Note(err)
	shown := int64(q.Side(p.nx)) * int64(q.Side(p.ny))
	part := min(int64(p.nz), max(1, countBytes/4/shown))
	if !s.Ready() {
		return true // and means nothing
	}
	if !p.makeRoom(part * shown) {
		return false
	}
	for from := int64(0); from < int64(p.nz) && s.err == nil; from += part {
		n := min(part, int64(p.nz)-from) * shown
		s.Note(k.Quantise(s.Stream, perThread(n), kernels.StatisticsQuantiseArgs{
			Count: n, Nx: int32(p.nx), Ny: int32(p.ny), Factor: int32(q.Factor), X: F64(x).Add(from * p.sheet),
			Offset: offset, Base: q.Base, Quantum: q.Quantum,
			Counts: p.counting.at,
		}))
		ReceivePinned(s, counts[from*shown:from*shown+n], p.counting.at)
	}
	return true
}

// makeRoom for n counts, unless there is no memory left.
func (p *PlaneReducer) makeRoom(n int64) bool {
	s := p.space
	if p.counting.room >= n {
		return true
	}
	s.Discard(p.counting.at)
	p.counting = counting{}
	at, err := tryAlloc[int32](s, n)
	if errors.Is(err, cudriver.ErrOutOfMemory) {
		return false
	}
	s.Note(err)
	p.counting = counting{at, n}
	return true
}
