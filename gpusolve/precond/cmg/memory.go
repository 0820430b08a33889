package cmg

import "thermsim/gpusolve/precond"

// What graphs of grids become, from experience on layered stacks: a quotient keeps this share of the vertices, with
// this mean number of neighbours.
const (
	shrink    = 0.30
	neighbour = 10.0
	// Graphs with fewer vertices are decomposed on the processor for a GPU, which keeps the rows until all is loaded.
	hostRows = 20000
)

// graph is one of a hierarchy: vertices and entries without the diagonal.
type graph struct{ n, e float64 }

// bytes of a graph as it is taken apart: pointers, neighbours with weights, grounds and diagonals.
func (g graph) bytes() float64 { return 24*g.n + 8*g.e }

func (g graph) quotient() graph {
	n := shrink * g.n
	return graph{n, min(neighbour*n, g.e)}
}

// Memory follows the setup: the matrix by rows, the graph read from it, its decomposition and quotient, its level.
// What stays are levels with vectors and, of the last, the inverse.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	top := graph{float64(s.Unknowns), float64(s.Entries - s.Unknowns)}
	direct := float64(set.Int("direct"))
	if direct == 0 {
		direct = 400
		if s.GPU {
			direct = 2048
		}
	}
	rows := s.Rows()
	held, peak := 0.0, max(float64(rows.SetUp), float64(rows.Held)+top.bytes())
	beside, working := 0.0, 76.0 // forest, weights of pieces, numbers of clusters
	if !s.GPU {
		beside, working = float64(rows.Held), 120 // the matrix stays until all is done, and so does some garbage
	}
	for g := top; ; g = g.quotient() {
		level := levelBytes(s, g)
		if g.n <= direct {
			held += level + 4*g.n*g.n
			if s.GPU && top.n <= hostRows {
				peak = max(peak, float64(rows.Held)+held+8*shrink*top.n*(1+neighbour))
			}
			return precond.Need{SetUp: int64(max(peak, held)), Held: int64(held)}
		}
		q := g.quotient()
		apart, merged := g.bytes()+working*g.n, g.bytes()+16*g.n+8*g.e+q.bytes()
		peak = max(peak, beside+held+apart, beside+held+merged, held+g.bytes()+q.bytes()+8*g.n+level)
		held += level
	}
}

// levelBytes of a graph in use: segments on a GPU, on the processor the graph itself; clusters and four vectors.
func levelBytes(s precond.Shape, g graph) float64 {
	entries := 16*g.n + 8*g.e
	if s.GPU {
		entries = 8 * max(8*g.n, g.e*1.15)
	}
	return entries + 8*g.n + 8*g.n + 12*g.n
}
