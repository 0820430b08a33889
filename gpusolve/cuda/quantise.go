package cuda

import (
	"errors"

	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/kernels"
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
func (s *system) Quantise(x ops.Vector, offset float64, q reduction.Quanta, counts []int32) bool {
	k, err := Module(s.Device, "statistics", kernels.LoadStatistics)
	s.Note(err)
	shown := int64(q.Side(s.nx)) * int64(q.Side(s.ny))
	part := min(int64(s.nz), max(1, countBytes/4/shown))
	if !s.Ready() {
		return true // and means nothing
	}
	if !s.makeRoom(part * shown) {
		return false
	}
	for from := int64(0); from < int64(s.nz) && s.err == nil; from += part {
		n := min(part, int64(s.nz)-from) * shown
		s.Note(k.Quantise(s.Stream, perThread(n), kernels.StatisticsQuantiseArgs{
			Count: n, Nx: int32(s.nx), Ny: int32(s.ny), Factor: int32(q.Factor), X: F64(x).Add(from * s.sheet), Offset: offset, Base: q.Base, Quantum: q.Quantum,
			Counts: s.counting.at,
		}))
		ReceivePinned(&s.Space, counts[from*shown:from*shown+n], s.counting.at)
	}
	return true
}

// makeRoom for n counts, unless there is no memory left.
func (s *system) makeRoom(n int64) bool {
	if s.counting.room >= n {
		return true
	}
	s.Discard(s.counting.at)
	s.counting = counting{}
	at, err := tryAlloc[int32](&s.Space, n)
	if errors.Is(err, cudriver.ErrOutOfMemory) {
		return false
	}
	s.Note(err)
	s.counting = counting{at, n}
	return true
}
