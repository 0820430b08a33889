package fourier

import (
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

// plannedAxis is an axis without its tables.
type plannedAxis struct {
	gpuPlan
	ends Ends
}

// axesOf are those of an operator, for blocks of so much shared memory.
func axesOf(l *Layered, shared int) (x, y plannedAxis) {
	return plannedAxis{planFor(l.NX, shared), l.X}, plannedAxis{planFor(l.NY, shared), l.Y}
}

// like says that two axes have the same tables.
func (p plannedAxis) like(q plannedAxis) bool { return p.n == q.n && p.ends == q.ends }

// gpuAxis is an axis with the tables of its transforms. Coefficients of sines stand in reversed order: slot p belongs
// to wave number n-1-p.
type gpuAxis struct {
	plannedAxis
	turns, halves, chirps, filters, rootsOnDevice cudriver.Ptr[float64]
	eigenvalues                                   cudriver.Ptr[float64] // of each slot
	placesOnDevice, radicesOnDevice               cudriver.Ptr[int32]
}

// axisTables are what an axis is told of on the host.
type axisTables struct {
	turns, halves, chirp, filter, roots []complex128
	eigenvalues                         []float64
	places, radices                     []int32
}

func tablesOf(p plannedAxis) *axisTables {
	ends := p.ends
	t := &axisTables{roots: p.roots()}
	n := p.n
	if ends.fourth() {
		t.turns, t.halves = make([]complex128, n), make([]complex128, n)
		for j := range n {
			t.turns[j], t.halves[j] = root(2*j+1, 8*n), root(j, 2*n)
		}
	} else {
		t.turns = make([]complex128, n/2+1)
		for k := range t.turns {
			t.turns[k] = root(k, 4*n)
		}
	}
	if p.convolves() {
		t.chirp = p.chirp()
		t.filter = p.filter(t.chirp)
	}
	if p.fixed == 0 {
		t.places = p.places()
		for _, r := range p.radices {
			t.radices = append(t.radices, int32(r))
		}
	}
	t.eigenvalues = ends.eigenvalues(n)
	if ends.sines() {
		slices.Reverse(t.eigenvalues)
	}
	return t
}

// bytes on the device.
func (t *axisTables) bytes() int64 {
	complexes := len(t.turns) + len(t.halves) + len(t.chirp) + len(t.filter) + len(t.roots)
	return int64(bytesOfComplex*complexes) + cuda.BytesOf(t.eigenvalues) + cuda.BytesOf(t.places) +
		cuda.BytesOf(t.radices)
}

// packComplex is nowhere for no table.
func packComplex(p *cuda.Packer, v []complex128) cudriver.Ptr[float64] {
	if len(v) == 0 {
		return cudriver.Ptr[float64]{}
	}
	return cudriver.At[float64](cuda.Pack(p, v).Address())
}

// rows is a launch of transforms: of each plane so many rows along an axis, from one plane to the next so many values
// in and out. in32 and out32 stand in for in and out where they are FP32.
type rows struct {
	in, out        cudriver.Ptr[float64]
	in32, out32    cudriver.Ptr[float32]
	from, to       int64
	planes, rows   int
	inverse        bool
	tilesIn, tiles bool    // the layouts of in and out
	unit           float64 // factor of forward transforms
}

// mode and scale are the kernel's.
func (r *rows) mode(ends Ends) (mode int32, scale float64) {
	set := func(on bool, bit int32) {
		if on {
			mode |= bit
		}
	}
	set(r.tilesIn, TransformFromTiles)
	set(r.tiles, TransformToTiles)
	set(r.inverse, TransformInverse)
	set(ends.fourth(), TransformFourthKind)
	set(ends.sines(), TransformSines)
	switch {
	case !r.inverse:
		return mode, r.unit
	case ends.fourth():
		return mode, 2
	}
	return mode, 1
}

// run launches the transforms of rows along the axis.
func (g *gpuOperations) run(a *gpuAxis, r rows) {
	if !g.on.Ready() || r.rows == 0 || r.planes == 0 {
		return
	}
	if a.long {
		g.runLong(a, r)
		return
	}
	mode, scale := r.mode(a.ends)
	grid := [3]uint32{cuda.Blocks((r.rows+1)/2, a.together) * uint32(r.planes), 1, 1}
	shared := uint32(a.sharedBytes())
	if a.fixed == 0 {
		g.on.Note(g.transform.Listed(g.on.Stream, grid, shared, TransformListedArgs{
			In: r.in, In32: r.in32, Out: r.out, Out32: r.out32, From: r.from, To: r.to, N: int32(a.n),
			Rows: int32(r.rows), Mode: mode, Scale: scale,
			Turns: a.turns, Halves: a.halves, Chirp: a.chirps, Filter: a.filters, Roots: a.rootsOnDevice,
			Places: a.placesOnDevice,
			Length: int32(a.m), Threads: int32(a.threads), Together: int32(a.together), Count: int32(len(a.radices)),
			Radices: a.radicesOnDevice,
		}))
		return
	}
	g.on.Note(g.fixed(a.fixed)(g.on.Stream, grid, shared, TransformLength512Args{
		In: r.in, In32: r.in32, Out: r.out, Out32: r.out32, From: r.from, To: r.to, N: int32(a.n), Rows: int32(r.rows),
		Mode: mode, Scale: scale,
		Turns: a.turns, Halves: a.halves, Chirp: a.chirps, Filter: a.filters, Roots: a.rootsOnDevice,
	}))
}

// fixed is the kernel that is compiled for a length.
func (g *gpuOperations) fixed(length int) func(cudriver.Stream, [3]uint32, uint32, TransformLength512Args) error {
	switch k := g.transform; length {
	case 256:
		return k.Length256
	case 512:
		return k.Length512
	case 1000:
		return k.Length1000
	case 1024:
		return k.Length1024
	case 2048:
		return k.Length2048
	case 4096:
		return k.Length4096
	default:
		return k.Length10000
	}
}
