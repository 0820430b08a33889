package ops

// Coarsener is a Segments that decomposes large graphs itself and forms their quotients, as package cmg does on the host: the same clusters, the same
// quotients. What it cannot do it leaves to the host, and says so by a false ok.
type Coarsener interface {
	// ReadNetwork reads a matrix on the device as a graph. ok is false where it has positive off-diagonals, stored zeros, or anything that is wrong with it.
	ReadNetwork(r Rows) (n Network, ok bool, err error)
	// DecomposeNetwork is Decompose-Graph for one value of kappa. ok is false where trees are very deep or clusters very large.
	DecomposeNetwork(n Network, kappa float64) (p Partition, ok bool, err error)
	// QuotientNetwork is R A R^T. ok is false where a cluster has very many neighbours.
	QuotientNetwork(n Network, p Partition) (q Network, ok bool, err error)
	// LoadNetwork makes a level of a graph that is on the device, JoinNetworks tells the transfers to the next.
	LoadNetwork(n Network, layout Layout) (GraphLevel, error)
	JoinNetworks(fine GraphLevel, p Partition) error
	// NetworkRows is the size down to which the device is faster than the host.
	NetworkRows() int
}

// Network is a graph on a device.
type Network interface {
	Len() int
	Entries() int64
	Download() *Graph
	Release()
}

// Partition is a graph's clusters on a device.
type Partition interface {
	N() int
	Download() *Clusters
	// Figures of the decomposition: the least conductance, the mean weighted degree, and the pieces that were split off.
	Figures() (quality, average float64, split int)
}
