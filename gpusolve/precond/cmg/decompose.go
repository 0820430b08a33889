package cmg

import (
	"math"
	"sync/atomic"

	"thermsim/gpusolve/reuse"
)

// DefaultKappa is the multiple of the average weighted degree above which a vertex may be cut off. Koutis, Miller and
// Tolliver (Computer Vision and Image Understanding 115, 2011) ask for a constant above 4.
const DefaultKappa = 4.5

// Decomposition is a partition of a graph into clusters, and how good it is.
type Decomposition struct {
	Clusters
	// Quality is a lower bound of the conductance of every cluster with the edges that leave it: for any part S of the
	// vertices, the weight of the edges between S and the rest over the lesser of their volumes.
	Quality float64
	Average float64 // weighted degree of the graph
	Split   int     // clusters that were cut in two or more because of their quality
}

// Decompose is Decompose-Graph: trees of heaviest edges, cut at high weighted degrees, and into pieces of bounded depth
// and conductance. Where that leaves more than half as many clusters as vertices, the cuts for quality are left out,
// and then those at high degrees: a level must halve.
func Decompose(g *Graph, kappa float64) *Decomposition {
	d := decompose(g, kappa, true)
	if 2*d.N() > g.N() {
		d = decompose(g, kappa, false)
	}
	if 2*d.N() > g.N() {
		d = decompose(g, math.Inf(1), false)
	}
	return d
}

func decompose(g *Graph, kappa float64, strict bool) *Decomposition {
	f := grow(g, kappa)
	top := f.pieces()
	d := &Decomposition{Clusters: gather(g.arrays, top), Average: f.average}
	least := 0.0
	if strict {
		least = 1 / (2 * kappa * f.average)
	}
	d.Quality, d.Split = f.improve(&d.Clusters, top, least)
	if d.Split > 0 {
		d.Clusters = gather(g.arrays, top)
	}
	return d
}

// height is the number of layers of a tree that a piece takes.
const height = 3

// pieces cuts trees into pieces and returns the top of each vertex's. Tops are the roots and every third vertex
// downwards; the piece of one with less than three vertices stays with the piece above. So pieces have three vertices
// or more, but for those that hold a root, and are at most four edges deep.
func (f *forest) pieces() []int32 {
	n := len(f.parent)
	top, count := reuse.Make[int32](f.g.arrays, n), reuse.Make[int32](f.g.arrays, n)
	each(n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			u := int32(v)
			for d := f.depth[v] % height; d > 0; d-- {
				u = f.parent[u]
			}
			top[v] = u
			atomic.AddInt32(&count[u], 1)
		}
	})
	final := reuse.Make[int32](f.g.arrays, n)
	each(n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			t := top[v]
			if count[t] < height && f.parent[t] != t {
				t = top[f.parent[t]]
			}
			final[v] = t
		}
	})
	return final
}
