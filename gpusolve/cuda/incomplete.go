package cuda

import (
	"math"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/ic"
)

var (
	_ ops.Incomplete = (*matrix)(nil)
	_ ops.Incomplete = (*system)(nil)
)

// icFactor is L and 1/D in FP64, by levels.
type icFactor struct {
	s          *space
	nx, ny, nz int // of the grid as it was given
	*wavefront
	planned cu.Ptr[int32]
	data    cu.Ptr[float64]
}

// triangles is the same in FP32, with what solves need: a field by levels, and the states of both solves.
type triangles struct {
	s *space
	*wavefront
	bytes                 int64
	planned, lower, upper cu.Ptr[int32]
	data, field           cu.Ptr[float32]
}

// off is the number of diagonals of L.
func (w *wavefront) off() int64 { return int64(len(ops.IncompleteNeighbours(w.order))) }

// states is the length of a solve's state: the tiles taken, and a flag for each.
func (w *wavefront) states() int64 { return int64(w.tiles()) + 1 }

// Factorise computes an incomplete factor on the GPU.
func (s *space) Factorise(a ops.Diagonals, how ops.Incompleteness) (ops.IncompleteFactor, error) {
	k, err := module(s.Device, "ic", ic.LoadKernels)
	if err != nil {
		return nil, err
	}
	d := a.(*diagonals)
	if !d.symmetric {
		return nil, &ops.Misfit{Reason: ops.NotSymmetric}
	}
	if s.cells > math.MaxInt32 {
		return nil, &ops.Misfit{Reason: ops.TooLarge} // places of cells are numbers of 32 bits in solves
	}
	shape, from := ops.Squeezed(d.nx, d.ny, d.nz)
	given := [3]cu.Ptr[float64]{d.x, d.y, d.z}
	f := &icFactor{s: s, nx: d.nx, ny: d.ny, nz: d.nz, wavefront: newWavefront(how.Order, shape[0], shape[1], shape[2], how.TileY, how.TileZ, how.Chunk)}
	place := alloc[uint64](s, 1)
	defer s.free(place)
	state := alloc[int32](s, f.states())
	defer s.free(state)
	f.planned = upload(s, f.plan)
	f.data = alloc[float64](s, (f.off()+1)*s.cells)
	nx, ny, nz := int32(f.wavefront.nx), int32(f.wavefront.ny), int32(f.wavefront.nz)
	check := func(reason ops.MisfitReason) error {
		var cell [1]uint64
		receiveSlice(s, cell[:], place)
		if s.err == nil && cell[0] != math.MaxUint64 {
			c := int(cell[0])
			return &ops.Misfit{I: c % d.nx, J: c / d.nx % d.ny, K: c / (d.nx * d.ny), Reason: reason}
		}
		return s.err
	}
	if s.ready() {
		s.note(s.drv.MemsetD32Async(place.Address(), math.MaxUint32, 2, s.stream))
		s.note(k.Wraps(s.stream, flat(s.cells), ic.KernelsWrapsArgs{
			Nx: int32(d.nx), Ny: int32(d.ny), Nz: int32(d.nz), X: d.x, Y: d.y, Place: place,
		}))
	}
	if err := check(ops.WrapsAround); err != nil {
		f.Release()
		return nil, err
	}
	if s.ready() {
		run := k.FactoriseStar
		if how.Order == 1 {
			run = k.FactoriseDiamond
		}
		s.note(run(s.stream, [3]uint32{uint32(f.tiles()), 1, 1}, ic.KernelsFactoriseStarArgs{
			Nx: nx, Ny: ny, Nz: nz, TileP: int32(f.tileP), TileQ: int32(f.tileQ), Chunk: f.chunk, Plan: f.planned, State: state,
			Diagonal: d.main, X: given[from[0]], Y: given[from[1]], Z: given[from[2]], Scale: 1 + how.Shift, F: f.data, Place: place,
		}))
	}
	if err := check(ops.NotPositive); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

// Release gives the memory back.
func (f *icFactor) Release() {
	f.s.free(f.planned, f.data)
}

// Download copies the factor to the host.
func (f *icFactor) Download() *ops.FactorEntries {
	w := f.wavefront
	n := int(f.s.cells)
	all := make([]float64, (int(w.off())+1)*n)
	receiveSlice(f.s, all, f.data)
	out := &ops.FactorEntries{NX: f.nx, NY: f.ny, NZ: f.nz}
	natural := func(from []float64) []float64 {
		v := make([]float64, n)
		for c := range v {
			v[c] = from[w.place(c%w.nx, c/w.nx%w.ny, c/(w.nx*w.ny))]
		}
		return v
	}
	_, given := ops.Squeezed(f.nx, f.ny, f.nz)
	out.Off = make([][]float64, w.off())
	for to, step := range ops.IncompleteNeighbours(w.order) {
		out.Off[to] = make([]float64, n)
		for at, squeezed := range ops.IncompleteNeighbours(w.order) {
			var back [3]int
			for d, axis := range given {
				back[axis] = squeezed[d]
			}
			if back == step {
				out.Off[to] = natural(all[at*n : (at+1)*n])
			}
		}
	}
	out.Inverse = natural(all[int(w.off())*n:])
	return out
}

// Triangles rounds a factor.
func (s *space) Triangles(factorised ops.IncompleteFactor) (ops.Triangles, error) {
	k, err := module(s.Device, "ic", ic.LoadKernels)
	if err != nil {
		return nil, err
	}
	f := factorised.(*icFactor)
	count := (f.off() + 1) * s.cells
	t := &triangles{s: s, wavefront: f.wavefront}
	before := s.live
	t.planned = upload(s, f.plan)
	t.data = alloc[float32](s, count)
	t.field = alloc[float32](s, s.cells)
	t.lower = alloc[int32](s, 2*f.states())
	t.upper = t.lower.Add(f.states())
	t.bytes = s.live - before
	if s.ready() {
		s.note(k.Narrow(s.stream, flat(count), ic.KernelsNarrowArgs{N: count, From: f.data, To: t.data}))
	}
	if s.err != nil {
		t.Release()
		return nil, s.err
	}
	return t, nil
}

// Bytes of the triangles on the device.
func (t *triangles) Bytes() int64 { return t.bytes }

// Release gives the memory back.
func (t *triangles) Release() {
	t.s.free(t.planned, t.data, t.field, t.lower)
}

// SolveTriangles sets z = (L D L^T)^-1 r: into the layout by levels, down, up, and back.
func (s *space) SolveTriangles(solved ops.Triangles, z, r ops.Vector) {
	k, err := module(s.Device, "ic", ic.LoadKernels)
	s.note(err)
	if !s.ready() {
		return
	}
	t := solved.(*triangles)
	nx, ny, nz := int32(t.nx), int32(t.ny), int32(t.nz)
	square, tiles := [3]uint32{t.squares(), 1, 1}, [3]uint32{uint32(t.tiles()), 1, 1}
	lower, upper := k.LowerStar, k.UpperStar
	if t.order == 1 {
		lower, upper = k.LowerDiamond, k.UpperDiamond
	}
	s.note(k.ToLevels(s.stream, square, ic.KernelsToLevelsArgs{
		Nx: nx, Ny: ny, Nz: nz, Order: int32(t.order), From: f32(r), To: t.field, State: t.lower, States: int32(2 * t.states()),
	}))
	sweep := ic.KernelsLowerStarArgs{
		Nx: nx, Ny: ny, Nz: nz, TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk, Plan: t.planned, State: t.lower, F: t.data, W: t.field,
	}
	s.note(lower(s.stream, tiles, sweep))
	sweep.State = t.upper
	s.note(upper(s.stream, tiles, sweep))
	s.note(k.FromLevels(s.stream, square, ic.KernelsFromLevelsArgs{
		Nx: nx, Ny: ny, Nz: nz, Order: int32(t.order), From: t.field, To: f32(z),
	}))
}
