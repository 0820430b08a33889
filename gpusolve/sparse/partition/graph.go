package partition

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"thermsim/gpusolve/sparse"
)

// graph is an undirected graph whose vertices are one row or several. The neighbours of vertex v are to[ptr[v]:
// ptr[v+1]]; v itself may be among them.
type graph struct {
	ptr    []int64
	to     []int32
	weight []int32 // entries that an edge represents, one way; nil where all are 1
	size   []int32 // rows of each vertex; nil where all are 1
}

func (g *graph) n() int { return len(g.ptr) - 1 }

func (g *graph) rows(v int32) int64 {
	if g.size == nil {
		return 1
	}
	return int64(g.size[v])
}

func (g *graph) edge(e int64) int32 {
	if g.weight == nil {
		return 1
	}
	return g.weight[e]
}

// largest is the most rows of a vertex.
func (g *graph) largest() int64 {
	if g.size == nil {
		return 1
	}
	return int64(slices.Max(g.size))
}

// total is the number of rows of all vertices.
func (g *graph) total() (sum int64) {
	if g.size == nil {
		return int64(g.n())
	}
	for _, s := range g.size {
		sum += int64(s)
	}
	return sum
}

// chunks is the number of ranges of vertices that are processed in parallel. It is fixed, so that results do not depend
// on the number of processors.
const chunks = 16

// inChunks calls f for all chunks of 0 to n-1 on all processors.
func inChunks(n int, f func(chunk, lo, hi int)) {
	var wait sync.WaitGroup
	var next atomic.Int32
	for range min(chunks, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for c := int(next.Add(1)) - 1; c < chunks; c = int(next.Add(1)) - 1 {
				f(c, n*c/chunks, n*(c+1)/chunks)
			}
		})
	}
	wait.Wait()
}

// mutual is the pattern of a matrix, with its transpose where that differs.
func mutual(a *sparse.CSR) *graph {
	// The pattern is symmetric if every entry of the upper half has a counterpart, and the halves are equally large.
	var lone atomic.Bool
	var excess atomic.Int64 // of the upper half
	inChunks(a.N(), func(_, lo, hi int) {
		more := int64(0)
		for r := lo; r < hi && !lone.Load(); r++ {
			cols, _ := a.Row(r)
			for _, c := range cols {
				if int(c) < r {
					more--
				}
				if int(c) <= r {
					continue
				}
				more++
				back, _ := a.Row(int(c))
				if _, found := slices.BinarySearch(back, int32(r)); !found {
					lone.Store(true)
				}
			}
		}
		excess.Add(more)
	})
	if !lone.Load() && excess.Load() == 0 {
		return &graph{ptr: a.RowPtr, to: a.Col}
	}
	// An entry counts in both directions; entries in both directions count twice.
	n := a.N()
	g := &graph{ptr: make([]int64, n+1), to: make([]int32, 2*len(a.Col))}
	for r := range n {
		cols, _ := a.Row(r)
		g.ptr[r+1] += int64(len(cols))
		for _, c := range cols {
			g.ptr[c+1]++
		}
	}
	for r := range n {
		g.ptr[r+1] += g.ptr[r]
	}
	next := slices.Clone(g.ptr)
	for r := range n {
		cols, _ := a.Row(r)
		for _, c := range cols {
			g.to[next[r]] = c
			next[r]++
			g.to[next[c]] = int32(r)
			next[c]++
		}
	}
	return g
}

// induced is the graph of the vertices on one side, and which they are.
func (g *graph) induced(side []uint8, on uint8) (sub *graph, vertices []int32) {
	number := make([]int32, g.n())
	for v, s := range side {
		if s == on {
			number[v] = int32(len(vertices))
			vertices = append(vertices, int32(v))
		}
	}
	sub = &graph{ptr: make([]int64, 1, len(vertices)+1), size: make([]int32, len(vertices))}
	for i, v := range vertices {
		sub.size[i] = int32(g.rows(v))
		for e := g.ptr[v]; e < g.ptr[v+1]; e++ {
			if u := g.to[e]; side[u] == on && u != v {
				sub.to, sub.weight = append(sub.to, number[u]), append(sub.weight, g.edge(e))
			}
		}
		sub.ptr = append(sub.ptr, int64(len(sub.to)))
	}
	return sub, vertices
}
