package cmg

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/sparse"
)

// What tests of the operations see of the package.
type (
	Executor    = operations
	Coarsener   = gpuOperations
	Level       = graphLevel
	DeviceGraph = *gpuGraph
)

var (
	On    = on
	NewOn = build
)

func Defaults() Options {
	return Options{Kappa: DefaultKappa, Damping: DefaultDamping, Repeats: DefaultRepeats}
}

// Eager builds on the device down to so many rows.
func Eager(e Executor, rows int) Executor {
	g := e.(gpuOperations)
	g.least = rows
	return g
}

func FromMatrix(a *sparse.CSR) (*Graph, bool, error) { return fromMatrix(nil, a) }

// Figures of the decomposition: the least conductance, the mean weighted degree, and the pieces that were split off.
func (p *gpuPartition) Figures() (quality, average float64, split int) {
	return p.quality, p.average, p.split
}

// Clusters copies those of a graph to the host.
func (g *gpuGraph) Clusters(p *gpuPartition) *Clusters {
	c := &Clusters{Of: make([]int32, g.n), Ptr: make([]int32, p.count+1), Members: make([]int32, g.n)}
	cuda.Receive(g.s.Space, c.Of, p.of)
	cuda.Receive(g.s.Space, c.Ptr, p.first)
	cuda.Receive(g.s.Space, c.Members, p.member)
	return c
}
