package cmg

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

// Graph is a grounded Laplacian on the host, the matrix of a resistor network. A vertex is an unknown, an edge a
// conductance, and ground the conductance of each vertex to zero:
//
//	(A x)_v = sum over neighbours u of w_vu (x_v - x_u) + ground_v x_v.
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

// newGraph makes one of n vertices, without edges yet, in memory of l, which may be nil.
func newGraph(l *reuse.List, n int) *Graph {
	return &Graph{Ptr: reuse.Make[int64](l, n+1), Ground: reuse.Make[float64](l, n),
		Diagonal: reuse.Make[float64](l, n), arrays: l}
}

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

// singles are the ground and damping over the diagonal in FP32, 0 where that is 0.
func (g *Graph) singles(l *reuse.List, damping float32) (ground, scale []float32) {
	ground, scale = reuse.Make[float32](l, g.N()), reuse.Make[float32](l, g.N())
	for v, d := range g.Diagonal {
		ground[v] = float32(g.Ground[v])
		if d > 0 {
			scale[v] = float32(float64(damping) / d)
		}
	}
	return ground, scale
}

// dense is the matrix with all of its zeros.
func (g *Graph) dense(l *reuse.List) []float64 {
	n := g.N()
	a := reuse.Make[float64](l, n*n)
	for v := range n {
		cols, weights := g.Row(v)
		for i, u := range cols {
			a[v*n+int(u)] = -float64(weights[i])
		}
		a[v*n+v] = g.Diagonal[v]
	}
	return a
}

// Clusters is a partition of a graph's vertices.
type Clusters struct {
	Of      []int32 // cluster of every vertex
	Ptr     []int32 // the vertices of cluster c are Members[Ptr[c]:Ptr[c+1]], ascending
	Members []int32
}

func (c *Clusters) N() int { return len(c.Ptr) - 1 }

// Cluster lists the members of cluster n.
func (c *Clusters) Cluster(n int) []int32 { return c.Members[c.Ptr[n]:c.Ptr[n+1]] }

// dominance is the share of its diagonal that a row may miss of diagonal dominance, for rounding in its sum.
const dominance = 1e-10

// largest keeps conductances, and what is summed of them, within FP32.
const largest = 1e30

// NotDominantError says where a matrix is not what combinatorial multigrid can work on.
type NotDominantError struct {
	Row, Col int // from 0; Col is -1 where the row as a whole is at fault
	What     string
}

func (e *NotDominantError) Error() string {
	if e.Col < 0 {
		return fmt.Sprintf("cmg needs a symmetric diagonally dominant matrix: row %d (counted from 1) %s; choose "+
			"another preconditioner, such as jacobi", e.Row+1, e.What)
	}
	return fmt.Sprintf("cmg needs a symmetric diagonally dominant matrix: the entry in row %d, column %d (counted "+
		"from 1) %s; choose another preconditioner, such as jacobi",
		e.Row+1, e.Col+1, e.What)
}

// fromMatrix reads a symmetric diagonally dominant matrix as a graph. Where it has positive off-diagonals the graph is
// the double cover (Gremban, Combinatorial preconditioners for sparse, symmetric, diagonally dominant linear systems,
// 1996): vertex n+v represents -x_v, and a positive entry is an edge between v and the negative of its neighbour. The
// memory is of l, which may be nil.
func fromMatrix(l *reuse.List, a *sparse.CSR) (g *Graph, doubled bool, err error) {
	found, err := check(a)
	if err != nil {
		return nil, false, err
	}
	if found.skew {
		a = symmetrised(l, a)
	}
	if found.signed {
		return cover(l, a), true, nil
	}
	return plain(l, a), false, nil
}

// traits of a matrix: positive off-diagonals, and halves that differ by rounding.
type traits struct{ signed, skew bool }

// symmetrised takes the upper half for both: a forest of heaviest edges must find an edge the same from either end.
func symmetrised(l *reuse.List, a *sparse.CSR) *sparse.CSR {
	s := &sparse.CSR{RowPtr: a.RowPtr, Col: a.Col, Val: append(reuse.Make[float64](l, len(a.Val))[:0], a.Val...)}
	each(a.N(), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			for i := a.RowPtr[r]; i < a.RowPtr[r+1] && int(a.Col[i]) < r; i++ {
				s.Val[i] = a.At(int(a.Col[i]), r)
			}
		}
	})
	return s
}

// check finds the first row at fault, and the traits of the matrix.
func check(a *sparse.CSR) (found traits, err error) {
	var lock sync.Mutex
	first := &NotDominantError{Row: math.MaxInt}
	each(a.N(), func(_, lo, hi int) {
		var here traits
		for r := lo; r < hi; r++ {
			fault := checkRow(a, r, &here)
			if fault == nil {
				continue
			}
			lock.Lock()
			if fault.Row < first.Row {
				first = fault
			}
			lock.Unlock()
			break
		}
		lock.Lock()
		found.signed, found.skew = found.signed || here.signed, found.skew || here.skew
		lock.Unlock()
	})
	if first.Row != math.MaxInt {
		return traits{}, first
	}
	return found, nil
}

