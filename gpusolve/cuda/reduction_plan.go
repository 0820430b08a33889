package cuda

import (
	"unsafe"

	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/reduction"
)

// plan is regions as the kernels take them. Weights that several rectangles share stand there once.
type plan struct {
	rects     []kernels.StatisticsRect
	first     []int32 // rectangle of each group
	rows      int64
	weights   []float64
	constants []float64
	firstTerm []int32 // of each point
	cells     []int64
	shares    []float64
	at        []int64 // of each plane

	known map[span]int64 // where weights stand already
}

// span is a slice by its place in memory.
type span struct {
	from *float64
	n    int
}

func newPlan(r *reduction.Regions, at []int64) *plan {
	p := &plan{first: []int32{0}, firstTerm: []int32{0}, at: at, known: map[span]int64{}}
	for _, group := range r.Groups {
		for n := range group {
			t := &group[n]
			p.rects = append(p.rects, kernels.StatisticsRect{
				At: at[t.Plane] + int64(t.J)*int64(r.NX) + int64(t.I), Row: p.rows, X: p.weigh(t.X), Y: p.weigh(t.Y),
				Z:  t.Z,
				Nx: int32(len(t.X)), Ny: int32(len(t.Y)),
			})
			p.rows += int64(len(t.Y))
		}
		p.first = append(p.first, int32(len(p.rects)))
	}
	for _, s := range r.Points {
		for _, t := range s.Terms {
			p.cells = append(p.cells, at[t.Plane]+int64(t.Cell))
			p.shares = append(p.shares, t.Weight)
		}
		p.constants = append(p.constants, s.Constant)
		p.firstTerm = append(p.firstTerm, int32(len(p.cells)))
	}
	return p
}

// weigh says where weights stand.
func (p *plan) weigh(w []float64) int64 {
	key := span{unsafe.SliceData(w), len(w)}
	at, ok := p.known[key]
	if !ok {
		at = int64(len(p.weights))
		p.weights = append(p.weights, w...)
		p.known[key] = at
	}
	return at
}

func (p *plan) bytes() int64 {
	return BytesOf(p.rects) + BytesOf(p.weights) + BytesOf(p.constants) + BytesOf(p.cells) + BytesOf(p.shares) +
		BytesOf(p.at) + BytesOf(p.first) + BytesOf(p.firstTerm)
}
