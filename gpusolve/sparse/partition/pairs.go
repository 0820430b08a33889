package partition

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// bandLayers is the number of layers of vertices next to the border of two parts that may also change sides.
var bandLayers = 1

// border is that between two parts.
type border struct {
	parts    [2]int32 // ascending
	vertices []int32  // of both
}

// mostBorders is the number of borders per part above which pairwise does nothing. Parts of meshes have 3 to 13; in a
// random graph, where every two parts are adjacent, improving all borders takes many passes and hardly reduces the cut.
const mostBorders = 32

// pairwise improves the border of every two adjacent parts by the method of Fiduccia and Mattheyses, borders without a
// common part in parallel.
func (r *refinement) pairwise(g *graph, part []int32) {
	band, round := make([]int32, g.n()), make([]int32, r.parts)
	left := r.borders(g, part)
	if len(left) > mostBorders*r.parts {
		return
	}
	for n := int32(1); len(left) > 0; n++ {
		var now, later []border
		for _, b := range left {
			if p, q := b.parts[0], b.parts[1]; round[p] != n && round[q] != n {
				round[p], round[q] = n, n
				now = append(now, b)
			} else {
				later = append(later, b)
			}
		}
		sides := make([][]uint8, len(now))
		var wait sync.WaitGroup
		var next atomic.Int32
		for range runtime.GOMAXPROCS(0) {
			wait.Go(func() {
				for i := int(next.Add(1)) - 1; i < len(now); i = int(next.Add(1)) - 1 {
					sides[i] = r.improve(g, part, band, &now[i])
				}
			})
		}
		wait.Wait()
		for i, b := range now {
			for j, v := range b.vertices {
				part[v] = b.parts[sides[i][j]]
			}
		}
		left = later
	}
}

// borders lists the borders in the order of their parts.
func (r *refinement) borders(g *graph, part []int32) (all []border) {
	var found [chunks][]border
	inChunks(g.n(), func(c, lo, hi int) {
		known := map[[2]int32]int{}
		last := -1 // the border of the latest entry
		for v := int32(lo); v < int32(hi); v++ {
			for _, u := range g.to[g.ptr[v]:g.ptr[v+1]] {
				if part[u] == part[v] {
					continue
				}
				key := [2]int32{min(part[u], part[v]), max(part[u], part[v])}
				if last < 0 || found[c][last].parts != key {
					i, ok := known[key]
					if !ok {
						i = len(found[c])
						known[key] = i
						found[c] = append(found[c], border{parts: key})
					}
					last = i
				}
				b := &found[c][last]
				if n := len(b.vertices); n == 0 || b.vertices[n-1] != v {
					b.vertices = append(b.vertices, v)
				}
			}
		}
	})
	all = slices.Concat(found[:]...)
	slices.SortStableFunc(all, func(a, b border) int {
		return cmp.Or(cmp.Compare(a.parts[0], b.parts[0]), cmp.Compare(a.parts[1], b.parts[1]))
	})
	merged := all[:0]
	for _, b := range all {
		if n := len(merged); n > 0 && merged[n-1].parts == b.parts {
			merged[n-1].vertices = append(merged[n-1].vertices, b.vertices...)
		} else {
			merged = append(merged, b)
		}
	}
	return merged
}

// improve finds better sides for the vertices near a border, which become those of the border. band is memory for all
// vertices, of which only those of the two parts are used.
func (r *refinement) improve(g *graph, part, band []int32, b *border) []uint8 {
	p, q := b.parts[0], b.parts[1]
	entries := r.widen(g, part, band, b)
	// Vertices 0 and 1 are what the band leaves of the parts.
	n := len(b.vertices)
	sub := &graph{ptr: make([]int64, n+3), to: make([]int32, 0, entries), weight: make([]int32, 0, entries),
		size: make([]int32, n+2)}
	rest := [2]int64{r.load[p], r.load[q]}
	f := newFM(sub, &aim{most: [2]int64{r.most, r.most}})
	f.side[1], f.locked[0], f.locked[1] = 1, true, true
	for i, v := range b.vertices {
		if part[v] == q {
			f.side[i+2] = 1
		}
		rest[f.side[i+2]] -= g.rows(v)
		sub.size[i+2] = int32(g.rows(v))
		for e := g.ptr[v]; e < g.ptr[v+1]; e++ {
			u := g.to[e]
			if u == v || part[u] != p && part[u] != q {
				continue
			}
			other := band[u]
			if other == 0 && part[u] == q {
				other = 1
			}
			sub.to, sub.weight = append(sub.to, other), append(sub.weight, g.edge(e))
		}
		sub.ptr[i+3] = int64(len(sub.to))
	}
	for _, v := range b.vertices {
		band[v] = 0
	}
	sub.size[0], sub.size[1] = int32(rest[0]), int32(rest[1])
	f.improve()
	r.load[p], r.load[q] = f.load[0], f.load[1]
	return f.side[2:]
}

// widen removes from a border what has gone to other parts, adds bandLayers layers, and numbers the vertices from 2 on
// in band. It returns the number of their entries.
func (r *refinement) widen(g *graph, part, band []int32, b *border) (entries int64) {
	p, q := b.parts[0], b.parts[1]
	var all []int32
	add := func(v int32) {
		if (part[v] == p || part[v] == q) && band[v] == 0 {
			all = append(all, v)
			band[v] = int32(len(all)) + 1
			entries += g.ptr[v+1] - g.ptr[v]
		}
	}
	for _, v := range b.vertices {
		add(v)
	}
	from := 0
	for range bandLayers {
		to := len(all)
		for _, v := range all[from:to] {
			for _, u := range g.to[g.ptr[v]:g.ptr[v+1]] {
				add(u)
			}
		}
		from = to
	}
	b.vertices = all
	return entries
}
