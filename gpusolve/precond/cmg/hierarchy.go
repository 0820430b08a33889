package cmg

import (
	"math"
)

// maxLevels bounds the hierarchy: halving takes 31 levels at most.
const maxLevels = 32

// Step is one graph of a hierarchy and the way to the next.
type Step struct {
	Graph *Graph
	*Decomposition
	// Repeats is the number of cycles on the next level for one on this.
	Repeats int
}

// Build makes the hierarchy of quotients, until a graph has at most direct vertices or no edges. The last step has no
// decomposition.
func Build(g *Graph, kappa float64, direct, repeats int) []Step {
	var steps []Step
	for {
		if g.N() <= direct || g.Entries() == 0 || len(steps) == maxLevels-1 {
			return append(steps, Step{Graph: g})
		}
		d := Decompose(g, kappa)
		if d.N() == g.N() {
			return append(steps, Step{Graph: g})
		}
		q := Quotient(g, &d.Clusters)
		steps = append(steps, Step{g, d, visits(g, q, repeats)})
		g = q
	}
}

// sized is a graph, wherever it is.
type sized interface {
	N() int
	Entries() int64
}

// visits is t = max(ceil(nnz(A)/nnz(Q) - 1), 1), the entries with their diagonals, and at most limit.
func visits(g, q sized, limit int) int {
	ratio := float64(g.Entries()+int64(g.N())) / float64(q.Entries()+int64(q.N()))
	return min(limit, max(1, int(math.Ceil(ratio-1))))
}
