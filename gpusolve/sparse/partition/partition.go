// Package partition divides the rows of a sparse matrix into parts of bounded size with few couplings between them, by
// the multilevel method of Karypis and Kumar (SIAM Journal on Scientific Computing 20, 1998). Clusters of rows become
// the vertices of a smaller graph, down to some dozens per part. This graph is bisected recursively. On every graph
// back to the matrix, vertices at the borders of parts move one by one, and the borders of every two parts are improved
// by the method of Fiduccia and Mattheyses. The result depends on the pattern of the matrix only.
package partition

import "thermsim/gpusolve/sparse"

const (
	rowsPerCluster = 8  // in the first graph
	coarseVertices = 40 // vertices per part at which coarsening ends
	// margin is the share of every part that stays free, so that rows can move between parts.
	margin = 0.03
)

// Divide divides the rows into parts of at most limit rows. Two rows are coupled if either stores an entry of the
// other. Parts are full to 1 - margin on average, unless they are all of the matrix.
func Divide(a *sparse.CSR, limit int) (part []int32, parts int) {
	n := a.N()
	part = make([]int32, n)
	if n <= limit {
		return part, min(n, 1)
	}
	full := limit - int(margin*float64(limit))
	r := &refinement{parts: (n + full - 1) / full, limit: int64(limit)}
	g := mutual(a)
	r.divide(g, part)
	r.spill(g, part)
	return part, compact(part, r.parts)
}

// divide divides a graph, smaller ones first.
func (r *refinement) divide(g *graph, part []int32) {
	if g.n() > coarseVertices*r.parts {
		limit := int64(rowsPerCluster)
		if g.size != nil {
			limit = min(2*g.largest(), r.limit/8)
		}
		if of, coarse := g.coarsen(limit); 10*coarse.n() < 9*g.n() {
			above := make([]int32, coarse.n())
			r.divide(coarse, above)
			inChunks(g.n(), func(_, lo, hi int) {
				for v := lo; v < hi; v++ {
					part[v] = above[of[v]]
				}
			})
			r.refine(g, part)
			r.pairwise(g, part)
			return
		}
	}
	vertices := make([]int32, g.n())
	for v := range vertices {
		vertices[v] = int32(v)
	}
	b := bisector{limit: r.limit, part: part}
	b.divide(g, vertices, 0, r.parts)
	r.refine(g, part)
	r.pairwise(g, part)
}

// compact renumbers parts without the empty ones.
func compact(part []int32, parts int) int {
	number := make([]int32, parts)
	for _, p := range part {
		number[p] = 1
	}
	count := int32(0)
	for p, used := range number {
		number[p] = count
		count += used
	}
	for r, p := range part {
		part[r] = number[p]
	}
	return int(count)
}
