package cmg

import (
	"math"
	"slices"

	"thermsim/gpusolve/reuse"
)

// Quotient is Q = R A R^T, R the 0/1 matrix that sums over clusters: edges between two clusters add up to one, edges
// inside vanish, and so do grounds of a cluster. Sums are FP64 over values in ascending order, so both halves of Q are
// the same to the bit.
func Quotient(g *Graph, c *Clusters) *Graph {
	n := c.N()
	l := g.arrays
	q := newGraph(l, n)
	share := fewer(n, g.Entries())
	rows := make([]quotientRows, (n+share-1)/share)
	inRanges(n, share, func(part, lo, hi int) {
		out := &rows[part]
		capacity := 0 // about half of the members' neighbours lie in other clusters and are different there
		for k := lo; k < hi; k++ {
			for _, v := range c.Cluster(k) {
				capacity += int(g.Ptr[v+1] - g.Ptr[v])
			}
		}
		out.col, out.weight = reuse.Make[int32](l, capacity/2)[:0], reuse.Make[float32](l, capacity/2)[:0]
		out.arrays = l
		var terms []uint64
		for k := lo; k < hi; k++ {
			terms = terms[:0]
			for _, v := range c.Cluster(k) {
				q.Ground[k] += g.Ground[v]
				cols, weights := g.Row(int(v))
				for i, u := range cols {
					if to := c.Of[u]; int(to) != k {
						terms = reuse.Append(l, terms, term(to, weights[i]))
					}
				}
			}
			before := len(out.col)
			out.merge(terms)
			q.Ptr[k+1] = int64(len(out.col) - before)
		}
	})
	for k := range n {
		q.Ptr[k+1] += q.Ptr[k]
	}
	q.Col, q.Weight = reuse.Make[int32](l, int(q.Ptr[n])), reuse.Make[float32](l, int(q.Ptr[n]))
	inRanges(n, share, func(part, lo, hi int) {
		copy(q.Col[q.Ptr[lo]:], rows[part].col)
		copy(q.Weight[q.Ptr[lo]:], rows[part].weight)
		rows[part] = quotientRows{}
		q.SumDiagonal(lo, hi)
	})
	return q
}

// term packs one edge of the finer graph, the cluster it leads to above the bits of its weight: weights are positive,
// so terms sort by cluster, then by weight.
func term(to int32, w float32) uint64 { return uint64(to)<<32 | uint64(math.Float32bits(w)) }

// quotientRows are consecutive rows of a quotient.
type quotientRows struct {
	col    []int32
	weight []float32
	arrays *reuse.List
}

// merge appends a row: terms sorted, and those to the same cluster added.
func (q *quotientRows) merge(terms []uint64) {
	slices.Sort(terms)
	for i := 0; i < len(terms); {
		to, sum := terms[i]>>32, 0.0
		for ; i < len(terms) && terms[i]>>32 == to; i++ {
			sum += float64(math.Float32frombits(uint32(terms[i])))
		}
		q.col, q.weight = reuse.Append(q.arrays, q.col, int32(to)), reuse.Append(q.arrays, q.weight, float32(sum))
	}
}
