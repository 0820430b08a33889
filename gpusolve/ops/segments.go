package ops

// Segments holds the operations of combinatorial multigrid: products with graphs, whose rows a GPU cuts into segments of one length (segSpMV),
// and transfers between a graph and its quotient. Vectors are FP32; s below is damping over the diagonal, 0 where that is 0.
type Segments interface {
	// LoadGraph lays a graph out on the device. from is the same graph's matrix there, so that it need not be copied, or nil.
	LoadGraph(g *Graph, from Rows, layout Layout) (GraphLevel, error)
	// JoinLevels tells the transfers between a graph and its quotient.
	JoinLevels(fine GraphLevel, c *Clusters) error
	// NewGraphVector makes a vector on a level.
	NewGraphVector(l GraphLevel) (Vector, error)
	// Invert computes the inverse of A in place of products with it, for small graphs. Where A is singular, one vertex of each part without ground
	// is held at zero.
	Invert(l GraphLevel) error
	// DirectRows is the size up to which Invert pays.
	DirectRows() int

	// GraphStart sets x = s b.
	GraphStart(l GraphLevel, x, b Vector)
	// GraphResidual sets r = b - A x.
	GraphResidual(l GraphLevel, r, x, b Vector)
	// GraphRelax sets dst = x + s (b - A x); dst is not x.
	GraphRelax(l GraphLevel, dst, x, b Vector)
	// GraphRestrict sets b of the quotient to the sums of r over clusters, and x to s b.
	GraphRestrict(fine, coarse GraphLevel, b, x, r Vector)
	// GraphProlong adds to every x the value of its cluster.
	GraphProlong(fine, coarse GraphLevel, x, coarseX Vector)
	// GraphDirect sets x = A^-1 b.
	GraphDirect(l GraphLevel, x, b Vector)
	// Cover sets the halves of dst to r and -r, Fold sets z to half the difference of the halves of src.
	Cover(dst, r Vector)
	Fold(z, src Vector)
}

// GraphLevel is a graph on a device.
type GraphLevel interface {
	Len() int
	Bytes() int64
	// Layout says how it is stored, in a few words.
	Layout() string
}

// Layout is how a graph is stored and relaxed.
type Layout struct {
	Damping float32
	// Length of the segments, a power of two from 4 to 512; 0 leaves it to the device.
	Length int
	// Upper asks a GPU to keep the upper triangle only and to add the other half of the products atomically: in any order, so that results
	// differ by rounding from run to run. It is there to be compared with.
	Upper bool
}
