// Package graphs generates matrices of graphs that are not grids, for tests and benchmarks of solvers that need no
// geometry: grounded Laplacians A = L + diag(g), L of a connected graph with positive conductances w, g >= 0 the
// conductances to ground. All are symmetric positive definite and diagonally dominant, and follow from size and seed
// alone.
package graphs

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"thermsim/gpusolve/sparse"
)

// Family is one kind of graph.
type Family struct {
	Name string
	Doc  string // what it stands for
	// Signed marks matrices that also have positive off-diagonals: not Laplacians, but diagonally dominant all the
	// same.
	Signed bool
	build  func(n int, rng *rand.Rand) *net
}

// Build makes the matrix of a graph of about n vertices; n is at least MinVertices.
func (f Family) Build(n int, seed uint64) *sparse.CSR {
	rng := rand.New(rand.NewPCG(seed, uint64(len(f.Name))))
	return f.build(max(n, MinVertices), rng).matrix()
}

// MinVertices is the smallest graph.
const MinVertices = 64

// All lists the families: ten Laplacians, then the signed one.
func All() []Family {
	return []Family{
		{Name: "powerlaw", Doc: "preferential attachment, 4 edges a vertex: hubs of thousands of neighbours",
			build: powerLaw},
		{Name: "planar", Doc: "random Apollonian network: planar, with hubs", build: apollonian},
		{Name: "expander", Doc: "three random cycles through all vertices: degree 6, no small cuts", build: expander},
		{Name: "road", Doc: "thinned lattice of subdivided roads: long chains, few loops", build: road},
		{Name: "powergrid", Doc: "metal layers of stripes, vias at crossings, pads on top, in the manner of the " +
			"ibmpg benchmarks", build: powerGrid},
		{Name: "smallworld", Doc: "ring of neighbours with a tenth of the edges rewired", build: smallWorld},
		{Name: "geometric", Doc: "random points in a square, near ones tied by 1/distance", build: geometric},
		{Name: "cloud", Doc: "random points in a cube, each tied to its 6 or so nearest by 1/distance^2: an " +
			"unstructured mesh", build: cloud},
		{Name: "tree", Doc: "random recursive tree with weights over six decades and a twentieth of loops",
			build: tree},
		{Name: "communities", Doc: "dense groups of 50 with ties a ten-thousandth as strong between them",
			build: communities},
		{Name: "signed", Doc: "random 4-regular graph, a quarter of its off-diagonals positive", Signed: true,
			build: signed},
	}
}

// Source is a right side of independent normal numbers.
func Source(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 77))
	b := make([]float64, n)
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	return b
}

// edge ties two vertices by a conductance. A negative one is a positive off-diagonal.
type edge struct {
	u, v int32
	w    float64
}

// net is a list of edges, in any order and with repetitions, and the conductances to ground.
type net struct {
	edges  []edge
	ground []float64
}

func newNet(n int) *net { return &net{ground: make([]float64, n)} }

// tie adds an edge; a loop is no edge.
func (t *net) tie(u, v int, w float64) {
	if u != v {
		t.edges = append(t.edges, edge{int32(u), int32(v), w})
	}
}

// matrix adds repeated edges up and grounds vertex 0 if nothing else is.
func (t *net) matrix() *sparse.CSR {
	n := len(t.ground)
	both := make([]edge, 0, 2*len(t.edges))
	for _, e := range t.edges {
		both = append(both, e, edge{e.v, e.u, e.w})
	}
	// Stable, so that both copies of an edge are summed in the same order and the matrix is symmetric to the bit.
	slices.SortStableFunc(both, func(a, b edge) int {
		if a.u != b.u {
			return cmp.Compare(a.u, b.u)
		}
		return cmp.Compare(a.v, b.v)
	})
	if !slices.ContainsFunc(t.ground, func(g float64) bool { return g > 0 }) {
		t.ground[0] = 1
	}
	a := &sparse.CSR{RowPtr: make([]int64, n+1)}
	for r, at := 0, 0; r < n; r++ {
		start := len(a.Col)
		for ; at < len(both) && int(both[at].u) == r; at++ {
			e := both[at]
			if last := len(a.Col) - 1; last >= start && a.Col[last] == e.v {
				a.Val[last] -= e.w
				continue
			}
			a.Col, a.Val = append(a.Col, e.v), append(a.Val, -e.w)
		}
		diagonal := t.ground[r]
		for _, v := range a.Val[start:] {
			diagonal += math.Abs(v)
		}
		place, _ := slices.BinarySearch(a.Col[start:], int32(r))
		a.Col = slices.Insert(a.Col, start+place, int32(r))
		a.Val = slices.Insert(a.Val, start+place, diagonal)
		a.RowPtr[r+1] = int64(len(a.Col))
	}
	return a
}
