package partition

import "slices"

// coarsen joins vertices into clusters of at most limit rows, and returns the cluster of each vertex and the graph of
// the clusters. Clusters stay within chunks of a large graph if that leaves at most two thirds of the vertices.
func (g *graph) coarsen(limit int64) (of []int32, coarse *graph) {
	n := g.n()
	of, tie := make([]int32, n), make([]int32, n)
	count := int32(n)
	if n > 100000 {
		var first [chunks + 1]int32
		inChunks(n, func(c, lo, hi int) {
			w := grower{graph: g, lo: int32(lo), hi: int32(hi), limit: limit, of: of, tie: tie}
			first[c+1] = w.run()
		})
		for c := range chunks {
			first[c+1] += first[c]
		}
		count = first[chunks]
		inChunks(n, func(c, lo, hi int) {
			for v := lo; v < hi; v++ {
				of[v] += first[c]
			}
		})
	}
	if few := int32(n / 3 * 2); count > few {
		w := grower{graph: g, hi: int32(n), limit: limit, of: of, tie: tie}
		if count = w.run(); count > few {
			count = g.joinDistant(of, count, limit)
		}
	}
	return of, g.contract(of, int(count))
}

// grower makes clusters of the vertices from lo to hi: each grows from a vertex next to earlier ones by the
// neighbour with the most couplings to it.
type grower struct {
	*graph
	lo, hi     int32
	limit      int64
	of         []int32
	tie        []int32 // couplings of each candidate to the cluster
	candidates []int32
	front      []int32 // candidates of earlier clusters
}

// run returns the number of clusters.
func (w *grower) run() (count int32) {
	for v := w.lo; v < w.hi; v++ {
		w.of[v] = -1
	}
	next, at := w.lo, 0
	for {
		seed := int32(-1)
		for seed < 0 && at < len(w.front) {
			if v := w.front[at]; w.of[v] < 0 {
				seed = v
			}
			at++
		}
		if seed < 0 {
			w.front, at = w.front[:0], 0
			for next < w.hi && w.of[next] >= 0 {
				next++
			}
			if next == w.hi {
				return count
			}
			seed = next
		}
		w.grow(seed, count)
		count++
	}
}

func (w *grower) grow(v, id int32) {
	w.candidates = w.candidates[:0]
	for rows := int64(0); v >= 0; {
		w.of[v] = id
		rows += w.rows(v)
		for e := w.ptr[v]; e < w.ptr[v+1]; e++ {
			u := w.to[e]
			if u < w.lo || u >= w.hi || w.of[u] >= 0 {
				continue
			}
			if w.tie[u] == 0 {
				w.candidates = append(w.candidates, u)
			}
			w.tie[u] += w.edge(e)
		}
		v = -1
		if rows == w.limit {
			break
		}
		most := int32(0)
		for _, u := range w.candidates {
			if w.tie[u] > most && w.of[u] < 0 && rows+w.rows(u) <= w.limit {
				v, most = u, w.tie[u]
			}
		}
	}
	for _, u := range w.candidates {
		w.tie[u] = 0
		if w.of[u] < 0 {
			w.front = append(w.front, u)
		}
	}
}

// joinDistant joins small clusters that have the same neighbour, such as the leaves of a star, or none. It returns the
// number of clusters.
func (g *graph) joinDistant(of []int32, count int32, limit int64) int32 {
	rows := make([]int64, count)
	neighbour, most := make([]int32, count), make([]int32, count)
	for v := range int32(g.n()) {
		c := of[v]
		rows[c] += g.rows(v)
		for e := g.ptr[v]; e < g.ptr[v+1]; e++ {
			if u := of[g.to[e]]; u != c && g.edge(e) > most[c] {
				neighbour[c], most[c] = u+1, g.edge(e)
			}
		}
	}
	open := make([]int32, count+1) // by neighbour + 1, the last cluster that has room, + 1
	number, joined := make([]int32, count), int32(0)
	filled := make([]int64, 0, count)
	for c := range count {
		o := &open[neighbour[c]]
		if 2*rows[c] > limit || *o == 0 || filled[*o-1]+rows[c] > limit {
			filled = append(filled, 0)
			joined++
			if 2*rows[c] <= limit {
				*o = joined
			}
			number[c] = joined - 1
		} else {
			number[c] = *o - 1
		}
		filled[number[c]] += rows[c]
	}
	for v := range of {
		of[v] = number[of[v]]
	}
	return joined
}

// contract is the graph of clusters.
func (g *graph) contract(of []int32, count int) *graph {
	first, member := make([]int32, count+2), make([]int32, len(of))
	for _, c := range of {
		first[c+2]++
	}
	for c := range count {
		first[c+2] += first[c+1]
	}
	for v, c := range of {
		member[first[c+1]] = int32(v)
		first[c+1]++
	}
	coarse := &graph{ptr: make([]int64, count+1), size: make([]int32, count)}
	var to, weight [chunks][]int32
	inChunks(count, func(chunk, lo, hi int) {
		position := make([]int32, count) // + 1, in the row of the cluster at hand
		for c := lo; c < hi; c++ {
			begin := len(to[chunk])
			for _, v := range member[first[c]:first[c+1]] {
				coarse.size[c] += int32(g.rows(v))
				for e := g.ptr[v]; e < g.ptr[v+1]; e++ {
					u := of[g.to[e]]
					if int(u) == c {
						continue
					}
					if position[u] == 0 {
						to[chunk], weight[chunk] = append(to[chunk], u), append(weight[chunk], 0)
						position[u] = int32(len(to[chunk]))
					}
					weight[chunk][position[u]-1] += g.edge(e)
				}
			}
			for _, u := range to[chunk][begin:] {
				position[u] = 0
			}
			coarse.ptr[c+1] = int64(len(to[chunk]) - begin)
		}
	})
	for c := range count {
		coarse.ptr[c+1] += coarse.ptr[c]
	}
	coarse.to, coarse.weight = slices.Concat(to[:]...), slices.Concat(weight[:]...)
	return coarse
}
