package cuda

import (
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks"
	"thermsim/mesh"
)

// slabSystem is the system of the rows that a rank holds. Kernels run over all of them; sums are over the own ones, and
// over all ranks.
type slabSystem struct {
	*system
	slab ops.Slab
	link Link
	k    *kernels.Slab
	// Packed rows on their way to and from other ranks.
	send, recv cudriver.Ptr[uint32]
	packed     [2]int64              // words of the two
	all        cudriver.Ptr[float64] // scalars of all ranks
	onStream   bool                  // norms are summed in the order of the stream, not by the hosts
}

var (
	_ ops.SlabDevice = (*Device)(nil)
	_ ops.SlabSystem = (*slabSystem)(nil)
)

// ExchangeColumns is that of GPUs: see docs/guides/ranks.md for how it was chosen.
const ExchangeColumns = 65536

func (d *Device) ExchangeColumns() int {
	if d.LeastShared > 0 {
		return d.LeastShared
	}
	return ExchangeColumns
}

// AssembleSlab is Assemble for the rows that a rank holds.
func (d *Device) AssembleSlab(m *mesh.Mesh, dt float64, slab ops.Slab) (ops.SlabSystem, error) {
	if err := d.LoadSystems(); err != nil {
		return nil, err
	}
	link, err := d.LinkOf(slab.Group)
	if err != nil {
		return nil, err
	}
	k, err := Module(d, "slab", kernels.LoadSlab)
	if err != nil {
		return nil, err
	}
	if err := d.openAside(); err != nil {
		return nil, err
	}
	s := &slabSystem{system: newSystem(d, m, dt), slab: slab, link: link, k: k,
		onStream: sumsOnStream(link, slab.Group)}
	s.first, s.end = slab.Rows.Own(slab.Group.Rank())
	s.assemble()
	s.all = Alloc[float64](&s.Space, int64(slab.Group.Size())*scalarCount)
	if err := s.err; err != nil {
		s.Free()
		return nil, err
	}
	return s, nil
}

// Err is the first failure of the device or of what joins it to others.
func (s *slabSystem) Err() error {
	if err := s.link.Err(); err != nil {
		s.Note(err)
	}
	return s.system.Err()
}

// errByHost says why launches cannot be recorded.
var errByHost = errors.New("transfers between ranks go through the host")

// Record captures the launches that body makes, where transfers may be among them.
func (s *slabSystem) Record(body func()) (replay, forget func(), err error) {
	if !s.link.Recordable() {
		return nil, nil, errByHost
	}
	return s.system.Record(body)
}

// beside does transfer on the second stream, behind what was asked for before, and work on the first. What follows
// waits for both. Transfers come first, so that their few blocks find a place on the GPU. In a recording the second
// stream becomes a branch of it.
func (s *slabSystem) beside(transfer func(on *Space), work func()) {
	a := &s.aside
	d := *s.Device
	d.Stream = a.stream
	if s.err == nil {
		s.Note(errors.Join(s.Driver.EventRecord(a.fork, s.Stream), s.Driver.StreamWaitEvent(a.stream, a.fork)))
	}
	transfer(&Space{Device: &d})
	work()
	if s.err == nil {
		s.Note(errors.Join(s.Driver.EventRecord(a.join, a.stream), s.Driver.StreamWaitEvent(s.Stream, a.join)))
	}
}

