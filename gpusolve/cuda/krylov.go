package cuda

import (
	"math"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// meshWorkspace is what one solve of a mesh's system keeps.
type meshWorkspace struct {
	Iteration
	sys *system
}

func (s *system) NewWorkspace() (ops.Workspace, error) {
	return &meshWorkspace{newIteration(&s.Space), s}, s.err
}

// NewDirection makes a vector whose values change between two buffers, so that a step reads the old direction while it
// writes the new one.
func (w *meshWorkspace) NewDirection() (ops.Vector, error) {
	p := NewVector[float32](w.Space, w.cells, w.pad)
	p.twin = NewVector[float32](w.Space, w.cells, w.pad)
	p.side = Alloc[int32](w.Space, 4)
	w.direction = p
	return p, w.err
}

func (w *meshWorkspace) Apply(y, x ops.Vector) { w.sys.Apply(y, x) }

// wide is the grid of the update: as many blocks as the GPU holds at a time, so that its six streams stay close
// together in memory.
func (s *system) wide(n int64) [3]uint32 {
	return [3]uint32{
		uint32(max(1, min((n+kernels.KrylovWide-1)/kernels.KrylovWide, int64(updateBlocks*s.Multiprocessors)))), 1, 1}
}

// Blocks that a multiprocessor holds of the kernels that loop over rows or values, by their registers: one full wave of
// blocks wastes none.
const directionBlocks, residualBlocks, updateBlocks = 12, 8, 4

// rows is the grid of kernels that march columns, each block takes every n-th row.
func (s *system) rows(perMultiprocessor int) [3]uint32 {
	bx := Blocks(s.nx, threads)
	return [3]uint32{bx,
		uint32(min(s.ny, s.mostRows, max(1, min(s.maxBlocks, perMultiprocessor*s.Multiprocessors)/int(bx)))), 1}
}

func (s *Iteration) Dot(r32, z ops.Vector, first bool) {
	fused := s.stepped.dst == z && s.stepped.b == r32
	if !s.Ready() {
		return
	}
	if fused {
		Launch(s.Space, &s.krylov.DotOfStep, [3]uint32{1, 1, 1}, kernels.KrylovDotOfStepArgs{
			N: s.stepped.blocks, First: Flag(first), Partial: s.partial, Scalars: s.scalarsDev,
		})
		return
	}
	Launch(s.Space, &s.krylov.Dot, Flat(s.cells), kernels.KrylovDotArgs{
		N: s.cells, First: Flag(first), R: F32(r32), Z: F32(z), Partial: s.partial, Scalars: s.scalarsDev,
		Ticket: s.ticket,
	})
}

func (w *meshWorkspace) DirectionApply(p, z, q ops.Vector) {
	s, d := w.sys, p.(*vector[float32])
	Launch(&s.Space, &s.krylov.Direction, s.rows(directionBlocks), kernels.KrylovDirectionArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
		GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Z: F32(z), P0: d.at, P1: d.twin.at, Side: d.side,
		Q:       F32(q),
		Partial: s.partial, Scalars: w.scalarsDev, Ticket: s.ticket,
	})
}

// Update advances r along p, and x at every second call.
func (w *meshWorkspace) Update(x, r, _, p, _, q ops.Vector) {
	s, d := w.sys, p.(*vector[float32])
	Launch(&s.Space, &s.krylov.Update, s.wide(s.cells/2), kernels.KrylovUpdateArgs{
		N: s.cells, X: F64(x), R: F32(r), P0: d.at, P1: d.twin.at, Side: d.side, Q: F32(q), Partial: s.partial,
		Scalars: w.scalarsDev, Ticket: s.ticket,
	})
}

// Settle gives x the step that the last Update kept back.
func (w *meshWorkspace) Settle(x, p ops.Vector) {
	s, d := w.sys, p.(*vector[float32])
	Launch(&s.Space, &s.krylov.Settle, s.wide(s.cells), kernels.KrylovSettleArgs{
		N: s.cells, X: F64(x), P0: d.at, P1: d.twin.at, Side: d.side, Scalars: w.scalarsDev, Ticket: s.ticket,
	})
}

