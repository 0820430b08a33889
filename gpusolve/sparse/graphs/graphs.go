// Package graphs generates matrices of graphs that are not grids, for tests and benchmarks of solvers that need no
// geometry: grounded Laplacians A = L + diag(g), L of a connected graph with positive conductances w, g >= 0 the
// conductances to ground. All are symmetric positive definite and diagonally dominant, and follow from size and seed
// alone.
package graphs

import (
	"math"
	"math/rand/v2"
	"slices"

	"thermsim/gpusolve/sparse"
)

// Family is one kind of graph.
type Family struct {
	Name string
	Doc  string // what it represents
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

// Source is a right-hand side of independent normal numbers.
func Source(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 77))
	b := make([]float64, n)
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	return b
}

// net holds the off-diagonals that edges make, in any order and with repetitions, and the conductances to ground.
type net struct {
	sparse.Triplets
	ground []float64
}

func newNet(n int) *net { return &net{ground: make([]float64, n)} }

// tie adds an edge of a conductance; a loop is no edge. A negative conductance is a positive off-diagonal.
func (t *net) tie(u, v int, w float64) {
	if u != v {
		t.Add(int32(u), int32(v), -w)
		t.Add(int32(v), int32(u), -w)
	}
}

// matrix adds repeated edges up, both copies in the same order, so that it is symmetric to the bit, and grounds vertex
// 0 if nothing else is.
func (t *net) matrix() *sparse.CSR {
	if !slices.ContainsFunc(t.ground, func(g float64) bool { return g > 0 }) {
		t.ground[0] = 1
	}
	for r := range t.ground {
		t.Add(int32(r), int32(r), 0)
	}
	a, _, err := sparse.FromTriplets(len(t.ground), &t.Triplets)
	if err != nil {
		panic(err) // vertices are numbered from 0
	}
	for r, diagonal := range t.ground {
		cols, vals := a.Row(r)
		for _, v := range vals {
			diagonal += math.Abs(v)
		}
		index, _ := slices.BinarySearch(cols, int32(r))
		vals[index] = diagonal
	}
	return a
}