// UpdateExchanged is Update, and then Exchange of all ghost rows of r, which travel while the rows between are updated:
// what becomes of the outer own rows is packed first.
func (w *slabWorkspace) UpdateExchanged(x, r, r32, p, _, q ops.Vector) {
	s := w.s
	on := s.slab.Rows
	if !s.Ready() {
		return
	}
	from, to := on.Held(s.slab.Group.Rank())
	fields := []field{fieldOf(r32, on.NX, to-from)}
	pass := s.passage(on, ops.Ghosts, ops.Ghosts, fields...)
	pass.each(fields, false, func(f field, a, b side) {
		if s.err != nil || a.count+b.count == 0 {
			return
		}
		Launch(&s.Space, &s.k.PackUpdatedRows, s.sidesGrid(f, a, b), kernels.SlabPackUpdatedRowsArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), At0: a.at, First0: int32(a.first),
			Count0: int32(a.count),
			At1:    b.at, First1: int32(b.first), Count1: int32(b.count), R: F32(r32), Q: F32(q), Scalars: w.scalarsDev,
			Out: cudriver.At[float32](s.send.Address()),
		})
	})
	s.beside(func(aside *Space) { s.pass(aside, &pass) }, func() { w.update(x, r, p, q) })
	s.sumOnStream(w.scalarsDev, kernels.RR)
	pass.each(fields, true, func(f field, a, b side) { s.unpack(f, s.recv, a, b) })
}

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

// words is the size of a number of rows of all planes.
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
	words := f.words(most)
	s.reserve(words, int64(size)*words)
	s.pack(f, s.send, side{0, first, end - first}, side{})
	if s.err == nil {
		s.Note(s.link.AllGather(&s.Space, s.send.Address(), s.recv.Address(), 4*words))
	}
	rows := func(n int) side {
		if n >= size {
			return side{}
		}
		return side{int64(n) * words, on.Borders[n], on.Borders[n+1] - on.Borders[n]}
	}
	for n := 0; n < size; n += 2 {
		s.unpack(w, s.recv, rows(n), rows(n+1))
	}
}

func (s *slabSystem) Cut(on ops.Partition, part, whole ops.Vector) {
	if !s.Ready() {
		return
	}
	from, to := on.Held(s.slab.Group.Rank())
	f := fieldOf(part, on.NX, to-from)
	s.pack(fieldOf(whole, on.NX, on.NY()), f.at, side{0, from, to - from}, side{})
}

// reserve takes memory for packed rows, in words. It belongs to no scope: what is made in one outlives it.
func (s *slabSystem) reserve(send, recv int64) {
	for n, words := range [2]int64{send, recv} {
		if words <= s.packed[n] || s.err != nil {
			continue
		}
		at := [2]*cudriver.Ptr[uint32]{&s.send, &s.recv}[n]
		outer := s.scope
		s.scope = nil
		s.Discard(*at)
		*at = Alloc[uint32](&s.Space, words)
		s.scope, s.packed[n] = outer, words
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
	Launch(&s.Space, &s.k.PackRows, s.sidesGrid(f, a, b), kernels.SlabPackRowsArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), At0: a.at, First0: int32(a.first), Count0: int32(a.count),
		At1: b.at, First1: int32(b.first), Count1: int32(b.count), X: f.at, Out: to,
	})
}

// unpack copies two ranges of rows into a field.
func (s *slabSystem) unpack(f field, from cudriver.Ptr[uint32], a, b side) {
	if s.err != nil || a.count+b.count == 0 || f.nz == 0 {
		return
	}
	Launch(&s.Space, &s.k.UnpackRows, s.sidesGrid(f, a, b), kernels.SlabUnpackRowsArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), At0: a.at, First0: int32(a.first), Count0: int32(a.count),
		At1: b.at, First1: int32(b.first), Count1: int32(b.count), In: from, X: f.at,
	})
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
			s.Note(fmt.Errorf("rank %d: got %d bytes; expected %d", n, len(b), 8*len(mine)))
			return nil
		}
		numbers[n] = make([]float64, len(mine))
		copy(bytesOf(numbers[n]), b)
	}
	return numbers
}

// sumsOnStream says where the values that a host waits for are summed over the ranks. With ranks in several processes
// it is on the stream, before the host reads them: the GPUs exchange values faster than the hosts. Within one process
// the hosts sum, which need not ask the GPUs again; so do hosts through which the GPUs are connected.
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
	Launch(&s.Space, &s.k.CombineSums, [3]uint32{1, 1, 1},
		kernels.SlabCombineSumsArgs{Ranks: int32(s.slab.Group.Size()), Which: bits, All: s.all, Scalars: scalars})
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
