package cmg

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/reuse"
)

// operations are those of the method on the device of an operator: products with graphs,
// whose rows a GPU cuts into segments of one length (segSpMV), and transfers between a graph and its quotient. Vectors
// are FP32; s below is damping over the diagonal, 0 where that is 0.
type operations interface {
	// Arrays is where what is made on the host comes from.
	Arrays() *reuse.List
	// Load lays a graph out on the device. from is the same graph's matrix there, so that it need not be copied, or
	// nil.
	Load(g *Graph, from ops.Rows, layout Layout) (graphLevel, error)
	// Join tells the transfers between a graph and its quotient.
	Join(fine graphLevel, c *Clusters) error
	// NewVector makes a vector on a level.
	NewVector(l graphLevel) (ops.Vector, error)
	// Invert computes the inverse of A in place of products with it, for small graphs. Where A is singular, one vertex
	// of each part without ground is held at zero.
	Invert(l graphLevel) error
	// DirectRows is the size up to which Invert pays.
	DirectRows() int

	// Start sets x = s b.
	Start(l graphLevel, x, b ops.Vector)
	// Residual sets r = b - A x.
	Residual(l graphLevel, r, x, b ops.Vector)
	// Relax sets dst = x + s (b - A x); dst is not x.
	Relax(l graphLevel, dst, x, b ops.Vector)
	// Restrict sets b of the quotient to the sums of r over clusters, and x to s b.
	Restrict(fine, coarse graphLevel, b, x, r ops.Vector)
	// Prolong adds to every x the value of its cluster.
	Prolong(fine, coarse graphLevel, x, coarseX ops.Vector)
	// Direct sets x = A^-1 b.
	Direct(l graphLevel, x, b ops.Vector)
	// PrepareCover brings the kernels of Cover and Fold, which an iteration that is recorded must not load.
	PrepareCover() error
	// Cover sets the halves of dst to r and -r, Fold sets z to half the difference of the halves of src.
	Cover(dst, r ops.Vector)
	Fold(z, src ops.Vector)
}

// on has the operations on an operator, by the processor's part of it or a GPU's.
func on(a ops.Operator) (operations, error) {
	return precond.On(a, "combinatorial multigrid", onHost, onGPU)
}

// graphLevel is a graph on a device, laid out for products.
type graphLevel interface {
	Len() int
	Bytes() int64
	// Traffic is what a product moves at least: the graph as it is stored, and each vector once.
	Traffic() int64
	// Layout says how it is stored, in a few words.
	Layout() string
}

// Layout is how a graph is stored and relaxed.
type Layout struct {
	Damping float32
	// Length of the segments, a power of two from 4 to 512; 0 leaves it to the device.
	Length int
	// Upper asks a GPU to keep the upper triangle only and to add the other half of the products atomically: in any
	// order, so that results differ by rounding from run to run. It is there to be compared with.
	Upper bool
}
