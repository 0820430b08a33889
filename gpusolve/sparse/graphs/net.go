package graphs

import (
	"cmp"
	"math"
	"slices"

	"thermsim/gpusolve/sparse"
)

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
