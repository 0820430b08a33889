package cuda

import (
	"math"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// cholesky is G D G^T in device memory, its unknowns sorted by level and by row in a level: columns of G for the backward solve, rows for the
// forward one, each with the units of work that its warps take.
type cholesky struct {
	s       *space
	levels  *kernels.Levels
	n       int64
	order   cu.DevicePtr // rows by place in the factor
	columns side
	rows    side
	inverse cu.DevicePtr // 1/D, FP32
	y, x    cu.DevicePtr // values of a solve; unset between solves
	report  ops.CholeskyReport
	// Right side and result of a double cover, else nil.
	source, result *vector

	pivots, place, keys cu.DevicePtr // for Download: D and places in the elimination, levels of rows
}

// side is G by columns or by rows.
type side struct {
	start   cu.DevicePtr // i64
	entries cu.DevicePtr // place << 32 | bits of -G
	units   cu.DevicePtr
	count   int64
}

// factor sorts the columns and makes rows of them.
func (e *elimination) factor() *cholesky {
	n, n32 := e.n, int32(e.n)
	wide := over(n, kernels.LevelsFlat)
	f := &cholesky{s: e.space, levels: e.levels, n: n, keys: e.alloc(4 * n)}
	if e.ready() {
		e.note(e.levels.LevelKeys(e.stream, wide, n32, e.place, e.vertices, f.keys, e.control))
	}
	control := e.readControl()
	f.report.Entries = int64(control[kernels.ParacOutput])
	f.report.Depth, f.report.Tree = int(control[kernels.ParacDepth])+1, int(control[kernels.ParacTree])+1
	if e.ready() { // rows in their own order
		e.note(e.sort.List(e.stream, over(n, kernels.ParacsortThreads), n32, 0, e.width, 0, 0, e.order))
	}
	e.sortBy(f.keys, uint32(control[kernels.ParacDepth]))
	f.order = e.order
	to, columnLengths, rowLengths := e.take(4*n), e.take(4*n), e.take(4*n)
	f.inverse = e.alloc(4 * n)
	if e.ready() {
		e.note(e.levels.Renumber(e.stream, wide, n32, f.order, e.place, e.vertices, e.count, e.pivot, to, columnLengths, rowLengths, f.inverse))
	}
	entries := 8 * f.report.Entries
	f.columns = side{start: e.alloc(8 * (n + 1)), entries: e.alloc(entries)}
	f.rows = side{start: e.alloc(8 * (n + 1)), entries: e.alloc(entries)}
	e.sums(n, columnLengths, f.columns.start)
	e.sums(n, rowLengths, f.rows.start)
	filled, unsorted, unsortedRows := e.take(4*n), e.take(entries), e.take(entries)
	if e.ready() {
		e.note(e.levels.Columns(e.stream, over(8*n, kernels.LevelsFlat), n32, f.order, e.place, e.first, e.output, to, f.columns.start, unsorted,
			f.rows.start, filled, unsortedRows))
	}
	e.sorted(f, &f.columns, unsorted)
	e.sorted(f, &f.rows, unsortedRows)
	f.y, f.x = e.alloc(4*n), e.alloc(4*n)
	if e.ready() {
		e.note(e.drv.MemsetD32Async(f.y, math.MaxUint32, n, e.stream))
		e.note(e.drv.MemsetD32Async(f.x, math.MaxUint32, n, e.stream))
	}
	if e.how.Cover {
		f.source, f.result = e.newVector(n, 0, 4), e.newVector(n, 0, 4)
	}
	f.pivots, f.place = e.pivot, e.place
	e.keep(f.order, f.pivots, f.place)
	return f
}

// keep takes memory out of what goes with the elimination.
func (e *elimination) keep(kept ...cu.DevicePtr) {
	left := e.buffers[:0]
	for _, p := range e.buffers {
		mine := false
		for _, k := range kept {
			mine = mine || k == p
		}
		if !mine {
			left = append(left, p)
		}
	}
	e.buffers = left
}

// sorted fills a side with sorted entries.
func (e *elimination) sorted(f *cholesky, d *side, unsorted cu.DevicePtr) {
	e.unitsOf(d)
	if e.ready() {
		e.note(e.levels.SortRows(e.stream, f.grid(d.count), int32(e.n), d.count, d.units, d.start, unsorted, d.entries))
	}
}

// unitsOf lists the units of work.
func (e *elimination) unitsOf(d *side) {
	groups := (e.n + kernels.LevelsGroup - 1) / kernels.LevelsGroup
	counts, first := e.alloc(4*groups), e.alloc(8*(groups+1))
	wide := over(groups, kernels.LevelsFlat)
	if e.ready() {
		e.note(e.levels.CountUnits(e.stream, wide, int32(e.n), d.start, counts))
	}
	e.sums(groups, counts, first)
	var all [1]int64
	receiveSlice(e.space, all[:], first+cu.DevicePtr(8*groups))
	d.count = all[0]
	d.units = e.alloc(4 * d.count)
	if e.ready() {
		e.note(e.levels.FillUnits(e.stream, wide, int32(e.n), d.start, first, d.units))
	}
	e.free(counts)
	e.free(first)
}

// grid of the solves: as many blocks as the GPU holds at a time, since they wait for each other, and fewer where their warps would have little to do.
func (f *cholesky) grid(units int64) [3]uint32 {
	const warps = 2 * kernels.LevelsThreads / 32
	return [3]uint32{uint32(max(1, min((units+warps-1)/warps, int64(kernels.LevelsResident*f.s.multiprocessors)))), 1, 1}
}

// SolveCholesky sets z = (G D G^T)^-1 r.
func (s *space) SolveCholesky(f ops.CholeskyFactor, z, r ops.Vector) {
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
	if !s.ready() {
		return
	}
	s.note(c.levels.Forward(s.stream, c.grid(c.rows.count), n, c.rows.count, c.rows.units, c.rows.start, c.rows.entries, c.order, ptr(r), c.y, c.x, solvePatience))
	s.note(c.levels.Backward(s.stream, c.grid(c.columns.count), n, c.columns.count, c.columns.units, c.columns.start, c.columns.entries, c.order, c.inverse,
		c.y, c.x, ptr(z), solvePatience))
}

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
	for _, p := range []cu.DevicePtr{c.order, c.columns.start, c.columns.entries, c.columns.units, c.rows.start, c.rows.entries, c.rows.units, c.inverse,
		c.y, c.x, c.pivots, c.place, c.keys} {
		c.s.free(p)
	}
	c.s.free(c.source.address())
	c.s.free(c.result.address())
}

