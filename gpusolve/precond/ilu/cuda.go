package ilu

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels/launch"
	"thermsim/gpusolve/ops"
)

// cudaFactor is L, U^T where that is not L, and 1/D in FP64, by levels.
type cudaFactor struct {
	s          *cuda.Space
	k          *Kernels
	nx, ny, nz int // of the grid as it was given
	*wavefront
	sides   int64 // 1 for a symmetric matrix
	how     Options
	planned cudriver.Ptr[int32]
	data    cudriver.Ptr[float64]
}

// off is the number of diagonals of L.
func (w *wavefront) off() int64 { return int64(len(Neighbours(w.order))) }

// values is the length of the factor.
func (f *cudaFactor) values() int64 { return (f.sides*f.off() + 1) * f.s.Cells() }

// states is the length of a solve's state: the tiles taken, and a flag for each.
func (w *wavefront) states() int64 { return int64(w.tiles()) + 1 }

// gpuOperations are those of an operator on a GPU.
type gpuOperations struct{ *cuda.Space }

func onGPU(s ops.Operator) (operations, bool, error) {
	on, ok := cuda.SpaceOf(s)
	return gpuOperations{on}, ok, nil
}

func (o gpuOperations) factorise(a ops.Diagonals, how Options) (Factor, error) {
	s := o.Space
	k, err := cuda.Module(s.Device, "ilu", LoadKernels)
	if err != nil {
		return nil, err
	}
	d := a.(*cuda.Diagonals)
	if s.Cells() > math.MaxInt32 {
		return nil, &Misfit{Reason: TooLarge} // places of cells are numbers of 32 bits in solves
	}
	nx, ny, nz := d.Shape()
	shape, from := squeezed(nx, ny, nz)
	f := &cudaFactor{s: s, k: k, nx: nx, ny: ny, nz: nz, sides: 1, how: how,
		wavefront: newWavefront(how.Order, shape, how.TileY, how.TileZ)}
	if !d.Symmetric() {
		f.sides = 2
	}
	blocking := cuda.Alloc[uint64](s, 1)
	defer s.Discard(blocking)
	state := cuda.Alloc[int32](s, f.states())
	defer s.Discard(state)
	f.planned = cuda.Upload(s, f.plan)
	f.data = cuda.Alloc[float64](s, f.values())
	_, x, y, _, lowerX, lowerY, _ := d.Arrays()
	if s.Ready() {
		s.Note(s.Driver.MemsetD32Async(blocking.Address(), math.MaxUint32, 2, s.Stream))
		wraps := KernelsWrapsArgs{Nx: int32(nx), Ny: int32(ny), Nz: int32(nz), X: x, Y: y, Place: blocking}
		cuda.Launch(s, &k.Wraps, cuda.Flat(s.Cells()), wraps)
		if f.sides > 1 {
			wraps.X, wraps.Y = lowerX, lowerY
			cuda.Launch(s, &k.Wraps, cuda.Flat(s.Cells()), wraps)
		}
	}
	if err := f.check(blocking, WrapsAround); err != nil {
		f.Release()
		return nil, err
	}
	f.eliminate(d, how, state, blocking, from)
	if err := f.check(blocking, badPivot(f.sides == 1)); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

// eliminate launches the factorisation. from gives the directions of the grid for those of the wavefront.
func (f *cudaFactor) eliminate(d *cuda.Diagonals, how Options, state cudriver.Ptr[int32], blocking cudriver.Ptr[uint64],
	from [3]int) {
	s, k := f.s, f.k
	main, x, y, z, lowerX, lowerY, lowerZ := d.Arrays()
	upper, lower := [3]cudriver.Ptr[float64]{x, y, z}, [3]cudriver.Ptr[float64]{lowerX, lowerY, lowerZ}
	tiles := [3]uint32{uint32(f.tiles()), 1, 1}
	nx, ny, nz := int32(f.wavefront.nx), int32(f.wavefront.ny), int32(f.wavefront.nz)
	if f.sides == 1 {
		run := &k.FactoriseStar
		if how.Order == 1 {
			run = &k.FactoriseDiamond
		}
		cuda.Launch(s, run, tiles, KernelsFactoriseArgs{
			Nx: nx, Ny: ny, Nz: nz, TileP: int32(f.tileP), TileQ: int32(f.tileQ), Chunk: f.chunk, Plan: f.planned,
			State: state, Diagonal: main, X: upper[from[0]], Y: upper[from[1]], Z: upper[from[2]], Scale: 1 + how.Shift,
			F: f.data, Place: blocking,
		})
		return
	}
	run := &k.FactoriseStarBoth
	if how.Order == 1 {
		run = &k.FactoriseDiamondBoth
	}
	cuda.Launch(s, run, tiles, KernelsFactoriseStarBothArgs{
		Nx: nx, Ny: ny, Nz: nz, TileP: int32(f.tileP), TileQ: int32(f.tileQ), Chunk: f.chunk, Plan: f.planned,
		State: state, Diagonal: main, X: upper[from[0]], Y: upper[from[1]], Z: upper[from[2]], LowerX: lower[from[0]],
		LowerY: lower[from[1]], LowerZ: lower[from[2]], Scale: 1 + how.Shift, F: f.data, Place: blocking,
	})
}

// check waits and reads which cell a kernel found to stand in the way, if any.
func (f *cudaFactor) check(blocking cudriver.Ptr[uint64], reason MisfitReason) error {
	var cell [1]uint64
	cuda.Receive(f.s, cell[:], blocking)
	if err := f.s.Err(); err != nil || cell[0] == math.MaxUint64 {
		return err
	}
	c := int(cell[0])
	return &Misfit{I: c % f.nx, J: c / f.nx % f.ny, K: c / (f.nx * f.ny), Reason: reason}
}

func (f *cudaFactor) Release() {
	f.s.Discard(f.planned, f.data)
}

func (f *cudaFactor) Download() *Entries {
	w := f.wavefront
	n := int(f.s.Cells())
	all := make([]float64, f.values())
	cuda.Receive(f.s, all, f.data)
	out := &Entries{NX: f.nx, NY: f.ny, NZ: f.nz}
	natural := func(from []float64) []float64 {
		v := make([]float64, n)
		for c := range v {
			v[c] = from[w.index(c%w.nx, c/w.nx%w.ny, c/(w.nx*w.ny))]
		}
		return v
	}
	side := func(from []float64) (to [][]float64) {
		_, given := squeezed(f.nx, f.ny, f.nz)
		for _, step := range Neighbours(w.order) {
			band := make([]float64, n)
			for at, squeezed := range Neighbours(w.order) {
				var back [3]int
				for d, axis := range given {
					back[axis] = squeezed[d]
				}
				if back == step {
					band = natural(from[at*n : (at+1)*n])
				}
			}
			to = append(to, band)
		}
		return to
	}
	out.Lower = side(all)
	out.Upper = out.Lower
	if f.sides > 1 {
		out.Upper = side(all[int(w.off())*n:])
	}
	out.Inverse = natural(all[int(f.sides*w.off())*n:])
	return out
}

// cudaTriangles is what solves need beside the factor: their plan, the states of both, and a field between them.
type cudaTriangles struct {
	s *cuda.Space
	k *Kernels
	*wavefront
	planned, lower, upper cudriver.Ptr[int32]
	double                bool // what follows is FP64
	data, field           cudriver.DevicePtr
	above, inverse        cudriver.DevicePtr // U^T and 1/D in data, which begins with L
}

// Triangles rounds the factor, or takes it over as it is.
func (f *cudaFactor) Triangles() (Triangles, error) {
	s := f.s
	if f.how.Form != ByTiles {
		return f.inForm(f.how.Form)
	}
	t := &cudaTriangles{s: s, k: f.k, wavefront: f.wavefront, double: f.how.Double}
	t.planned = cuda.Upload(s, f.plan)
	width := int64(4)
	if t.double {
		width = 8
		t.data, t.field = f.data.Address(), cuda.Alloc[float64](s, s.Cells()).Address()
		f.data = cudriver.Ptr[float64]{}
	} else {
		single := cuda.Alloc[float32](s, f.values())
		t.data, t.field = single.Address(), cuda.Alloc[float32](s, s.Cells()).Address()
		cuda.Launch(s, &f.k.Narrow, cuda.Flat(f.values()), KernelsNarrowArgs{N: f.values(), From: f.data, To: single})
	}
	side := width * f.off() * s.Cells()
	t.above, t.inverse = t.data+cudriver.DevicePtr((f.sides-1)*side), t.data+cudriver.DevicePtr(f.sides*side)
	t.lower = cuda.Alloc[int32](s, 2*f.states())
	t.upper = t.lower.Add(f.states())
	if err := s.Err(); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// Release gives the memory back.
func (t *cudaTriangles) Release() {
	t.s.Discard(t.planned, cudriver.At[float32](t.data), cudriver.At[float32](t.field), t.lower)
}

// Solve changes into the layout by levels, goes up them with L and down with D and U, and changes back.
func (t *cudaTriangles) Solve(z, r ops.Vector) {
	k := t.k
	if t.double {
		lower, upper := &k.LowerStarDouble, &k.UpperStarDouble
		if t.order == 1 {
			lower, upper = &k.LowerDiamondDouble, &k.UpperDiamondDouble
		}
		solve(t, sweeps[float64]{&k.ToLevelsDouble, lower, upper, &k.FromLevelsDouble}, z, r)
		return
	}
	lower, upper := &k.LowerStar, &k.UpperStar
	if t.order == 1 {
		lower, upper = &k.LowerDiamond, &k.UpperDiamond
	}
	solve(t, sweeps[float32]{&k.ToLevels, lower, upper, &k.FromLevels}, z, r)
}

// sweeps are the kernels of a solve with a factor in one precision.
type sweeps[T any] struct {
	to           *launch.Kernel[KernelsToLevelsArgs[T]]
	lower, upper *launch.Kernel[KernelsLowerStarArgs[T]]
	from         *launch.Kernel[KernelsFromLevelsArgs[T]]
}

func solve[T float32 | float64](t *cudaTriangles, run sweeps[T], z, r ops.Vector) {
	s, field := t.s, cudriver.At[T](t.field)
	nx, ny, nz, order := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.order)
	square, tiles := [3]uint32{t.squares(), 1, 1}, [3]uint32{uint32(t.tiles()), 1, 1}
	cuda.Launch(s, run.to, square, KernelsToLevelsArgs[T]{Nx: nx, Ny: ny, Nz: nz, Order: order, From: cuda.F32(r),
		To: field, State: t.lower, States: int32(2 * t.states())})
	sweep := KernelsLowerStarArgs[T]{
		Nx: nx, Ny: ny, Nz: nz, TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk, Plan: t.planned,
		State: t.lower, Off: cudriver.At[T](t.data), Inverse: cudriver.At[T](t.inverse), W: field,
	}
	cuda.Launch(s, run.lower, tiles, sweep)
	sweep.State, sweep.Off = t.upper, cudriver.At[T](t.above)
	cuda.Launch(s, run.upper, tiles, sweep)
	cuda.Launch(s, run.from, square,
		KernelsFromLevelsArgs[T]{Nx: nx, Ny: ny, Nz: nz, Order: order, From: field, To: cuda.F32(z)})
}
