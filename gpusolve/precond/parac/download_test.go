package parac

import (
	"math"

	"thermsim/gpusolve/cuda"
)

// entries of a factor on the host. Its unknowns are sorted by level and by row within a level, so that G is lower
// triangular.
type entries struct {
	row    []int32 // row of the matrix, by place in the factor
	level  []int32 // likewise
	first  []int64 // columns of G below the diagonal: entries first[c] to first[c+1]
	at     []int32 // places of the entries
	share  []float32
	begin  []int64 // rows of G left of the diagonal
	col    []int32
	weight []float32
	pivot  []float64 // D
}

// tested is a factor that can be compared with others, and give its memory back before its space goes.
type tested interface {
	factor
	download() *entries
	release()
}

func (f *cudaFactor) release() {
	f.s.Discard(f.order, f.columns.start, f.columns.entries, f.columns.units, f.rows.start, f.rows.entries,
		f.rows.units, f.inverse,
		f.y, f.x, f.pivots, f.position, f.keys)
	f.s.Release(f.source, f.result)
}

func (f *cudaFactor) download() *entries {
	n := f.n
	e := &entries{row: make([]int32, n), level: make([]int32, n), first: make([]int64, n+1), begin: make([]int64, n+1),
		pivot: make([]float64, n)}
	levels, place, pivots := make([]int32, n), make([]int32, n), make([]float64, n)
	cuda.Receive(f.s, e.row, signed(f.order))
	cuda.Receive(f.s, levels, signed(f.keys))
	cuda.Receive(f.s, place, signed(f.position))
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

func (f *hostFactor) release() {
	f.s.Account(-f.size())
	f.s.Release(f.source, f.result)
	*f = hostFactor{s: f.s, about: f.about}
}

// download refers to the factor itself, which must not be changed.
func (f *hostFactor) download() *entries {
	of := f.triangles.(*levelFactor[float32])
	e := &entries{row: of.order, first: of.first, at: of.row, share: of.share, begin: of.begin, col: of.col,
		weight: of.weight, pivot: of.pivot}
	e.level = make([]int32, len(of.order))
	for l := range len(of.starts) - 1 {
		for at := of.starts[l]; at < of.starts[l+1]; at++ {
			e.level[at] = int32(l)
		}
	}
	return e
}
