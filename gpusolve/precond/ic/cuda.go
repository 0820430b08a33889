package ic

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/ops"
)

// cudaFactor is L and 1/D in FP64, by levels.
type cudaFactor struct {
	s          *cuda.Space
	k          *Kernels
	nx, ny, nz int // of the grid as it was given
	*wavefront
	planned cudriver.Ptr[int32]
	data    cudriver.Ptr[float64]
}

// off is the number of diagonals of L.
func (w *wavefront) off() int64 { return int64(len(Neighbours(w.order))) }

// states is the length of a solve's state: the tiles taken, and a flag for each.
func (w *wavefront) states() int64 { return int64(w.tiles()) + 1 }

// factoriseOnGPU computes a factor on the GPU.
func factoriseOnGPU(s *cuda.Space, a ops.Diagonals, how Options) (Factor, error) {
	k, err := cuda.Module(s.Device, "ic", LoadKernels)
	if err != nil {
		return nil, err
	}
	d := a.(*cuda.Diagonals)
	if !d.Symmetric() {
		return nil, &Misfit{Reason: NotSymmetric}
	}
	if s.Cells() > math.MaxInt32 {
		return nil, &Misfit{Reason: TooLarge} // places of cells are numbers of 32 bits in solves
	}
	nx, ny, nz := d.Shape()
	shape, from := squeezed(nx, ny, nz)
	main, x, y, z, _, _, _ := d.Arrays()
	given := [3]cudriver.Ptr[float64]{x, y, z}
	f := &cudaFactor{s: s, k: k, nx: nx, ny: ny, nz: nz, wavefront: newWavefront(how.Order, shape[0], shape[1], shape[2], how.TileY, how.TileZ, how.Chunk)}
	place := cuda.Alloc[uint64](s, 1)
	defer s.Discard(place)
	state := cuda.Alloc[int32](s, f.states())
	defer s.Discard(state)
	f.planned = cuda.Upload(s, f.plan)
	f.data = cuda.Alloc[float64](s, (f.off()+1)*s.Cells())
	if s.Ready() {
		s.Note(s.Driver.MemsetD32Async(place.Address(), math.MaxUint32, 2, s.Stream))
		s.Note(k.Wraps(s.Stream, cuda.Flat(s.Cells()), KernelsWrapsArgs{Nx: int32(nx), Ny: int32(ny), Nz: int32(nz), X: x, Y: y, Place: place}))
	}
	if err := f.check(place, WrapsAround); err != nil {
		f.Release()
		return nil, err
	}
	if s.Ready() {
		run := k.FactoriseStar
		if how.Order == 1 {
			run = k.FactoriseDiamond
		}
		s.Note(run(s.Stream, [3]uint32{uint32(f.tiles()), 1, 1}, KernelsFactoriseStarArgs{
			Nx: int32(shape[0]), Ny: int32(shape[1]), Nz: int32(shape[2]), TileP: int32(f.tileP), TileQ: int32(f.tileQ), Chunk: f.chunk,
			Plan: f.planned, State: state, Diagonal: main, X: given[from[0]], Y: given[from[1]], Z: given[from[2]], Scale: 1 + how.Shift,
			F: f.data, Place: place,
		}))
	}
	if err := f.check(place, NotPositive); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

// check waits and reads which cell a kernel found to stand in the way, if any.
func (f *cudaFactor) check(place cudriver.Ptr[uint64], reason MisfitReason) error {
	var cell [1]uint64
	cuda.Receive(f.s, cell[:], place)
	if err := f.s.Err(); err != nil || cell[0] == math.MaxUint64 {
		return err
	}
	c := int(cell[0])
	return &Misfit{I: c % f.nx, J: c / f.nx % f.ny, K: c / (f.nx * f.ny), Reason: reason}
}

// Release gives the memory back.
func (f *cudaFactor) Release() {
	f.s.Discard(f.planned, f.data)
}

// Download copies the factor to the host.
func (f *cudaFactor) Download() *Entries {
	w := f.wavefront
	n := int(f.s.Cells())
	all := make([]float64, (int(w.off())+1)*n)
	cuda.Receive(f.s, all, f.data)
	out := &Entries{NX: f.nx, NY: f.ny, NZ: f.nz}
	natural := func(from []float64) []float64 {
		v := make([]float64, n)
		for c := range v {
			v[c] = from[w.place(c%w.nx, c/w.nx%w.ny, c/(w.nx*w.ny))]
		}
		return v
	}
	_, given := squeezed(f.nx, f.ny, f.nz)
	out.Off = make([][]float64, w.off())
	for to, step := range Neighbours(w.order) {
		out.Off[to] = make([]float64, n)
		for at, squeezed := range Neighbours(w.order) {
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
