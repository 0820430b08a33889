package host

import (
	"encoding/binary"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// share is what a rank knows of the grid that it holds a slab of.
type share struct {
	ops.Slab
	rank        int
	first, last int       // its own rows, of those it holds
	joined      []float64 // perRow sums of each row of the grid
	message     []byte
}

var (
	_ ops.SlabDevice = (*Device)(nil)
	_ ops.SlabSystem = (*system)(nil)
)

// ExchangeColumns is that of every processor: two messages between processes take some 60 us, and a column of ten
// planes 0.17 us in every iteration on two cores.
const ExchangeColumns = 400

// ExchangeColumns is about the number of columns that a cycle works on in the time of two exchanges.
func (d *Device) ExchangeColumns() int {
	if d.LeastShared > 0 {
		return d.LeastShared
	}
	return ExchangeColumns
}

// AssembleSlab discretises the rows that a rank holds.
func (d *Device) AssembleSlab(m *mesh.Mesh, dt float64, s ops.Slab) (ops.SlabSystem, error) {
	h := newShare(s)
	sys := newSystem(d, m, dt)
	sys.share = h
	if err := h.alignGround(sys); err != nil {
		return nil, err
	}
	return sys, nil
}

func newShare(s ops.Slab) *share {
	h := &share{Slab: s, rank: s.Group.Rank(), joined: make([]float64, perRow*s.Rows.NY())}
	h.first, h.last = s.Rows.Own(h.rank)
	return h
}

// alignGround makes room for ground in the planes in which any rank has some.
func (h *share) alignGround(s *system) error {
	mine := make([]byte, s.nz)
	for k, g := range s.ground {
		if g != nil {
			mine[k] = 1
		}
	}
	all, err := h.Group.Gather(mine)
	if err != nil {
		return err
	}
	for _, of := range all {
		for k, has := range of {
			if has != 0 && s.ground[k] == nil {
				s.ground[k] = make([]float32, s.sheet)
				s.Account(int64(s.sheet) * 4)
			}
		}
	}
	return nil
}

// owns says whether a row that the system holds is its own.
func (s *system) owns(j int) bool { return s.share == nil || j >= s.share.first && j < s.share.last }

// joinRows gathers the first n numbers of every own row of all ranks.
func (h *share) joinRows(s *system, n int) rowSums {
	mine := h.message[:0]
	for j := h.first; j < h.last; j++ {
		mine = appendDoubles(mine, s.partial[perRow*j:perRow*j+n])
	}
	h.message = mine
	all, err := h.gather(s, mine)
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
func (h *share) gather(s *system, mine []byte) ([][]byte, error) {
	if s.fault != nil {
		return nil, s.fault
	}
	all, err := h.Group.Gather(mine)
	if err != nil {
		s.fail(err)
	}
	return all, err
}

// total adds up values of all ranks, in the order of their numbers.
func (h *share) total(s *system, values []float64) {
	all, err := h.gather(s, appendDoubles(nil, values))
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
func (h *share) totalCounts(s *system, counts []int64) {
	values := make([]float64, len(counts))
	for i, n := range counts {
		values[i] = float64(n)
	}
	h.total(s, values)
	for i, v := range values {
		counts[i] = int64(v)
	}
}
