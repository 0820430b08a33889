package cuda

import (
	"errors"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
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
	room       [2]int64              // words of the two
	all        cudriver.Ptr[float64] // scalars of all ranks
	onStream   bool                  // norms are summed in the order of the stream, not by the hosts
}

var (
	_ ops.SlabDevice = (*Device)(nil)
	_ ops.SlabSystem = (*slabSystem)(nil)
)

// ExchangeColumns is that of GPUs: docs/guides/ranks.md tells how it was chosen.
const ExchangeColumns = 65536

// ExchangeColumns is about the number of columns that a cycle works on in the time of two exchanges.
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
