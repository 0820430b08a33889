package host

import (
	"encoding/binary"

	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

var (
	_ ops.SlabDevice = (*Device)(nil)
	_ ops.SlabSystem = (*system)(nil)
)

// ExchangeColumns is that of every processor: two messages between processes take some 60 us, and a column of ten
// planes 0.17 us in every iteration on two cores.
const ExchangeColumns = 400

func (d *Device) ExchangeColumns() int {
	if d.LeastShared > 0 {
		return d.LeastShared
	}
	return ExchangeColumns
}

func (d *Device) AssembleSlab(m *mesh.Mesh, dt float64, s ops.Slab) (ops.SlabSystem, error) {
	sys := newSystem(d, m, dt)
	sys.share = newShare(s)
	if err := sys.alignGround(); err != nil {
		return nil, err
	}
	return sys, nil
}

// alignGround allocates ground in the planes in which any rank has some.
func (s *system) alignGround() error {
	mine := make([]byte, s.nz)
	for k, g := range s.ground {
		if g != nil {
			mine[k] = 1
		}
	}
	all, err := s.share.Group.Gather(mine)
	if err != nil {
		return err
	}
	for _, of := range all {
		for k, has := range of {
			if has != 0 {
				s.planeGround(k)
			}
		}
	}
	return nil
}

// share describes the part of the grid that a rank holds.
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
		mine = appendValues(mine, g.partial[perRow*j:perRow*j+n])
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
			fill(h.joined[perRow*j:perRow*j+n], of)
			j++
		}
	}
	return h.joined
}

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
	all, err := h.gather(g, appendValues(nil, values))
	if err != nil {
		lost(values)
		return
	}
	clear(values)
	of := make([]float64, len(values))
	for _, theirs := range all {
		fill(of, theirs)
		for i, v := range of {
			values[i] += v
		}
	}
}

func appendValues[T float32 | float64](to []byte, values []T) []byte {
	to, _ = binary.Append(to, binary.LittleEndian, values) // fails for other types alone
	return to
}

func fill[T float32 | float64](dst []T, from []byte) {
	_, _ = binary.Decode(from, binary.LittleEndian, dst)
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

// strips are the planes of vectors whose rows pass between ranks.
type strips struct {
	vectors []ops.Vector
	nx, ny  int // of a plane
}

// bytes that a number of rows takes.
func (t strips) bytes(rows int) int {
	n := 0
	for _, v := range t.vectors {
		n += v.Len() / t.ny * rows * width(v)
	}
	return n
}

func width(v ops.Vector) int {
	if _, single := v.(*vec32); single {
		return 4
	}
	return 8
}

// pack appends rows [from, to) of all planes.
func (t strips) pack(dst []byte, from, to int) []byte {
	for _, v := range t.vectors {
		double, single := Values(v)
		for at := from * t.nx; at < v.Len(); at += t.nx * t.ny {
			if double != nil {
				dst = appendValues(dst, double[at:at+(to-from)*t.nx])
			} else {
				dst = appendValues(dst, single[at:at+(to-from)*t.nx])
			}
		}
	}
	return dst
}

// unpack fills them.
func (t strips) unpack(src []byte, from, to int) {
	for _, v := range t.vectors {
		double, single := Values(v)
		for at := from * t.nx; at < v.Len(); at += t.nx * t.ny {
			n := (to - from) * t.nx
			if double != nil {
				fill(double[at:at+n], src)
			} else {
				fill(single[at:at+n], src)
			}
			src = src[n*width(v):]
		}
	}
}

func (s *system) Exchange(on ops.Partition, below, above int, vectors ...ops.Vector) {
	h := s.share
	if s.fault != nil {
		return
	}
	from, to := on.Held(h.rank)
	t := strips{vectors, on.NX, to - from}
	first, last := on.Own(h.rank)
	var toBelow, toAbove, fromBelow, fromAbove []byte
	if h.rank > 0 { // their rows above are the first of these
		toBelow = t.pack(make([]byte, 0, t.bytes(above)), first, first+above)
		fromBelow = make([]byte, t.bytes(below))
	}
	if h.rank+1 < h.Group.Size() {
		toAbove = t.pack(make([]byte, 0, t.bytes(below)), last-below, last)
		fromAbove = make([]byte, t.bytes(above))
	}
	if err := h.Group.Exchange(toBelow, toAbove, fromBelow, fromAbove); err != nil {
		s.fail(err)
		return
	}
	if h.rank > 0 {
		t.unpack(fromBelow, first-below, first)
	}
	if h.rank+1 < h.Group.Size() {
		t.unpack(fromAbove, last, last+above)
	}
}

func (s *system) Collect(on ops.Partition, whole, part ops.Vector) {
	h := s.share
	from, to := on.Held(h.rank)
	first, last := on.Own(h.rank)
	all, err := h.gather(&s.grid, strips{[]ops.Vector{part}, on.NX, to - from}.pack(nil, first, last))
	if err != nil {
		return
	}
	t := strips{[]ops.Vector{whole}, on.NX, on.NY()}
	for rank, theirs := range all {
		t.unpack(theirs, on.Borders[rank], on.Borders[rank+1])
	}
}

func (s *system) Cut(on ops.Partition, part, whole ops.Vector) {
	from, to := on.Held(s.share.rank)
	n, sheet := (to-from)*on.NX, on.NY()*on.NX
	dst, src := Singles(part), Singles(whole)
	for k := range len(dst) / n {
		copy(dst[k*n:(k+1)*n], src[k*sheet+from*on.NX:])
	}
}
