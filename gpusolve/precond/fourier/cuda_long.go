package fourier

import (
	"thermsim/gpusolve/cuda"
)

// roomBytes is what a block takes to transform a pair of long rows; 0 for rows that fit into shared memory.
func (p *gpuPlan) roomBytes() int64 {
	if !p.long {
		return 0
	}
	return int64(p.pad(p.m-1)+1) * bytesOfComplex
}

// takeRooms has room for a block on every multiprocessor.
func (g *gpuOperations) takeRooms() {
	if bytes := max(g.x.roomBytes(), g.y.roomBytes()); bytes > 0 {
		g.rooms = cuda.AllocRaw[float64](g.on.Space, int64(g.on.Multiprocessors)*bytes/8)
	}
}

// runLong launches transforms of rows that do not fit into shared memory. The stages are those of rows that do, in
// global memory, which the cache holds in part: a stage moves 16 B per value of a row.
func (g *gpuOperations) runLong(a *gpuAxis, r rows) {
	mode, scale := r.mode(a.ends)
	count := (r.rows + 1) / 2 * r.planes
	g.on.Note(g.transform.Longer(g.on.Stream, [3]uint32{uint32(min(count, g.on.Multiprocessors)), 1, 1},
		TransformLongerArgs{
			In: r.in, In32: r.in32, Out: r.out, Out32: r.out32, From: r.from, To: r.to, N: int32(a.n),
			Rows: int32(r.rows),
			Mode: mode, Scale: scale,
			Turns: a.turns, Halves: a.halves, Chirp: a.chirps, Filter: a.filters, Roots: a.rootsOnDevice,
			Places: a.placesOnDevice,
			Length: int32(a.m), Stages: int32(len(a.radices)), Radices: a.radicesOnDevice, Rooms: g.rooms,
			Count: int32(count),
		}))
}