// Settle has nothing to do where every Update moves x.
func (s *Iteration) Settle(_, _ ops.Vector) {}

func (s *Iteration) Scalars() ops.Scalars {
	v := s.ReadScalars()
	return ops.Scalars{RZ: v[kernels.RZ], PQ: v[kernels.PQ], RR: v[kernels.RR], MaxZ: v[kernels.Maxz]}
}

// Iteration holds the scalars of one solve on the device; their order is fixed in kernels/device.h. Two of them on one
// space are two solves.
type Iteration struct {
	*Space
	scalarsDev cudriver.Ptr[float64]
	direction  *vector[float32]
}

// IterationOf is the GPU's part of a workspace, for methods whose kernels set its scalars. ok is false for what lives
// elsewhere.
func IterationOf(w ops.Workspace) (i *Iteration, ok bool) {
	on, ok := w.(interface{ gpuIteration() *Iteration })
	if !ok {
		return nil, false
	}
	return on.gpuIteration(), true
}

func (w *Iteration) gpuIteration() *Iteration { return w }

// Sums is the memory of kernels that reduce: the blocks' partial sums, up to three for each of MaxBlocks, the
// iteration's scalars in the order of kernels/device.h, and the ticket by which the last block is known.
func (w *Iteration) Sums() (partial, scalars cudriver.Ptr[float64], ticket cudriver.Ptr[uint32]) {
	return w.partial, w.scalarsDev, w.ticket
}

// MaxBlocks is how many blocks a reduction may have.
func (w *Iteration) MaxBlocks() int { return w.maxBlocks }

func newIteration(s *Space) Iteration {
	return Iteration{Space: s, scalarsDev: Alloc[float64](s, scalarCount)}
}

func (w *Iteration) Close() {
	w.Discard(w.scalarsDev)
	w.scalarsDev = cudriver.Ptr[float64]{}
	if w.direction != nil {
		w.Release(w.direction)
		w.direction = nil
	}
}

// IterationBytes is what a space of NewIteration takes for itself.
const IterationBytes = 8*(3*ReductionBlocks+2*scalarCount) + 4*StoreAlign

// NewIteration is the space of a method that holds its operator itself, with scalars, for vectors of the given number
// of cells. extra is the memory in bytes to reserve for what the method allocates first.
func NewIteration(d *Device, cells, extra int64) (*Iteration, error) {
	if err := d.loadResidual(); err != nil {
		return nil, err
	}
	s := newSpace(d, cells, 0)
	s.stock(IterationBytes + extra)
	s.maxBlocks = ReductionBlocks
	s.reductions(3 * ReductionBlocks)
	if err := s.err; err != nil {
		s.Free()
		return nil, err
	}
	return s.NewIteration(), nil
}

// NewIteration makes scalars of a method's own on the space.
func (s *Space) NewIteration() *Iteration {
	i := newIteration(s)
	return &i
}

// ReadScalars waits for the device and gives the scalars in their order; NaN after a failure. The next call overwrites
// them.
func (w *Iteration) ReadScalars() []float64 { return w.scalarsAt(w.scalarsDev) }

// Max is the largest of n values, NaN where any is NaN.
func (w *Iteration) Max(x cudriver.Ptr[float64], n int64) float64 {
	Launch(w.Space, &w.residual.Maximum, Flat(n), kernels.ResidualMaximumArgs{N: n, X: x, Partial: w.partial,
		Scalars: w.scalarsDev, Ticket: w.ticket})
	return w.ReadScalars()[kernels.Scratch]
}

