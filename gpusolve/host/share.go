package host

import (
	"encoding/binary"
	"math"

	"thermsim/gpusolve/ops"
)

// share is what a rank knows of the grid that it holds a slab of.
type share struct {
	ops.Slab
	rank        int
	first, last int       // its own rows, of those it holds
	joined      []float64 // perRow sums of each row of the grid
	message     []byte
}

func newShare(s ops.Slab) *share {
	h := &share{Slab: s, rank: s.Group.Rank(), joined: make([]float64, perRow*s.Rows.NY())}
	h.first, h.last = s.Rows.Own(h.rank)
	return h
}

// joinRows gathers the first n numbers of every own row of all ranks.
func (h *share) joinRows(g *grid, n int) rowSums {
	mine := h.message[:0]
	for j := h.first; j < h.last; j++ {
		mine = appendDoubles(mine, g.partial[perRow*j:perRow*j+n])
	}
	h.message = mine
	all, err := h.gather(g, mine)
	if err != nil {
		lost(h.joined)
		return h.joined
	}
	j := 0
	for _, of := range all {
		for ; len(of) > 0; of = of[8*n:] {
			doubles(h.joined[perRow*j:perRow*j+n], of)
			j++
		}
	}
	return h.joined
}

// gather keeps failures.
func (h *share) gather(g *grid, mine []byte) ([][]byte, error) {
	if g.fault != nil {
		return nil, g.fault
	}
	all, err := h.Group.Gather(mine)
	if err != nil {
		g.fail(err)
	}
	return all, err
}

// total adds up values of all ranks, in the order of their numbers.
func (h *share) total(g *grid, values []float64) {
	all, err := h.gather(g, appendDoubles(nil, values))
	if err != nil {
		lost(values)
		return
	}
	clear(values)
	of := make([]float64, len(values))
	for _, theirs := range all {
		doubles(of, theirs)
		for i, v := range of {
			values[i] += v
		}
	}
}

func appendDoubles(to []byte, values []float64) []byte {
	for _, v := range values {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
	}
	return to
}

func doubles(dst []float64, from []byte) {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(from[8*i:]))
	}
}

// totalCounts adds up counts of all ranks, which are small enough to be exact.
func (h *share) totalCounts(g *grid, counts []int64) {
	values := make([]float64, len(counts))
	for i, n := range counts {
		values[i] = float64(n)
	}
	h.total(g, values)
	for i, v := range values {
		counts[i] = int64(v)
	}
}
