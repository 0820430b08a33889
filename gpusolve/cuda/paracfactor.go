package cuda

import (
	"math"
	"slices"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// cholesky is G D G^T in device memory, its unknowns sorted by level and by row in a level: columns of G for the backward solve, rows for the
// forward one, each with the units of work that its warps take.
type cholesky struct {
	s       *Space
	levels  *kernels.Levels
	n       int64
	order   cu.Ptr[uint32] // rows by place in the factor
	columns side
	rows    side
	inverse cu.Ptr[float32] // 1/D
	y, x    cu.Ptr[float32] // values of a solve; unset between solves
	report  ops.CholeskyReport
	// Right side and result of a double cover, else nil.
	source, result *vector[float32]

	// For Download: D and places in the elimination, levels of rows.
	pivots      cu.Ptr[float64]
	place, keys cu.Ptr[uint32]
}

// side is G by columns or by rows.
type side struct {
	start   cu.Ptr[int64]
	entries cu.Ptr[uint64] // place << 32 | bits of -G
	units   cu.Ptr[uint32]
	count   int64
}

// factor sorts the columns and makes rows of them.
func (e *elimination) factor() *cholesky {
	n, n32 := e.n, int32(e.n)
	wide := over(n, kernels.LevelsFlat)
	f := &cholesky{s: e.Space, levels: e.levels, n: n, keys: Alloc[uint32](e.Space, n)}
	if e.Ready() {
		e.Note(e.levels.LevelKeys(e.Stream, wide, kernels.LevelsLevelKeysArgs{
			N: n32, Place: e.place, Vertices: e.vertices, Keys: f.keys, Control: e.control,
		}))
	}
	control := e.readControl()
	f.report.Entries = int64(control[kernels.ParacOutput])
	f.report.Depth, f.report.Tree = int(control[kernels.ParacDepth])+1, int(control[kernels.ParacTree])+1
	if e.Ready() { // rows in their own order
		e.Note(e.sort.List(e.Stream, over(n, kernels.ParacsortThreads), kernels.ParacsortListArgs{
			N: n32, Random: 0, Width: e.width, Key0: 0, Key1: 0, Items: e.order,
		}))
	}
	e.sortBy(f.keys, uint32(control[kernels.ParacDepth]))
	f.order = e.order
	m := &e.memory
	to, columnLengths, rowLengths := Take[uint32](m, n), Take[uint32](m, n), Take[uint32](m, n)
	f.inverse = Alloc[float32](e.Space, n)
	if e.Ready() {
		e.Note(e.levels.Renumber(e.Stream, wide, kernels.LevelsRenumberArgs{
			N: n32, Sorted: f.order, Place: e.place, Vertices: e.vertices, Count: e.count, Pivot: e.pivot, To: to,
			ColumnLengths: columnLengths, RowLengths: rowLengths, Inverse: f.inverse,
		}))
	}
	entries := f.report.Entries
	f.columns = side{start: Alloc[int64](e.Space, n+1), entries: Alloc[uint64](e.Space, entries)}
	f.rows = side{start: Alloc[int64](e.Space, n+1), entries: Alloc[uint64](e.Space, entries)}
	e.sums(n, columnLengths, f.columns.start)
	e.sums(n, rowLengths, f.rows.start)
	filled, unsorted, unsortedRows := Take[uint32](m, n), Take[uint64](m, entries), Take[uint64](m, entries)
	if e.Ready() {
		e.Note(e.levels.Columns(e.Stream, over(8*n, kernels.LevelsFlat), kernels.LevelsColumnsArgs{
			N: n32, Sorted: f.order, Place: e.place, First: e.first, Output: e.output, To: to, Start: f.columns.start,
			Entries: unsorted, RowStart: f.rows.start, Filled: filled, RowEntries: unsortedRows,
		}))
	}
	e.sorted(f, &f.columns, unsorted)
	e.sorted(f, &f.rows, unsortedRows)
	f.y, f.x = Alloc[float32](e.Space, n), Alloc[float32](e.Space, n)
	if e.Ready() {
		e.Note(e.Driver.MemsetD32Async(f.y.Address(), math.MaxUint32, n, e.Stream))
		e.Note(e.Driver.MemsetD32Async(f.x.Address(), math.MaxUint32, n, e.Stream))
	}
	if e.how.Cover {
		f.source, f.result = NewVector[float32](e.Space, n, 0), NewVector[float32](e.Space, n, 0)
	}
	f.pivots, f.place = e.pivot, e.place
	e.keep(f.order, f.pivots, f.place)
	return f
}

// keep takes memory out of what goes with the elimination.
func (e *elimination) keep(kept ...cu.Pointer) {
	e.memory.all = slices.DeleteFunc(e.memory.all, func(p cu.Pointer) bool { return slices.Contains(kept, p) })
}

// sorted fills a side with sorted entries.
func (e *elimination) sorted(f *cholesky, d *side, unsorted cu.Ptr[uint64]) {
	e.unitsOf(d)
	if e.Ready() {
		e.Note(e.levels.SortRows(e.Stream, f.Grid(d.count), kernels.LevelsSortRowsArgs{
			N: int32(e.n), Units: d.count, Unit: d.units, Start: d.start, Entries: unsorted, Sorted: d.entries,
		}))
	}
}

// unitsOf lists the units of work.
func (e *elimination) unitsOf(d *side) {
	groups := (e.n + kernels.LevelsGroup - 1) / kernels.LevelsGroup
	counts, first := Alloc[uint32](e.Space, groups), Alloc[int64](e.Space, groups+1)
	wide := over(groups, kernels.LevelsFlat)
	if e.Ready() {
		e.Note(e.levels.CountUnits(e.Stream, wide, kernels.LevelsCountUnitsArgs{N: int32(e.n), Start: d.start, Counts: counts}))
	}
	e.sums(groups, counts, first)
	d.count = ReceiveOne(e.Space, first.Add(groups))
	d.units = Alloc[uint32](e.Space, d.count)
	if e.Ready() {
		e.Note(e.levels.FillUnits(e.Stream, wide, kernels.LevelsFillUnitsArgs{
			N: int32(e.n), Start: d.start, FirstUnit: first, Units: d.units,
		}))
	}
	e.Discard(counts, first)
}

// Grid of the solves: as many blocks as the GPU holds at a time, since they wait for each other, and fewer where their warps would have little to do.
func (f *cholesky) Grid(units int64) [3]uint32 {
	const warps = 2 * kernels.LevelsThreads / 32
	return [3]uint32{uint32(max(1, min((units+warps-1)/warps, int64(kernels.LevelsResident*f.s.Multiprocessors)))), 1, 1}
}

// SolveCholesky sets z = (G D G^T)^-1 r.
func (s *Space) SolveCholesky(f ops.CholeskyFactor, z, r ops.Vector) {
	c := f.(*cholesky)
	if c.source != nil {
		s.Cover(c.source, r)
		c.solve(c.result, c.source)
		s.Fold(z, c.result)
		return
	}
	c.solve(z, r)
}

func (c *cholesky) solve(z, r ops.Vector) {
	n, s := int32(c.n), c.s
	if !s.Ready() {
		return
	}
	s.Note(c.levels.Forward(s.Stream, c.Grid(c.rows.count), kernels.LevelsForwardArgs{
		N: n, Units: c.rows.count, Unit: c.rows.units, Start: c.rows.start, Entries: c.rows.entries, Order: c.order, R: F32(r),
		Y: c.y, X: c.x, Patience: solvePatience,
	}))
	s.Note(c.levels.Backward(s.Stream, c.Grid(c.columns.count), kernels.LevelsBackwardArgs{
		N: n, Units: c.columns.count, Unit: c.columns.units, Start: c.columns.start, Entries: c.columns.entries, Order: c.order,
		Inverse: c.inverse, Y: c.y, X: c.x, Z: F32(z), Patience: solvePatience,
	}))
}

// signed reads numbers below 2^31 as Go's sides do.
func signed(p cu.Ptr[uint32]) cu.Ptr[int32] { return cu.At[int32](p.Address()) }

// Report describes the factor.
func (c *cholesky) Report() ops.CholeskyReport { return c.report }

// Bytes is the memory of the factor.
func (c *cholesky) Bytes() int64 {
	bytes := 16*c.report.Entries + 16*(c.n+1) + 4*(c.columns.count+c.rows.count) + 36*c.n
	if c.source != nil {
		bytes += 8 * c.n
	}
	return bytes
}

// Release gives the memory back.
func (c *cholesky) Release() {
	c.s.Discard(c.order, c.columns.start, c.columns.entries, c.columns.units, c.rows.start, c.rows.entries, c.rows.units, c.inverse,
		c.y, c.x, c.pivots, c.place, c.keys, c.source.address(), c.result.address())
}

// Download copies the factor to the host.
func (c *cholesky) Download() *ops.CholeskyEntries {
	n := c.n
	e := &ops.CholeskyEntries{Row: make([]int32, n), Level: make([]int32, n), First: make([]int64, n+1), Begin: make([]int64, n+1), Pivot: make([]float64, n)}
	levels, place, pivots := make([]int32, n), make([]int32, n), make([]float64, n)
	Receive(c.s, e.Row, signed(c.order))
	Receive(c.s, levels, signed(c.keys))
	Receive(c.s, place, signed(c.place))
	Receive(c.s, pivots, c.pivots)
	for at, row := range e.Row {
		e.Level[at], e.Pivot[at] = levels[row], pivots[place[row]]
	}
	e.At, e.Share = c.download(c.columns, e.First)
	e.Col, e.Weight = c.download(c.rows, e.Begin)
	return e
}

func (c *cholesky) download(d side, start []int64) (at []int32, share []float32) {
	raw := make([]uint64, c.report.Entries)
	Receive(c.s, start, d.start)
	Receive(c.s, raw, d.entries)
	at, share = make([]int32, len(raw)), make([]float32, len(raw))
	for i, v := range raw {
		at[i], share[i] = int32(v>>32), math.Float32frombits(uint32(v))
	}
	return at, share
}
