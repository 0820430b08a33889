package cuda

import (
	"fmt"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// side is a range of rows of a field, and the word at which they lie when they are packed.
type side struct {
	at           int64
	first, count int
}

// field is a vector on the rows of a partition that a rank holds, or on all: words of four bytes, nx in a row, ny rows
// in a plane.
type field struct {
	at         cudriver.Ptr[uint32]
	nx, ny, nz int
}

// fieldOf takes a vector of planes of ny rows.
func fieldOf(v ops.Vector, nx, ny int) field {
	f := field{nx: nx, ny: ny, nz: v.Len() / (nx * ny)}
	switch v := v.(type) {
	case *vector[float64]:
		f.at, f.nx = cudriver.At[uint32](v.at.Address()), 2*nx
	case *vector[float32]:
		f.at = cudriver.At[uint32](v.at.Address())
	}
	return f
}

// words is the size of so many rows of all planes.
func (f field) words(rows int) int64 { return int64(f.nx) * int64(rows) * int64(f.nz) }

// passage is what changes hands in an exchange of ghost rows: what goes down are first rows of the own, what goes up
// are last ones. Of every field, in the order of the packed words, down come all rows for the rank below and then,
// behind them, up those for the rank above.
type passage struct {
	down, up     int64 // words
	first, end   int   // own rows
	below, above int   // ghost rows to fill
	under, over  int   // 0 where there is no neighbour
}

// passage of ghost rows of fields.
func (s *slabSystem) passage(on ops.Partition, below, above int, fields ...field) passage {
	rank := s.slab.Group.Rank()
	p := passage{below: below, above: above, under: 1, over: 1}
	p.first, p.end = on.Own(rank)
	for _, f := range fields {
		p.down, p.up = p.down+f.words(above), p.up+f.words(below)
	}
	if rank == 0 {
		p.under = 0
	}
	if rank == s.slab.Group.Size()-1 {
		p.over = 0
	}
	s.reserve(p.down+p.up, p.down+p.up)
	return p
}

// each gives the rows of every field that leave or, with ghosts, arrive, and where they lie when packed.
func (p *passage) each(fields []field, ghosts bool, do func(f field, down, up side)) {
	atDown, atUp := int64(0), p.down
	for _, f := range fields {
		down, up := side{atDown, p.first, p.under * p.above}, side{atUp, p.end - p.below, p.over * p.below}
		if ghosts {
			down, up = side{atDown, p.end, p.over * p.above}, side{atUp, p.first - p.below, p.under * p.below}
		}
		do(f, down, up)
		atDown, atUp = atDown+f.words(p.above), atUp+f.words(p.below)
	}
}

// pass sends what is packed, in the order of the stream of on.
func (s *slabSystem) pass(on *Space, p *passage) {
	if s.err == nil {
		s.Note(s.link.Exchange(on, Transfer{s.send.Address(), s.recv.Address(), 4 * p.down},
			Transfer{s.send.Add(p.down).Address(), s.recv.Add(p.down).Address(), 4 * p.up}))
	}
}

// Exchange fills ghost rows from the neighbours.
func (s *slabSystem) Exchange(on ops.Partition, below, above int, vectors ...ops.Vector) {
	if !s.Ready() {
		return
	}
	from, to := on.Held(s.slab.Group.Rank())
	fields := make([]field, len(vectors))
	for n, v := range vectors {
		fields[n] = fieldOf(v, on.NX, to-from)
	}
	p := s.passage(on, below, above, fields...)
	p.each(fields, false, func(f field, down, up side) { s.pack(f, s.send, down, up) })
	s.pass(&s.Space, &p)
	p.each(fields, true, func(f field, down, up side) { s.unpack(f, s.recv, down, up) })
}

// Collect fills whole from the own rows of all ranks.
func (s *slabSystem) Collect(on ops.Partition, whole, part ops.Vector) {
	if !s.Ready() {
		return
	}
	rank, size := s.slab.Group.Rank(), s.slab.Group.Size()
	first, end := on.Own(rank)
	from, to := on.Held(rank)
	most := 0
	for n := range size {
		most = max(most, on.Borders[n+1]-on.Borders[n])
	}
	f, w := fieldOf(part, on.NX, to-from), fieldOf(whole, on.NX, on.NY())
	room := f.words(most)
	s.reserve(room, int64(size)*room)
	s.pack(f, s.send, side{0, first, end - first}, side{})
	if s.err == nil {
		s.Note(s.link.AllGather(&s.Space, s.send.Address(), s.recv.Address(), 4*room))
	}
	rows := func(n int) side {
		if n >= size {
			return side{}
		}
		return side{int64(n) * room, on.Borders[n], on.Borders[n+1] - on.Borders[n]}
	}
	for n := 0; n < size; n += 2 {
		s.unpack(w, s.recv, rows(n), rows(n+1))
	}
}

// Cut fills the rows that the rank holds from whole.
func (s *slabSystem) Cut(on ops.Partition, part, whole ops.Vector) {
	if !s.Ready() {
		return
	}
	from, to := on.Held(s.slab.Group.Rank())
	f := fieldOf(part, on.NX, to-from)
	s.pack(fieldOf(whole, on.NX, on.NY()), f.at, side{0, from, to - from}, side{})
}

// reserve takes memory for packed rows of so many words. It belongs to no scope: what is made in one outlives it.
func (s *slabSystem) reserve(send, recv int64) {
	for n, words := range [2]int64{send, recv} {
		if words <= s.room[n] || s.err != nil {
			continue
		}
		at := [2]*cudriver.Ptr[uint32]{&s.send, &s.recv}[n]
		outer := s.scope
		s.scope = nil
		s.Discard(*at)
		*at = Alloc[uint32](&s.Space, words)
		s.scope, s.room[n] = outer, words
	}
}

func (s *slabSystem) sidesGrid(f field, a, b side) [3]uint32 {
	z := uint32(1)
	if b.count > 0 {
		z = 2
	}
	return [3]uint32{Blocks(f.nx*max(a.count, b.count), kernels.SlabThreads), uint32(min(f.nz, s.mostRows)), z}
}

// pack copies two ranges of rows out of a field.
func (s *slabSystem) pack(f field, to cudriver.Ptr[uint32], a, b side) {
	if s.err != nil || a.count+b.count == 0 || f.nz == 0 {
		return
	}
	s.Note(s.k.PackRows(s.Stream, s.sidesGrid(f, a, b), kernels.SlabPackRowsArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), At0: a.at, First0: int32(a.first), Count0: int32(a.count),
		At1: b.at, First1: int32(b.first), Count1: int32(b.count), X: f.at, Out: to,
	}))
}

// unpack copies two ranges of rows into a field.
func (s *slabSystem) unpack(f field, from cudriver.Ptr[uint32], a, b side) {
	if s.err != nil || a.count+b.count == 0 || f.nz == 0 {
		return
	}
	s.Note(s.k.UnpackRows(s.Stream, s.sidesGrid(f, a, b), kernels.SlabUnpackRowsArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), At0: a.at, First0: int32(a.first), Count0: int32(a.count),
		At1: b.at, First1: int32(b.first), Count1: int32(b.count), In: from, X: f.at,
	}))
}

// gathered gives all ranks one's numbers, in the order of the ranks; nil after a failure.
func (s *slabSystem) gathered(mine []float64) [][]float64 {
	if s.Err() != nil {
		return nil
	}
	all, err := s.slab.Group.Gather(bytesOf(mine))
	s.Note(err)
	if err != nil {
		return nil
	}
	numbers := make([][]float64, len(all))
	for n, b := range all {
		if len(b) != 8*len(mine) {
			s.Note(fmt.Errorf("rank %d gave %d bytes in place of %d", n, len(b), 8*len(mine)))
			return nil
		}
		numbers[n] = make([]float64, len(mine))
		copy(bytesOf(numbers[n]), b)
	}
	return numbers
}
