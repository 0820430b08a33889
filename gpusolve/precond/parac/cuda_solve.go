package parac

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// Grid of the solves: as many blocks as the GPU holds at a time, since they wait for each other, and fewer where their
// warps would have little to do.
func (f *cudaFactor) grid(units int64) [3]uint32 {
	const warps = 2 * LevelsThreads / 32
	return [3]uint32{uint32(max(1, min((units+warps-1)/warps, int64(LevelsResident*f.s.Multiprocessors)))), 1, 1}
}

// solve sets z = (G D G^T)^-1 r.
func (f *cudaFactor) solve(z, r ops.Vector) {
	if f.source != nil {
		f.s.Cover(f.source, r)
		f.launch(f.result, f.source)
		f.s.Fold(z, f.result)
		return
	}
	f.launch(z, r)
}

func (f *cudaFactor) launch(z, r ops.Vector) {
	n, s := int32(f.n), f.s
	if !s.Ready() {
		return
	}
	s.Note(f.levels.Forward(s.Stream, f.grid(f.rows.count), LevelsForwardArgs{
		N: n, Units: f.rows.count, Unit: f.rows.units, Start: f.rows.start, Entries: f.rows.entries, Order: f.order,
		R: cuda.F32(r),
		Y: f.y, X: f.x, Patience: solvePatience,
	}))
	s.Note(f.levels.Backward(s.Stream, f.grid(f.columns.count), LevelsBackwardArgs{
		N: n, Units: f.columns.count, Unit: f.columns.units, Start: f.columns.start, Entries: f.columns.entries,
		Order:   f.order,
		Inverse: f.inverse, Y: f.y, X: f.x, Z: cuda.F32(z), Patience: solvePatience,
	}))
}

// signed reads numbers below 2^31 as Go's sides do.
func signed(p cudriver.Ptr[uint32]) cudriver.Ptr[int32] { return cudriver.At[int32](p.Address()) }

// eliminated is nothing: the order is found again each time.
func (f *cudaFactor) eliminated() *elimOrder { return nil }

// report describes the factor.
func (f *cudaFactor) report() Report { return f.about }

// release gives the memory back.
func (f *cudaFactor) release() {
	f.s.Discard(f.order, f.columns.start, f.columns.entries, f.columns.units, f.rows.start, f.rows.entries,
		f.rows.units, f.inverse,
		f.y, f.x, f.pivots, f.place, f.keys)
	f.s.Release(f.source, f.result)
}

// download copies the factor to the host.
func (f *cudaFactor) download() *entries {
	n := f.n
	e := &entries{row: make([]int32, n), level: make([]int32, n), first: make([]int64, n+1), begin: make([]int64, n+1),
		pivot: make([]float64, n)}
	levels, place, pivots := make([]int32, n), make([]int32, n), make([]float64, n)
	cuda.Receive(f.s, e.row, signed(f.order))
	cuda.Receive(f.s, levels, signed(f.keys))
	cuda.Receive(f.s, place, signed(f.place))
	cuda.Receive(f.s, pivots, f.pivots)
	for at, row := range e.row {
		e.level[at], e.pivot[at] = levels[row], pivots[place[row]]
	}
	e.at, e.share = f.downloadSide(f.columns, e.first)
	e.col, e.weight = f.downloadSide(f.rows, e.begin)
	return e
}

func (f *cudaFactor) downloadSide(d side, start []int64) (at []int32, share []float32) {
	raw := make([]uint64, f.about.Entries)
	cuda.Receive(f.s, start, d.start)
	cuda.Receive(f.s, raw, d.entries)
	at, share = make([]int32, len(raw)), make([]float32, len(raw))
	for i, v := range raw {
		at[i], share[i] = int32(v>>32), math.Float32frombits(uint32(v))
	}
	return at, share
}
