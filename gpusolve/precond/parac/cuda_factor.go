package parac

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// cudaFactor is G D G^T in device memory, its unknowns sorted by level and by row in a level: columns of G for the
// backward solve, rows for the forward one, each with the units of work that its warps take.
type cudaFactor struct {
	s       *cuda.Space
	levels  *Levels
	n       int64
	order   cudriver.Ptr[uint32] // rows by place in the factor
	columns side
	rows    side
	inverse cudriver.Ptr[float32] // 1/D
	y, x    cudriver.Ptr[float32] // values of a solve; unset between solves
	about   Report
	// Right-hand side and result of a double cover, else nil.
	source, result ops.Vector

	// For download: D and places in the elimination, levels of rows.
	pivots         cudriver.Ptr[float64]
	position, keys cudriver.Ptr[uint32]
}

// side is G by columns or by rows.
type side struct {
	start   cudriver.Ptr[int64]
	entries cudriver.Ptr[uint64] // place << 32 | bits of -G
	units   cudriver.Ptr[uint32]
	count   int64
}

// factor sorts the columns and makes rows of them.
func (e *cudaElimination) factor() *cudaFactor {
	n, n32 := e.n, int32(e.n)
	wide := cuda.Over(n, LevelsFlat)
	f := &cudaFactor{s: e.Space, levels: e.levels, n: n, keys: cuda.Alloc[uint32](e.Space, n)}
	cuda.Launch(e.Space, &e.levels.LevelKeys, wide,
		LevelsLevelKeysArgs{N: n32, Place: e.position, Vertices: e.vertices, Keys: f.keys, Control: e.control})
	control := e.readControl()
	f.about.Entries = int64(control[ControlOutput])
	f.about.Depth, f.about.Tree = int(control[ControlDepth])+1, int(control[ControlTree])+1
	cuda.Launch(e.Space, &e.sort.List, cuda.Over(n, SortThreads), // rows in their own order
		SortListArgs{N: n32, Random: 0, Width: e.width, Key0: 0, Key1: 0, Items: e.order})
	e.sortBy(f.keys, uint32(control[ControlDepth]))
	f.order = e.order
	m := e.memory
	to, columnLengths, rowLengths := cuda.Take[uint32](m, n), cuda.Take[uint32](m, n), cuda.Take[uint32](m, n)
	f.inverse = cuda.Alloc[float32](e.Space, n)
	cuda.Launch(e.Space, &e.levels.Renumber, wide, LevelsRenumberArgs{
		N: n32, Sorted: f.order, Place: e.position, Vertices: e.vertices, Count: e.count, Pivot: e.pivot, To: to,
		ColumnLengths: columnLengths, RowLengths: rowLengths, Inverse: f.inverse,
	})
	entries := f.about.Entries
	f.columns = side{start: cuda.Alloc[int64](e.Space, n+1), entries: cuda.Alloc[uint64](e.Space, entries)}
	f.rows = side{start: cuda.Alloc[int64](e.Space, n+1), entries: cuda.Alloc[uint64](e.Space, entries)}
	e.sums(n, columnLengths, f.columns.start)
	e.sums(n, rowLengths, f.rows.start)
	filled, unsorted, unsortedRows := cuda.Take[uint32](m, n), cuda.Take[uint64](m, entries),
		cuda.Take[uint64](m, entries)
	cuda.Launch(e.Space, &e.levels.Columns, cuda.Over(8*n, LevelsFlat), LevelsColumnsArgs{
		N: n32, Sorted: f.order, Place: e.position, First: e.first, Output: e.output, To: to, Start: f.columns.start,
		Entries: unsorted, RowStart: f.rows.start, Filled: filled, RowEntries: unsortedRows,
	})
	e.sorted(f, &f.columns, unsorted)
	e.sorted(f, &f.rows, unsortedRows)
	f.y, f.x = cuda.Alloc[float32](e.Space, n), cuda.Alloc[float32](e.Space, n)
	if e.Ready() {
		e.Note(e.Driver.MemsetD32Async(f.y.Address(), math.MaxUint32, n, e.Stream))
		e.Note(e.Driver.MemsetD32Async(f.x.Address(), math.MaxUint32, n, e.Stream))
	}
	if e.how.cover {
		f.source, f.result = cuda.NewVector[float32](e.Space, n, 0), cuda.NewVector[float32](e.Space, n, 0)
	}
	f.pivots, f.position = e.pivot, e.position
	e.memory.Keep(f.order, f.position)
	e.attempt.Keep(f.pivots)
	return f
}

// sorted fills a side with sorted entries.
func (e *cudaElimination) sorted(f *cudaFactor, d *side, unsorted cudriver.Ptr[uint64]) {
	e.unitsOf(d)
	cuda.Launch(e.Space, &e.levels.SortRows, f.grid(d.count), LevelsSortRowsArgs{
		N: int32(e.n), Units: d.count, Unit: d.units, Start: d.start, Entries: unsorted, Sorted: d.entries,
	})
}

// unitsOf lists the units of work.
func (e *cudaElimination) unitsOf(d *side) {
	groups := (e.n + LevelsGroup - 1) / LevelsGroup
	counts, first := cuda.Alloc[uint32](e.Space, groups), cuda.Alloc[int64](e.Space, groups+1)
	wide := cuda.Over(groups, LevelsFlat)
	cuda.Launch(e.Space, &e.levels.CountUnits, wide,
		LevelsCountUnitsArgs{N: int32(e.n), Start: d.start, Counts: counts})
	e.sums(groups, counts, first)
	d.count = cuda.ReceiveOne(e.Space, first.Add(groups))
	d.units = cuda.Alloc[uint32](e.Space, d.count)
	cuda.Launch(e.Space, &e.levels.FillUnits, wide,
		LevelsFillUnitsArgs{N: int32(e.n), Start: d.start, FirstUnit: first, Units: d.units})
	e.Discard(counts, first)
}

// Grid of the solves: as many blocks as the GPU holds at a time, since they wait for each other, and fewer where their
// warps would have little to do.
func (f *cudaFactor) grid(units int64) [3]uint32 {
	const warps = 2 * LevelsThreads / 32
	return [3]uint32{uint32(max(1, min((units+warps-1)/warps, int64(LevelsResident*f.s.Multiprocessors)))), 1, 1}
}

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
	cuda.Launch(s, &f.levels.Forward, f.grid(f.rows.count), LevelsForwardArgs{
		N: n, Units: f.rows.count, Unit: f.rows.units, Start: f.rows.start, Entries: f.rows.entries, Order: f.order,
		R: cuda.F32(r), Y: f.y, X: f.x, Patience: solvePatience,
	})
	cuda.Launch(s, &f.levels.Backward, f.grid(f.columns.count), LevelsBackwardArgs{
		N: n, Units: f.columns.count, Unit: f.columns.units, Start: f.columns.start, Entries: f.columns.entries,
		Order: f.order, Inverse: f.inverse, Y: f.y, X: f.x, Z: cuda.F32(z), Patience: solvePatience,
	})
}

// signed reads numbers below 2^31 as Go's sides do.
func signed(p cudriver.Ptr[uint32]) cudriver.Ptr[int32] { return cudriver.At[int32](p.Address()) }

// eliminated is nothing: the order is found again each time.
func (f *cudaFactor) eliminated() *elimOrder { return nil }

func (f *cudaFactor) report() Report { return f.about }
