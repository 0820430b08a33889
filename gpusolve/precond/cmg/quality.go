package cmg

import (
	"math"

	"thermsim/gpusolve/reuse"
)

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
	// An edge that leaves counts twice: at its vertex and at the leaf that stands for its other end.
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
