package cmg

import "thermsim/gpusolve/ops"

// coarsener is an executor that decomposes large graphs itself and forms their quotients, as Decompose and Quotient do
// on the host: the same clusters, the same quotients. What it cannot do it leaves to the host, and says so by a false
// ok.
type coarsener interface {
	// ReadMatrix reads a matrix on the device as a graph. ok is false where it has positive off-diagonals, stored
	// zeros, or anything that is wrong with it.
	ReadMatrix(r ops.Rows) (g deviceGraph, ok bool, err error)
	// Decompose is Decompose-Graph for one value of kappa. ok is false where trees are very deep or clusters very
	// large.
	Decompose(g deviceGraph, kappa float64) (p partition, ok bool, err error)
	// Quotient is R A R^T. ok is false where a cluster has very many neighbours.
	Quotient(g deviceGraph, p partition) (q deviceGraph, ok bool, err error)
	// LoadDevice makes a level of a graph that is on the device, JoinDevice tells the transfers to the next.
	LoadDevice(g deviceGraph, layout Layout) (graphLevel, error)
	JoinDevice(fine graphLevel, p partition) error
	// DeviceRows is the size down to which the device is faster than the host.
	DeviceRows() int
}

// deviceGraph is a Graph in device memory.
type deviceGraph interface {
	N() int
	Entries() int64
	Download() *Graph
	Release()
}

// partition is a graph's Clusters in device memory.
type partition interface {
	N() int
	Download() *Clusters
	// Figures of the decomposition: the least conductance, the mean weighted degree, and the pieces that were split
	// off.
	Figures() (quality, average float64, split int)
}
