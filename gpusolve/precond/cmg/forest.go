package cmg

import (
	"math"
	"sync/atomic"

	"thermsim/gpusolve/reuse"
)

// forest joins every vertex to the neighbour over its heaviest edge. It has no cycles, because edges are compared by a
// total order.
type forest struct {
	g       *Graph
	parent  []int32   // itself for roots
	weight  []float32 // of the edge that a vertex picked
	depth   []int32   // edges to the root
	average float64   // weighted degree, over vertices that have edges
}

// grow picks the heaviest edges and takes those out again that vertices of a weighted degree above kappa times the
// average contributed, where the forest holds less than 1/average of their volume: such a vertex is tied to many others
// about as strongly, and belongs with none of them.
func grow(g *Graph, kappa float64) *forest {
	n := g.N()
	f := &forest{g: g, parent: reuse.Make[int32](g.arrays, n), weight: reuse.Make[float32](g.arrays, n),
		depth: reuse.Make[int32](g.arrays, n)}
	pick := reuse.Make[int32](g.arrays, n)
	inRanges(n, fewer(n, g.Entries()), func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			pick[v], f.weight[v] = f.heaviest(v)
		}
	})
	joined := sumOver(n, func(lo, hi int) (count float64) {
		for v := lo; v < hi; v++ {
			if f.weight[v] > 0 {
				count++
			}
		}
		return count
	})
	f.average = sumOver(n, func(lo, hi int) (sum float64) {
		for v := lo; v < hi; v++ {
			if f.weight[v] > 0 {
				sum += g.Diagonal[v] / float64(f.weight[v])
			}
		}
		return sum
	}) / max(1, joined)
	cut := reuse.Make[bool](g.arrays, n)
	inRanges(n, fewer(n, g.Entries()), func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			cut[v] = g.Diagonal[v] > kappa*f.average*float64(f.weight[v]) && f.held(v, pick) < g.Diagonal[v]/f.average
		}
	})
	each(n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			f.parent[v] = direct(int32(v), pick, cut)
		}
	})
	f.measureDepth()
	return f
}

// direct is the parent of v. An edge that both of its ends picked stays while one of them holds on to it; the other one
// becomes the root, or the lower one of two.
func direct(v int32, pick []int32, cut []bool) int32 {
	u := pick[v]
	mutual := pick[u] == v
	switch {
	case cut[v], mutual && !cut[u] && v < u:
		return v
	default:
		return u
	}
}

// heaviest returns the neighbour over the heaviest edge, v itself where there is none. Weights are compared by their
// leading bits, an eighth or less apart being the same: the weights of a layered stack differ by rounding, and chains
// that follow such differences would be long. Among equals a hash of the edge decides, which gives trees of three to
// four vertices on grids of equal weights.
func (f *forest) heaviest(v int) (int32, float32) {
	cols, weights := f.g.Row(v)
	best, at := uint64(0), -1
	for i, u := range cols {
		if key := edgeKey(int32(v), u, weights[i]); at < 0 || key > best || key == best &&
			higher(int32(v), u, cols[at]) {
			best, at = key, i
		}
	}
	if at < 0 {
		return int32(v), 0
	}
	return cols[at], weights[at]
}

// weightBits is the number of low bits of a weight that do not count: all but exponent and three bits.
const weightBits = 20

// edgeKey orders edges by weight, then by a hash of both ends.
func edgeKey(u, v int32, w float32) uint64 {
	return uint64(math.Float32bits(w)>>weightBits)<<32 | uint64(edgeHash(u, v))
}

// higher says whether the edge from v to a is beyond the one to b by its ends, the lower end first.
func higher(v, a, b int32) bool {
	if l, m := min(v, a), min(v, b); l != m {
		return l > m
	}
	return max(v, a) > max(v, b)
}

// edgeHash mixes both ends (the finaliser of MurmurHash3).
func edgeHash(u, v int32) uint32 {
	h := uint64(uint32(min(u, v)))<<32 | uint64(uint32(max(u, v)))
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return uint32(h)
}

// held is the weight at v of edges of the forest.
func (f *forest) held(v int, pick []int32) float64 {
	sum := 0.0
	cols, weights := f.g.Row(v)
	for i, u := range cols {
		if pick[u] == int32(v) || pick[v] == u {
			sum += float64(weights[i])
		}
	}
	return sum
}

// walk is the number of edges up to a root that are followed one by one.
const walk = 32

// measureDepth walks to the roots. Where trees are deeper, it doubles the steps instead (pointer jumping), so that a
// path of n vertices takes log n passes.
func (f *forest) measureDepth() {
	n := len(f.parent)
	var deeper atomic.Bool
	each(n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			d, u := int32(0), int32(v)
			for f.parent[u] != u && d < walk {
				u = f.parent[u]
				d++
			}
			f.depth[v] = d
			if f.parent[u] != u {
				deeper.Store(true)
				return
			}
		}
	})
	if !deeper.Load() {
		return
	}
	jump, nextJump, next := reuse.Make[int32](f.g.arrays, n), reuse.Make[int32](f.g.arrays, n),
		reuse.Make[int32](f.g.arrays, n)
	copy(jump, f.parent)
	for v, p := range f.parent {
		f.depth[v] = 0
		if p != int32(v) {
			f.depth[v] = 1
		}
	}
	for moved := true; moved; {
		var any atomic.Bool
		each(n, func(_, lo, hi int) {
			for v := lo; v < hi; v++ {
				u := jump[v]
				next[v], nextJump[v] = f.depth[v]+f.depth[u], jump[u]
				if jump[u] != u {
					any.Store(true)
				}
			}
		})
		f.depth, next = next, f.depth
		jump, nextJump = nextJump, jump
		moved = any.Load()
	}
}