// Download copies the factor to the host.
func (c *cholesky) Download() *ops.CholeskyEntries {
	n := c.n
	e := &ops.CholeskyEntries{Row: make([]int32, n), Level: make([]int32, n), First: make([]int64, n+1), Begin: make([]int64, n+1), Pivot: make([]float64, n)}
	levels, place, pivots := make([]int32, n), make([]int32, n), make([]float64, n)
	receiveSlice(c.s, e.Row, c.order)
	receiveSlice(c.s, levels, c.keys)
	receiveSlice(c.s, place, c.place)
	receiveSlice(c.s, pivots, c.pivots)
	for at, row := range e.Row {
		e.Level[at], e.Pivot[at] = levels[row], pivots[place[row]]
	}
	e.At, e.Share = c.download(c.columns, e.First)
	e.Col, e.Weight = c.download(c.rows, e.Begin)
	return e
}

func (c *cholesky) download(d side, start []int64) (at []int32, share []float32) {
	raw := make([]uint64, c.report.Entries)
	receiveSlice(c.s, start, d.start)
	receiveSlice(c.s, raw, d.entries)
	at, share = make([]int32, len(raw)), make([]float32, len(raw))
	for i, v := range raw {
		at[i], share[i] = int32(v>>32), math.Float32frombits(uint32(v))
	}
	return at, share
}
