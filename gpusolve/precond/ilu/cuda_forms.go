package ilu

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// cudaForms is a factor that is ready for solves in one of the forms to compare with (forms.cu), in FP32.
type cudaForms struct {
	s *cuda.Space
	k *Kernels // for the layout
	f *Forms
	*wavefront
	form    Form
	planned cudriver.Ptr[int32]
	state   cudriver.Ptr[int32]   // of the lower solve, then of the upper one
	data    cudriver.Ptr[float32] // L, U^T where that is not L, and 1/D
	field   cudriver.Ptr[float32]
	above   cudriver.Ptr[float32] // in data
	inverse cudriver.Ptr[float32]
}

// inForm lays the factor out for solves in a form.
func (f *cudaFactor) inForm(form Form) (Triangles, error) {
	s := f.s
	k, err := cuda.Module(s.Device, "ilu forms", LoadForms)
	if err != nil {
		return nil, err
	}
	t := &cudaForms{s: s, k: f.k, f: k, form: form, wavefront: f.wavefront}
	w := f.wavefront
	t.wavefront = newWavefront(w.order, [3]int{w.nx, w.ny, w.nz}, t.columns(f.how.TileY), w.tileQ)
	t.chunk = 1
	t.planned, t.state = cuda.Upload(s, t.plan), cuda.Alloc[int32](s, 2*t.states())
	t.data, t.field = cuda.AllocRaw[float32](s, f.values()), cuda.AllocRaw[float32](s, s.Cells())
	t.above, t.inverse = t.data.Add((f.sides-1)*f.off()*s.Cells()), t.data.Add(f.sides*f.off()*s.Cells())
	if s.Ready() && !t.natural() {
		cuda.Launch(s, &t.k.Narrow, cuda.Flat(f.values()), KernelsNarrowArgs{N: f.values(), From: f.data, To: t.data})
	}
	for from := int64(0); s.Ready() && t.natural() && from < f.values(); from += s.Cells() {
		cuda.Launch(s, &t.k.FromLevelsDouble, [3]uint32{t.squares(), 1, 1}, KernelsFromLevelsArgs[float64]{
			Nx: int32(t.nx), Ny: int32(t.ny), Nz: int32(t.nz), Order: int32(t.order), From: f.data.Add(from),
			To: t.data.Add(from),
		})
	}
	if err := s.Err(); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// natural reports whether fields lie in natural order.
func (t *cudaForms) natural() bool { return t.form == ByLaunches || t.form == InNaturalOrder }

// groups of threads that share a row.
func (t *cudaForms) groups() int32 {
	if t.form == ByGroups && t.order == 1 {
		return 2
	}
	return 1
}

// columns of a tile along p: two groups of threads have half as many columns as threads.
func (t *cudaForms) columns(given int) int {
	if given > 0 {
		return given
	}
	return max(1, t.tileP/int(t.groups()))
}

func (t *cudaForms) Release() {
	t.s.Discard(t.planned, t.state, t.data, t.field)
}

// Solve sets z = (L D U)^-1 r.
func (t *cudaForms) Solve(z, r ops.Vector) {
	s, k, to := t.s, t.k, cuda.F32(z)
	if !s.Ready() {
		return
	}
	if t.natural() {
		s.Note(s.Driver.MemcpyDtoDAsync(to.Address(), cuda.F32(r).Address(), 4*s.Cells(), s.Stream))
		s.Note(s.Driver.MemsetD32Async(t.state.Address(), 0, 2*t.states(), s.Stream))
		t.sweep(false, to)
		t.sweep(true, to)
		return
	}
	nx, ny, nz, order, square := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.order), [3]uint32{t.squares(), 1, 1}
	cuda.Launch(s, &k.ToLevels, square, KernelsToLevelsArgs[float32]{
		Nx: nx, Ny: ny, Nz: nz, Order: order, From: cuda.F32(r), To: t.field, State: t.state,
		States: int32(2 * t.states()),
	})
	t.sweep(false, t.field)
	t.sweep(true, t.field)
	cuda.Launch(s, &k.FromLevels, square,
		KernelsFromLevelsArgs[float32]{Nx: nx, Ny: ny, Nz: nz, Order: order, From: t.field, To: to})
}

// sweep is one of the two solves.
func (t *cudaForms) sweep(upper bool, w cudriver.Ptr[float32]) {
	s, off, state, up := t.s, t.data, t.state, int32(0)
	if upper {
		off, state, up = t.above, t.state.Add(t.states()), 1
	}
	if t.form != ByLaunches {
		natural := int32(0)
		if t.natural() {
			natural = 1
		}
		cuda.Launch(s, &t.f.ByFlags, [3]uint32{uint32(t.tiles()), 1, 1}, FormsByFlagsArgs{
			Nx: int32(t.nx), Ny: int32(t.ny), Nz: int32(t.nz), Order: int32(t.order), Upper: up, Natural: natural,
			Groups: t.groups(), TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk, Plan: t.planned,
			State: state, Off: off, Inverse: t.inverse, W: w,
		})
		return
	}
	grid := [3]uint32{cuda.Blocks(t.ny*t.nz, FormsThreads), 1, 1}
	for level := range t.levels() {
		cuda.Launch(s, &t.f.ByLaunch, grid, FormsByLaunchArgs{
			Nx: int32(t.nx), Ny: int32(t.ny), Nz: int32(t.nz), Order: int32(t.order), Upper: up, Level: int32(level),
			Off: off, Inverse: t.inverse, W: w,
		})
	}
}

// levels of the grid.
func (w *wavefront) levels() int {
	return w.nx + (1+w.order)*(w.ny-1) + (1+2*w.order)*(w.nz-1)
}