// Residual computes r = b - A x and its norms. An FP64 r comes with its rounded copy r32.
func (s *system) Residual(r, r32 ops.Vector, b ops.Source, x ops.Vector) ops.Norms {
	if s.Ready() {
		h, args := b.(*source), s.residualArgs(r, r32, b, x)
		if s.cooling != nil {
			s.cooledResidual(&args)
		} else if s.capacity != nil && h.old == nil {
			Launch(&s.Space, &s.residual.ResidualOldZero, s.rows(residualBlocks),
				kernels.ResidualResidualArgs(args))
		} else {
			Launch(&s.Space, &s.residual.Residual, s.rows(residualBlocks), args)
		}
	}
	v := s.readStatistics()
	return ops.Norms{Residual: math.Sqrt(v[kernels.RR]), Source: math.Sqrt(v[kernels.BB]),
		Floor: 0x1p-53 * math.Sqrt(v[kernels.Floor])}
}

func (s *system) residualArgs(r, r32 ops.Vector, b ops.Source, x ops.Vector) kernels.ResidualResidualArgs {
	h := b.(*source)
	var double cudriver.Ptr[float64]
	if ValueBytes(r) == 8 {
		double, r = F64(r), r32
	}
	return kernels.ResidualResidualArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
		GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Power: h.power.data, PowerSlot: h.power.onDev,
		Share: h.share, Inflow: s.inflow.data, InflowSlot: h.inflow, X: F64(x), Old: F64(h.old), R: F32(r), R64: double,
		Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
	}
}

func (s *Space) Fill(x ops.Vector, value float64) {
	Launch(s, &s.residual.Fill, Flat(s.cells),
		kernels.ResidualFillArgs{N: s.cells, Value: value, X: F64(x)})
}

func (s *system) Max(x ops.Vector) float64 {
	Launch(&s.Space, &s.residual.Maximum, Flat(s.cells), kernels.ResidualMaximumArgs{
		N: s.cells, X: F64(x), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
	})
	return s.readStatistics()[kernels.Scratch]
}

func (s *system) Stored(x, old ops.Vector) float64 {
	Launch(&s.Space, &s.residual.Stored, Flat(s.cells), kernels.ResidualStoredArgs{
		N: s.cells, Capacity: s.capacity.address(), X: F64(x), Old: F64(old), Partial: s.partial,
		Scalars: s.scalarsDev,
		Ticket:  s.ticket,
	})
	return s.readStatistics()[kernels.Scratch]
}

func (s *system) FaceHeat(x ops.Vector) (heat [6]float64) {
	c := &s.compact
	s.onFaces(func(on facing) {
		bx := Blocks(on.na, kernels.AssembleThreads)
		grid := [3]uint32{bx, uint32(min(on.nb, s.mostRows, max(1, s.maxBlocks/int(bx)))), 1}
		if s.following != nil {
			s.followedFaceHeat(grid, on, x)
		} else if s.err == nil {
			Launch(&s.Space, &s.assembly.FaceHeat, grid, kernels.AssembleFaceHeatArgs{
				Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
				Uniform: c.uniform, Slot: c.slot, Index: c.index, Palette: c.palette, Closed: c.closed,
				ClosedLine: c.closedLine, Face: int32(on.face), Na: int32(on.na),
				Nb: int32(on.nb), Resistances: c.resistances, Rise: on.rise, Flux: on.flux, X: F64(x),
				Partial: s.partial,
				Scalars: s.scalarsDev,
				Ticket:  s.ticket, First: int32(s.first), End: int32(s.end),
			})
		}
		heat[on.face] = s.readStatistics()[kernels.Scratch]
	})
	return heat
}

func (s *Space) Combine(dst ops.Vector, a float64, x ops.Vector, b float64, y ops.Vector) {
	s.CombineValues(s.cells, F64(dst), a, F64(x), b, F64(y))
}

// CombineValues sets n values: dst = a x + b y. The result may replace x or y.
func (s *Space) CombineValues(n int64, dst cudriver.Ptr[float64], a float64, x cudriver.Ptr[float64], b float64,
	y cudriver.Ptr[float64]) {
	if k, ok := loaded(s, "mixing", kernels.LoadMixing); ok {
		Launch(s, &k.Combine, Flat(n), kernels.MixingCombineArgs{N: n, A: a, X: x, B: b, Y: y, Dst: dst})
	}
}

