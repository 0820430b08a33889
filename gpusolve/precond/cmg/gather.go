package cmg

import (
	"slices"
	"sync/atomic"

	"thermsim/gpusolve/reuse"
)

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
