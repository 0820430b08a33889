package cuda

import (
	"errors"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

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
		s.Note(s.k.PackUpdatedRows(s.Stream, s.sidesGrid(f, a, b), kernels.SlabPackUpdatedRowsArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), At0: a.at, First0: int32(a.first),
			Count0: int32(a.count),
			At1:    b.at, First1: int32(b.first), Count1: int32(b.count), R: F32(r32), Q: F32(q), Scalars: w.scalarsDev,
			Out: cudriver.At[float32](s.send.Address()),
		}))
	})
	s.beside(func(aside *Space) { s.pass(aside, &pass) }, func() { w.update(x, r, p, q) })
	s.sumOnStream(w.scalarsDev, kernels.RR)
	pass.each(fields, true, func(f field, a, b side) { s.unpack(f, s.recv, a, b) })
}
