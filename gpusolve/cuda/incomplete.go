package cuda

import (
	"math"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
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
	planned, data cu.DevicePtr
}

// triangles is the same in FP32, with what solves need: a field by levels, and the states of both solves.
type triangles struct {
	s *space
	*wavefront
	bytes                int64
	planned, data, field cu.DevicePtr
	lower, upper         cu.DevicePtr
}

// off is the number of diagonals of L.
func (w *wavefront) off() int64 { return int64(len(ops.IncompleteNeighbours(w.order))) }

// states is the length of a solve's state: the tiles taken, and a flag for each.
func (w *wavefront) states() int64 { return int64(w.tiles()) + 1 }

// Factorise computes an incomplete factor on the GPU.
func (s *space) Factorise(a ops.Diagonals, how ops.Incompleteness) (ops.IncompleteFactor, error) {
	ic, err := module(s.Device, "ic", kernels.LoadIc)
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
	given := [3]cu.DevicePtr{d.x, d.y, d.z}
	f := &icFactor{s: s, nx: d.nx, ny: d.ny, nz: d.nz, wavefront: newWavefront(how.Order, shape[0], shape[1], shape[2], how.TileY, how.TileZ, how.Chunk)}
	place := s.alloc(8)
	defer s.free(place)
	state := s.alloc(4 * f.states())
	defer s.free(state)
	f.planned = upload(s, f.plan)
	f.data = s.alloc(8 * (f.off() + 1) * s.cells)
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
		s.note(s.drv.MemsetD32Async(place, math.MaxUint32, 2, s.stream))
		s.note(ic.Wraps(s.stream, flat(s.cells), int32(d.nx), int32(d.ny), int32(d.nz), d.x, d.y, place))
	}
	if err := check(ops.WrapsAround); err != nil {
		f.Release()
		return nil, err
	}
	if s.ready() {
		run := ic.FactoriseStar
		if how.Order == 1 {
			run = ic.FactoriseDiamond
		}
		s.note(run(s.stream, [3]uint32{uint32(f.tiles()), 1, 1}, nx, ny, nz, int32(f.tileP), int32(f.tileQ), f.chunk, f.planned, state,
			d.main, given[from[0]], given[from[1]], given[from[2]], 1+how.Shift, f.data, place))
	}
	if err := check(ops.NotPositive); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

// Release gives the memory back.
func (f *icFactor) Release() {
	f.s.free(f.planned)
	f.s.free(f.data)
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
	ic, err := module(s.Device, "ic", kernels.LoadIc)
	if err != nil {
		return nil, err
	}
	f := factorised.(*icFactor)
	count := (f.off() + 1) * s.cells
	t := &triangles{s: s, wavefront: f.wavefront}
	before := s.live
	t.planned = upload(s, f.plan)
	t.data = s.alloc(4 * count)
	t.field = s.alloc(4 * s.cells)
	t.lower = s.alloc(4 * 2 * f.states())
	t.upper = t.lower + cu.DevicePtr(4*f.states())
	t.bytes = s.live - before
	if s.ready() {
		s.note(ic.Narrow(s.stream, flat(count), count, f.data, t.data))
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
	for _, p := range []cu.DevicePtr{t.planned, t.data, t.field, t.lower} {
		t.s.free(p)
	}
}

// SolveTriangles sets z = (L D L^T)^-1 r: into the layout by levels, down, up, and back.
func (s *space) SolveTriangles(solved ops.Triangles, z, r ops.Vector) {
	ic, err := module(s.Device, "ic", kernels.LoadIc)
	s.note(err)
	if !s.ready() {
		return
	}
	t := solved.(*triangles)
	nx, ny, nz, p, q := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.tileP), int32(t.tileQ)
	square, tiles := [3]uint32{t.squares(), 1, 1}, [3]uint32{uint32(t.tiles()), 1, 1}
	lower, upper := ic.LowerStar, ic.UpperStar
	if t.order == 1 {
		lower, upper = ic.LowerDiamond, ic.UpperDiamond
	}
	s.note(ic.ToLevels(s.stream, square, nx, ny, nz, int32(t.order), ptr(r), t.field, t.lower, int32(2*t.states())))
	s.note(lower(s.stream, tiles, nx, ny, nz, p, q, t.chunk, t.planned, t.lower, t.data, t.field))
	s.note(upper(s.stream, tiles, nx, ny, nz, p, q, t.chunk, t.planned, t.upper, t.data, t.field))
	s.note(ic.FromLevels(s.stream, square, nx, ny, nz, int32(t.order), t.field, ptr(z)))
}
