package cuda

import (
	"math"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// sum adds the numbers of all ranks in their order; NaN after a failure.
func (s *slabSystem) sum(mine ...float64) []float64 {
	total := make([]float64, len(mine))
	all := s.gathered(mine)
	for _, part := range all {
		for n, v := range part {
			total[n] += v
		}
	}
	if all == nil {
		for n := range total {
			total[n] = math.NaN()
		}
	}
	return total
}

// Residual computes r = b - A x in all rows that are held, and the norms over all ranks.
func (s *slabSystem) Residual(r, r32 ops.Vector, b ops.Source, x ops.Vector) ops.Norms {
	if s.Ready() {
		a := s.residualArgs(r, r32, b, x)
		rows := kernels.SlabResidualArgs{
			Nx: a.Nx, Ny: a.Ny, Nz: a.Nz, Gx: a.Gx, Gy: a.Gy, Gz: a.Gz, Ground: a.Ground, GroundSlot: a.GroundSlot,
			Capacity: a.Capacity, Power: a.Power,
			PowerSlot: a.PowerSlot, Share: a.Share, Inflow: a.Inflow, InflowSlot: a.InflowSlot, X: a.X, Old: a.Old,
			R: a.R, R64: a.R64, Partial: a.Partial,
			Scalars: a.Scalars, Ticket: a.Ticket, First: int32(s.first), End: int32(s.end),
		}
		if s.capacity != nil && b.(*source).old == nil {
			Launch(&s.Space, &s.k.ResidualOldZeroRows, s.rows(residualBlocks), kernels.SlabResidualArgs(rows))
		} else {
			Launch(&s.Space, &s.k.ResidualRows, s.rows(residualBlocks), rows)
		}
	}
	t := s.sumsOf(s.scalarsDev, kernels.RR, kernels.BB, kernels.Floor)
	return ops.Norms{Residual: math.Sqrt(t[kernels.RR]), Source: math.Sqrt(t[kernels.BB]),
		Floor: 0x1p-53 * math.Sqrt(t[kernels.Floor])}
}

func (s *slabSystem) Max(x ops.Vector) float64 {
	Launch(&s.Space, &s.k.MaximumRows, s.planesGrid(), kernels.SlabMaximumRowsArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), First: int32(s.first), End: int32(s.end), X: F64(x),
		Partial: s.partial,
		Scalars: s.scalarsDev, Ticket: s.ticket,
	})
	most := math.Inf(-1)
	all := s.gathered([]float64{s.readStatistics()[kernels.Scratch]})
	if all == nil {
		return math.NaN()
	}
	for _, part := range all {
		if v := part[0]; v > most || math.IsNaN(v) {
			most = v
		}
		if math.IsNaN(most) {
			break
		}
	}
	return most
}

// Inner returns x.y and max|x| of all ranks, NaN after a failure. What decides by it must decide alike everywhere.
func (s *slabSystem) Inner(x, y ops.Vector) (product, largest float64) {
	Launch(&s.Space, &s.k.InnerRows, s.planesGrid(), kernels.SlabInnerRowsArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), First: int32(s.first), End: int32(s.end), X: F64(x),
		Y: F64(y), Partial: s.partial,
		Scalars: s.scalarsDev, Ticket: s.ticket,
	})
	v := s.readStatistics()
	all := s.gathered([]float64{v[kernels.Scratch], v[kernels.Maxz]})
	if all == nil {
		return math.NaN(), math.NaN()
	}
	for _, part := range all {
		product += part[0]
		largest = max(largest, part[1])
	}
	return product, largest
}

// Stored is the heat in W that the capacities of all ranks take up between old and x.
func (s *slabSystem) Stored(x, old ops.Vector) float64 {
	Launch(&s.Space, &s.k.StoredRows, s.planesGrid(), kernels.SlabStoredRowsArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), First: int32(s.first), End: int32(s.end),
		Capacity: s.capacity.address(), X: F64(x),
		Old: F64(old), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
	})
	return s.sumsOf(s.scalarsDev, kernels.Scratch)[kernels.Scratch]
}

// FaceHeat is the heat in W that leaves the whole grid through each face.
func (s *slabSystem) FaceHeat(x ops.Vector) [6]float64 {
	mine := s.system.FaceHeat(x)
	return [6]float64(s.sum(mine[:]...))
}

func (s *slabSystem) OutOfRange() []int64 {
	counts := s.system.OutOfRange()
	mine := make([]float64, len(counts))
	for n, c := range counts {
		mine[n] = float64(c)
	}
	if counts == nil {
		return nil
	}
	for n, v := range s.sum(mine...) {
		counts[n] = int64(v)
	}
	return counts
}

// planesGrid is that of kernels that take planes apart: as many blocks as a reduction may have.
func (s *slabSystem) planesGrid() [3]uint32 {
	planes := min(s.nz, s.mostRows, ReductionBlocks)
	return [3]uint32{uint32(max(1, min(int(Blocks(s.nx*s.ny, kernels.SlabThreads)), ReductionBlocks/planes))),
		uint32(planes), 1}
}

