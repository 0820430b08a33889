package cmg

import (
	"math"
	"slices"
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
// or more, except for those that hold a root, and are at most four edges deep.
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

// forest joins every vertex to the neighbour over its heaviest edge. It has no cycles, because edges are compared by a
// total order.
type forest struct {
	g       *Graph
	parent  []int32   // itself for roots
	weight  []float32 // of the edge that a vertex picked
	depth   []int32   // edges to the root
	average float64   // weighted degree, over vertices that have edges
}

// grow picks the heaviest edge of each vertex. It removes the edges of vertices with a weighted degree above kappa
// times the average if the forest holds less than 1/average of their volume: such a vertex is tied to many others about
// as strongly, and belongs with none of them.
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

// gather numbers the clusters by their first vertices, which keeps near ones near, and lists their members. All of it
// runs on all cores, and the result depends on top alone.
func gather(l *reuse.List, top []int32) Clusters {
	n := len(top)
	// first[t] is one more than the last vertex's distance to the first of t's cluster: zero means none yet, so the
	// array needs no filling.
	first := reuse.Make[int32](l, n)
	each(n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			raise(&first[top[v]], int32(n-v))
		}
	})
	leads := func(v int) bool { return first[top[v]] == int32(n-v) }
	number := make([]int32, (n+grain-1)/grain) // of the first cluster that begins in a range
	each(n, func(part, lo, hi int) {
		for v := lo; v < hi; v++ {
			if leads(v) {
				number[part]++
			}
		}
	})
	count := accumulate(number)
	c := Clusters{Of: reuse.Make[int32](l, n), Ptr: reuse.Make[int32](l, int(count)+1),
		Members: reuse.Make[int32](l, n)}
	of := reuse.Make[int32](l, n) // cluster of a top
	each(n, func(part, lo, hi int) {
		next := number[part]
		for v := lo; v < hi; v++ {
			if leads(v) {
				of[top[v]] = next
				next++
			}
		}
	})
	size := reuse.Make[int32](l, int(count))
	each(n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			k := of[top[v]]
			c.Of[v] = k
			atomic.AddInt32(&size[k], 1)
		}
	})
	for k, s := range size {
		c.Ptr[k+1] = c.Ptr[k] + s
	}
	// Members come in any order, and are sorted after.
	each(n, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			k := c.Of[v]
			c.Members[c.Ptr[k+1]-1-(atomic.AddInt32(&size[k], -1))] = int32(v)
		}
	})
	each(int(count), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			slices.Sort(c.Cluster(k))
		}
	})
	return c
}

// raise sets *at to v if that is more.
func raise(at *int32, v int32) {
	for {
		old := atomic.LoadInt32(at)
		if old >= v || atomic.CompareAndSwapInt32(at, old, v) {
			return
		}
	}
}

// accumulate turns counts into the sums before each, and returns the whole.
func accumulate(counts []int32) (total int32) {
	for i, c := range counts {
		counts[i] = total
		total += c
	}
	return total
}

// improve bounds the conductance of the clusters and cuts those in two where it is below least. top is changed where a
// piece comes off. It returns the least bound and the number of cuts.
//
// The bound: edges inside a cluster that are not in its tree are taken for edges that leave it, which adds to volumes
// and takes from cuts. What is left is a tree with leaves, and the worst cut of a tree is a single edge: if S or the
// rest came in several parts, one part would be as bad. The volume of the whole is that before cuts, which is no less.
func (f *forest) improve(c *Clusters, top []int32, least float64) (quality float64, cuts int) {
	n := len(f.parent)
	below := reuse.Make[float64](f.g.arrays, n) // volume of a vertex and what hangs from it
	worst := make([]float64, (c.N()+grain-1)/grain)
	cut := make([]int, len(worst))
	each(c.N(), func(part, lo, hi int) {
		worst[part] = 1
		for k := lo; k < hi; k++ {
			q, number := f.improveCluster(c.Cluster(k), top, below, least)
			worst[part] = math.Min(worst[part], q)
			cut[part] += number
		}
	})
	quality = 1
	for i, q := range worst {
		quality = math.Min(quality, q)
		cuts += cut[i]
	}
	return quality, cuts
}

func (f *forest) improveCluster(members, top []int32, below []float64, least float64) (quality float64, cuts int) {
	first := top[members[0]]
	base, deepest := f.depth[first], int32(0)
	total := 0.0
	// An edge that leaves counts twice: at its vertex and at the leaf that represents its other end.
	for _, v := range members {
		below[v] = 2 * f.g.Diagonal[v]
		deepest = max(deepest, f.depth[v]-base)
	}
	for _, v := range members {
		if v != first {
			below[v] -= float64(f.weight[v])
			below[f.parent[v]] -= float64(f.weight[v])
		}
	}
	for _, v := range members {
		total += below[v]
	}
	quality = 1
	for layer := deepest; layer > 0; layer-- {
		for _, v := range members {
			if f.depth[v]-base != layer {
				continue
			}
			w, above := float64(f.weight[v]), f.parent[v]
			q := w / math.Min(below[v], total-below[v])
			if q < least {
				top[v] = v
				below[above] += w
				cuts++
				continue
			}
			quality = math.Min(quality, q)
			below[above] += below[v]
		}
	}
	if cuts > 0 {
		f.follow(members, top, base, deepest)
	}
	return quality, cuts
}

// follow hands new tops down.
func (f *forest) follow(members, top []int32, base, deepest int32) {
	for layer := int32(1); layer <= deepest; layer++ {
		for _, v := range members {
			if f.depth[v]-base == layer && top[v] != v {
				top[v] = top[f.parent[v]]
			}
		}
	}
}
