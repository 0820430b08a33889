package cuda

import (
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// differenceBlocks bounds the blocks of Differences, which leave five sums each where others leave three, and
// continuationBlocks those of a multiprocessor that pass over the differences: no more than it holds at a time, so that
// none run alone at the end.
const differenceBlocks, continuationBlocks = ReductionBlocks * 3 / 5, 8

// Differences returns the inner products of d0 = x - old with itself and the differences before it.
func (s *system) Differences(x, old ops.Vector, past [4]ops.Vector) (products [5]float64) {
	if s.Ready() {
		most := min(differenceBlocks, continuationBlocks*s.Multiprocessors)
		planes := min(s.nz, s.mostRows, most)
		along := max(1, min(int(Blocks(s.nx*(s.end-s.first), threads)), most/planes))
		s.Note(s.residual.Differences(s.Stream, [3]uint32{uint32(along), uint32(planes), 1},
			kernels.ResidualDifferencesArgs{
				Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), First: int32(s.first), End: int32(s.end), X: F64(x),
				Old: F64(old),
				D1:  F32(past[0]), D2: F32(past[1]), D3: F32(past[2]), D4: F32(past[3]), Partial: s.partial,
				Scalars: s.scalarsDev, Ticket: s.ticket,
			}))
	}
	v := s.readStatistics()
	copy(products[:], v[:])
	return products
}

// Extrapolate continues x by a sum of differences with weights, and makes the states before those of the next step.
func (s *system) Extrapolate(x, old ops.Vector, past [4]ops.Vector, weights [4]float64) {
	if s.Ready() {
		blocks := max(1, min((s.cells+threads-1)/threads, int64(continuationBlocks*s.Multiprocessors)))
		s.Note(s.residual.Extrapolate(s.Stream, [3]uint32{uint32(blocks), 1, 1}, kernels.ResidualExtrapolateArgs{
			N: s.cells, X: F64(x), Old: F64(old), D1: F32(past[0]), D2: F32(past[1]), D3: F32(past[2]),
			D4: F32(past[3]),
			W0: weights[0], W1: weights[1], W2: weights[2], W3: weights[3],
		}))
	}
}

// Differences adds those of all ranks.
func (s *slabSystem) Differences(x, old ops.Vector, past [4]ops.Vector) [5]float64 {
	mine := s.system.Differences(x, old, past)
	return [5]float64(s.sum(mine[:]...))
}
