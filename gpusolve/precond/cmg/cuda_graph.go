package cmg

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/reuse"
)

// gpuGraph is a Graph in device memory.
type gpuGraph struct {
	s                gpuOperations
	n, entries       int64
	ptr              cudriver.Ptr[int64]
	to               cudriver.Ptr[int32]
	weight           cudriver.Ptr[float32]
	ground, diagonal cudriver.Ptr[float64]
}

// gpuPartition is a graph's clusters in device memory, with what the next quotient needs of them.
type gpuPartition struct {
	s                 gpuOperations
	n, count          int64 // vertices and clusters
	of, first, member cudriver.Ptr[int32]
	ground            cudriver.Ptr[float64] // of the clusters: sums of grounds
	terms             cudriver.Ptr[int32]   // and of neighbours
	quality, average  float64
	split             int
}

// N is the number of vertices.
func (g *gpuGraph) N() int { return int(g.n) }

// Entries is the number of neighbours.
func (g *gpuGraph) Entries() int64 { return g.entries }

// Release gives the memory back.
func (g *gpuGraph) Release() {
	g.s.Discard(g.ptr, g.to, g.weight, g.ground, g.diagonal)
}

// Download copies the graph to the host.
func (g *gpuGraph) Download() *Graph {
	l, n, entries := g.s.Arrays(), int(g.n), int(g.entries)
	h := &Graph{
		Ptr: reuse.Make[int64](l, n+1), Col: reuse.Make[int32](l, entries), Weight: reuse.Make[float32](l, entries),
		Ground: reuse.Make[float64](l, n), Diagonal: reuse.Make[float64](l, n), arrays: l,
	}
	cuda.Receive(g.s.Space, h.Ptr, g.ptr)
	cuda.Receive(g.s.Space, h.Col, g.to)
	cuda.Receive(g.s.Space, h.Weight, g.weight)
	cuda.Receive(g.s.Space, h.Ground, g.ground)
	cuda.Receive(g.s.Space, h.Diagonal, g.diagonal)
	return h
}

// N is the number of clusters.
func (p *gpuPartition) N() int { return int(p.count) }

// Figures of the decomposition.
func (p *gpuPartition) Figures() (quality, average float64, split int) {
	return p.quality, p.average, p.split
}

// Download copies the clusters to the host.
func (p *gpuPartition) Download() *Clusters {
	c := &Clusters{Of: make([]int32, p.n), Ptr: make([]int32, p.count+1), Members: make([]int32, p.n)}
	cuda.Receive(p.s.Space, c.Of, p.of)
	cuda.Receive(p.s.Space, c.Ptr, p.first)
	cuda.Receive(p.s.Space, c.Members, p.member)
	return c
}

func (p *gpuPartition) release() {
	p.s.Discard(p.of, p.first, p.member, p.ground, p.terms)
}