// updateGrid has as many blocks as the GPU holds at a time, so that the streams of an update stay close together in
// memory.
func (s *slabSystem) updateGrid() [3]uint32 {
	planes := min(s.nz, s.mostRows, ReductionBlocks)
	along := min(int(Blocks(s.nx*s.ny, 2*kernels.SlabWide)), updateBlocks*s.Multiprocessors/planes,
		ReductionBlocks/planes)
	return [3]uint32{uint32(max(1, along)), uint32(planes), 1}
}

// slabWorkspace is what one solve of a slab keeps.
type slabWorkspace struct {
	*meshWorkspace
	s    *slabSystem
	kept cudriver.Ptr[float64] // RZ of all ranks, which Dot of the next iteration divides by
}

func (s *slabSystem) NewWorkspace() (ops.Workspace, error) {
	w := &slabWorkspace{meshWorkspace: &meshWorkspace{newIteration(&s.Space), s.system}, s: s}
	w.kept = Alloc[float64](&s.Space, 2)
	return w, s.err
}

func (w *slabWorkspace) Close() {
	w.s.Discard(w.kept)
	w.kept = cudriver.Ptr[float64]{}
	w.meshWorkspace.Close()
}

func (w *slabWorkspace) Dot(r32, z ops.Vector, first bool) {
	s := w.s
	fused, blocks := s.stepped.dst == z && s.stepped.b == r32, s.stepped.blocks
	if !s.Ready() {
		return
	}
	if fused {
		along := blocks / int32(s.ny) // blocks of a row
		Launch(&s.Space, &s.k.DotOfStepRows, [3]uint32{1, 1, 1}, kernels.SlabDotOfStepRowsArgs{
			First: int32(s.first) * along, N: int32(s.end-s.first) * along, Blocks: blocks, Partial: s.partial,
			Scalars: w.scalarsDev,
		})
	} else {
		Launch(&s.Space, &s.k.DotRows, s.planesGrid(), kernels.SlabDotRowsArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), First: int32(s.first), End: int32(s.end), R: F32(r32),
			Z: F32(z), Partial: s.partial,
			Scalars: w.scalarsDev, Ticket: s.ticket,
		})
	}
	if s.gather(w.scalarsDev) {
		Launch(&s.Space, &s.k.CombineDot, [3]uint32{1, 1, 1}, kernels.SlabCombineDotArgs{
			Ranks: int32(s.slab.Group.Size()), First: Flag(first), All: s.all, Scalars: w.scalarsDev, Kept: w.kept,
		})
	}
}

func (w *slabWorkspace) DirectionApply(p, z, q ops.Vector) {
	s, d := w.s, p.(*vector[float32])
	if !s.Ready() {
		return
	}
	Launch(&s.Space, &s.k.DirectionRows, s.rows(directionBlocks), kernels.SlabDirectionRowsArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
		GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Z: F32(z), P0: d.at, P1: d.twin.at, Side: d.side,
		Q:       F32(q),
		Partial: s.partial, Scalars: w.scalarsDev, Ticket: s.ticket, First: int32(s.first), End: int32(s.end),
	})
	if s.gather(w.scalarsDev) {
		Launch(&s.Space, &s.k.CombineDirection, [3]uint32{1, 1, 1}, kernels.SlabCombineDirectionArgs{
			Ranks: int32(s.slab.Group.Size()), All: s.all, Scalars: w.scalarsDev,
		})
	}
}

// Update advances r along p, and x at every second call.
func (w *slabWorkspace) Update(x, r, _, p, _, q ops.Vector) {
	if w.s.Ready() {
		w.update(x, r, p, q)
		w.s.sumOnStream(w.scalarsDev, kernels.RR)
	}
}

// update leaves RR that of this rank.
func (w *slabWorkspace) update(x, r, p, q ops.Vector) {
	s, d := w.s, p.(*vector[float32])
	if s.err != nil {
		return
	}
	Launch(&s.Space, &s.k.UpdateRows, s.updateGrid(), kernels.SlabUpdateRowsArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), First: int32(s.first), End: int32(s.end), X: F64(x),
		R: F32(r), P0: d.at, P1: d.twin.at,
		Side: d.side, Q: F32(q), Partial: s.partial, Scalars: w.scalarsDev, Ticket: s.ticket,
	})
}

// Scalars waits for the device and reads them; RR is summed over the ranks. NaN after a failure.
func (w *slabWorkspace) Scalars() ops.Scalars {
	v := w.s.summed(w.scalarsDev, kernels.RR)
	return ops.Scalars{RZ: v[kernels.RZ], PQ: v[kernels.PQ], RR: v[kernels.RR], MaxZ: v[kernels.Maxz]}
}