func checkRow(a *sparse.CSR, r int, found *traits) *NotDominantError {
	cols, vals := a.Row(r)
	diagonal, others := 0.0, 0.0
	for i, c := range cols {
		v := vals[i]
		switch {
		case !(math.Abs(v) <= largest):
			return &NotDominantError{r, int(c), fmt.Sprintf("is %g, beyond what FP32 holds", v)}
		case int(c) == r:
			diagonal = v
			continue
		case int(c) > r:
			// One half of the pairs is enough.
			back := a.At(int(c), r)
			if math.Abs(back-v) > dominance*math.Abs(v) {
				return &NotDominantError{r, int(c), fmt.Sprintf("is %g and its mirror image %g", v, back)}
			}
			found.skew = found.skew || back != v
		case v != 0 && a.At(int(c), r) == 0:
			return &NotDominantError{r, int(c), fmt.Sprintf("is %g and its mirror image 0", v)}
		}
		found.signed = found.signed || v > 0
		others += math.Abs(v)
	}
	if !(diagonal-others >= -dominance*math.Max(others, math.Abs(diagonal))) {
		return &NotDominantError{r, -1, fmt.Sprintf("has %g on the diagonal and %g off it", diagonal, others)}
	}
	return nil
}

// plain takes the off-diagonals for edges and what dominance leaves for ground.
func plain(l *reuse.List, a *sparse.CSR) *Graph {
	n := a.N()
	g := newGraph(l, n)
	each(n, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			cols, vals := a.Row(r)
			for i, c := range cols {
				if int(c) != r && vals[i] != 0 {
					g.Ptr[r+1]++
				}
			}
		}
	})
	for r := range n {
		g.Ptr[r+1] += g.Ptr[r]
	}
	g.Col, g.Weight = reuse.Make[int32](l, int(g.Ptr[n])), reuse.Make[float32](l, int(g.Ptr[n]))
	each(n, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			at := g.Ptr[r]
			g.Ground[r] = split(a, r, func(c int32, v float64) {
				g.Col[at], g.Weight[at] = c, float32(-v)
				at++
			})
		}
		g.SumDiagonal(lo, hi)
	})
	return g
}

// split calls f for every off-diagonal of a row and returns what is left of the diagonal beyond them, 0 where that is
// rounding.
func split(a *sparse.CSR, r int, f func(c int32, v float64)) (ground float64) {
	cols, vals := a.Row(r)
	others, diagonal := 0.0, 0.0
	for i, c := range cols {
		switch v := vals[i]; {
		case int(c) == r:
			diagonal = v
		case v != 0:
			others += math.Abs(v)
			f(c, v)
		}
	}
	if ground = diagonal - others; ground <= 0x1p-48*others {
		return 0
	}
	return ground
}

// cover builds the double cover: rows v and n+v have the same edges, with the halves changed over.
func cover(l *reuse.List, a *sparse.CSR) *Graph {
	n := a.N()
	g := newGraph(l, 2*n)
	for half := range 2 {
		for r := range n {
			v := half*n + r
			// Ascending: the first half's neighbours, then the second's.
			for side := range 2 {
				g.Ground[v] = split(a, r, func(c int32, w float64) {
					if same := side == half; same == (w < 0) {
						g.Col, g.Weight = reuse.Append(l, g.Col, c+int32(side*n)),
							reuse.Append(l, g.Weight, float32(math.Abs(w)))
					}
				})
			}
			g.Ptr[v+1] = int64(len(g.Col))
		}
	}
	g.SumDiagonal(0, 2*n)
	return g
}

// grain is the number of vertices that a worker takes at a time. It does not depend on the number of workers, so
// neither do sums per grain.
const grain = 1 << 14

// each calls f for consecutive ranges of [0, n), on all cores. part numbers the ranges.
func each(n int, f func(part, lo, hi int)) { inRanges(n, grain, f) }

// fewer is the number of rows with these entries in all that is as much work as a grain of short rows.
func fewer(rows int, entries int64) int {
	const short = 8
	return int(max(16, min(grain, grain*short*int64(rows)/max(1, entries))))
}

func inRanges(n, grain int, f func(part, lo, hi int)) {
	parts := (n + grain - 1) / grain
	workers := min(runtime.GOMAXPROCS(0), parts)
	if workers <= 1 {
		for p := range parts {
			f(p, p*grain, min(n, (p+1)*grain))
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for {
				p := int(next.Add(1)) - 1
				if p >= parts {
					return
				}
				f(p, p*grain, min(n, (p+1)*grain))
			}
		})
	}
	wait.Wait()
}

// sumOver adds f over [0, n) in an order that does not depend on the workers.
func sumOver(n int, f func(lo, hi int) float64) float64 {
	partial := make([]float64, (n+grain-1)/grain)
	each(n, func(part, lo, hi int) { partial[part] = f(lo, hi) })
	total := 0.0
	for _, v := range partial {
		total += v
	}
	return total
}
