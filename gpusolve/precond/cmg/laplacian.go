package cmg

import "thermsim/gpusolve/reuse"

// Graph is a grounded Laplacian on the host, the matrix of a resistor network: a vertex an unknown, an edge a
// conductance, and ground a conductance of each vertex to zero,
//
//	(A x)_v = sum over neighbours u of w_vu (x_v - x_u) + ground_v x_v
//
// The neighbours of v are Col[Ptr[v]:Ptr[v+1]], ascending, and v is not among them. Every edge is stored in both of its
// rows.
type Graph struct {
	Ptr    []int64
	Col    []int32
	Weight []float32 // positive
	Ground []float64 // not negative
	// Diagonal of A: the ground and the weights of each vertex, summed.
	Diagonal []float64

	arrays *reuse.List // where arrays for what is made of the graph come from; may be nil
}

// N is the number of vertices.
func (g *Graph) N() int { return len(g.Ground) }

// Entries is the number of stored neighbours, twice the edges.
func (g *Graph) Entries() int64 { return int64(len(g.Col)) }

// Row returns the neighbours of v and the weights of the edges to them.
func (g *Graph) Row(v int) ([]int32, []float32) {
	lo, hi := g.Ptr[v], g.Ptr[v+1]
	return g.Col[lo:hi], g.Weight[lo:hi]
}

// SumDiagonal sets the diagonal of vertices from lo to hi.
func (g *Graph) SumDiagonal(lo, hi int) {
	for v := lo; v < hi; v++ {
		sum := g.Ground[v]
		_, weights := g.Row(v)
		for _, w := range weights {
			sum += float64(w)
		}
		g.Diagonal[v] = sum
	}
}

// Clusters is a partition of a graph's vertices.
type Clusters struct {
	Of      []int32 // cluster of every vertex
	Ptr     []int32 // the vertices of cluster c are Members[Ptr[c]:Ptr[c+1]], ascending
	Members []int32
}

// N is the number of clusters.
func (c *Clusters) N() int { return len(c.Ptr) - 1 }

// Cluster lists the members of cluster n.
func (c *Clusters) Cluster(n int) []int32 { return c.Members[c.Ptr[n]:c.Ptr[n+1]] }