func (s *Space) Inner(x, y ops.Vector) (product, largest float64) {
	if k, ok := loaded(s, "mixing", kernels.LoadMixing); ok {
		Launch(s, &k.Inner, Flat(s.cells), kernels.MixingInnerArgs{
			N: s.cells, X: F64(x), Y: F64(y), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	}
	v := s.readStatistics()
	return v[kernels.Scratch], v[kernels.Maxz]
}

// differenceBlocks limits the blocks of Differences, which leave five sums each where others leave three.
// continuationBlocks limits those of a multiprocessor that pass over the differences to what it holds at a time, so
// that none run alone at the end.
const differenceBlocks, continuationBlocks = ReductionBlocks * 3 / 5, 8

func (s *system) Differences(x, old ops.Vector, past [4]ops.Vector) (products [5]float64) {
	if s.Ready() {
		most := min(differenceBlocks, continuationBlocks*s.Multiprocessors)
		planes := min(s.nz, s.mostRows, most)
		along := max(1, min(int(Blocks(s.nx*(s.end-s.first), threads)), most/planes))
		Launch(&s.Space, &s.residual.Differences, [3]uint32{uint32(along), uint32(planes), 1},
			kernels.ResidualDifferencesArgs{
				Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), First: int32(s.first), End: int32(s.end), X: F64(x),
				Old: F64(old),
				D1:  F32(past[0]), D2: F32(past[1]), D3: F32(past[2]), D4: F32(past[3]), Partial: s.partial,
				Scalars: s.scalarsDev, Ticket: s.ticket,
			})
	}
	v := s.readStatistics()
	copy(products[:], v[:])
	return products
}

func (s *system) Extrapolate(x, old ops.Vector, past [4]ops.Vector, weights [4]float64) {
	if s.Ready() {
		blocks := max(1, min((s.cells+threads-1)/threads, int64(continuationBlocks*s.Multiprocessors)))
		Launch(&s.Space, &s.residual.Extrapolate, [3]uint32{uint32(blocks), 1, 1}, kernels.ResidualExtrapolateArgs{
			N: s.cells, X: F64(x), Old: F64(old), D1: F32(past[0]), D2: F32(past[1]), D3: F32(past[2]),
			D4: F32(past[3]),
			W0: weights[0], W1: weights[1], W2: weights[2], W3: weights[3],
		})
	}
}

func (s *slabSystem) Differences(x, old ops.Vector, past [4]ops.Vector) [5]float64 {
	mine := s.system.Differences(x, old, past)
	return [5]float64(s.sum(mine[:]...))
}

// PrepareCover loads the kernels of Cover and Fold, for methods that use them in iterations: what is recorded must load
// none.
func (s *Space) PrepareCover() error {
	_, err := Module(s.Device, "cover", kernels.LoadCover)
	return err
}

// Cover sets dst = (r, -r): the right side of a double cover, for methods that solve one.
func (s *Space) Cover(dst, r ops.Vector) {
	if k, ok := loaded(s, "cover", kernels.LoadCover); ok {
		n := int64(r.Len())
		Launch(s, &k.Cover, [3]uint32{Blocks(int(n), kernels.CoverWide), 1, 1},
			kernels.CoverCoverArgs{N: n, R: F32(r), Dst: F32(dst)})
	}
}

// Fold sets z to half the difference of src's halves.
func (s *Space) Fold(z, src ops.Vector) {
	if k, ok := loaded(s, "cover", kernels.LoadCover); ok {
		n := int64(z.Len())
		Launch(s, &k.Fold, [3]uint32{Blocks(int(n), kernels.CoverWide), 1, 1},
			kernels.CoverFoldArgs{N: n, Src: F32(src), Z: F32(z)})
	}
}
