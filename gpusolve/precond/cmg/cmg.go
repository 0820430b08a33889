// Package cmg is combinatorial multigrid for symmetric diagonally dominant matrices (Koutis, Miller and Tolliver,
// Combinatorial preconditioners and multilevel solvers for problems in computer vision and image processing, Computer
// Vision and Image Understanding 115, 2011). It looks at the matrix as a network of conductances and needs no geometry:
// clusters of bounded conductance become the vertices of a smaller network, and so on.
//
// Conductances to ground stay a number per vertex, summed over clusters.
//
// What the method runs on a device are its operations: onHost on the processor, onGPU by kernels, those of setup made
// of cmg.cu (Kernels) and those of a cycle of segments.cu (Segments).
package cmg

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"fmt"
	"sync"
	"time"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/reuse"
)

// Options of the method; see Keys.
type Options struct {
	Kappa   float64
	Damping float64
	Repeats int // most cycles on a level for one on the finer
	Direct  int // vertices up to which a graph is solved by its inverse; 0 leaves it to the device
	Segment int // length of the segments of rows; 0 leaves it to the device
	Upper   bool
}

// DefaultDamping of the Jacobi relaxation: the spectrum of the normalised Laplacian ends at 2, so a weight below 1
// makes the cycle positive definite.
const DefaultDamping = 0.8

// DefaultRepeats bounds the cycles on a level for one on the finer. The rule of Koutis and Miller asks for 3 where
// graphs shrink by 4; on a GPU the number of visits of small levels, all of them a few kernels that take no time but
// their launch, grows by that factor at every level.
const DefaultRepeats = 2

// Keys are the settings of the method.
func Keys() []precond.Key {
	return []precond.Key{
		{Name: "kappa", Kind: precond.Number, Default: "4.5", Min: 1, Max: 1e6, Doc: "Multiple of the average " +
			"weighted degree above which a vertex may be cut off its cluster."},
		{Name: "damping", Kind: precond.Number, Default: "0.8", Min: 0.1, Max: 0.99,
			Doc: "Weight of the Jacobi relaxation."},
		{Name: "repeats", Kind: precond.Integer, Default: "2", Min: 1, Max: 8, Doc: "Most cycles on a level for one " +
			"on the finer; the rule max(ceil(nnz/nnz' - 1), 1) is kept below it."},
		{Name: "direct", Kind: precond.Integer, Default: "0", Min: 0, Max: 8192, Doc: "Vertices up to which a graph " +
			"is solved by its inverse, 0 for the device's own choice."},
		{Name: "segment", Kind: precond.Integer, Default: "0", Min: 0, Max: 512, Doc: "Length of the segments of " +
			"rows on a GPU, a power of two from 4, 0 for that which moves the fewest bytes."},
		{Name: "storage", Kind: precond.Word, Default: "full", Words: []string{"full", "upper"},
			Doc: "Whole matrices, or on a GPU their upper triangles, for comparison: slower, and not the same " +
				"bits twice."},
	}
}

// FromSettings reads the options.
func FromSettings(set precond.Settings) (Options, error) {
	o := Options{
		Kappa: set.Float("kappa"), Damping: set.Float("damping"), Repeats: set.Int("repeats"),
		Direct: set.Int("direct"), Segment: set.Int("segment"),
		Upper: set.Text("storage") == "upper",
	}
	if s := o.Segment; s != 0 && (s < 4 || s&(s-1) != 0) {
		return o, fmt.Errorf("%w: segment=%d is no power of two from 4 to 512", precond.ErrRefused, s)
	}
	return o, nil
}

// Cycle is the hierarchy on a device. Clusters follow the weights, so changed coefficients may change the levels and
// their sizes: a refresh sets it up again, where arrays of the same size are used again (precond.Instance) and others
// are made.
type Cycle struct {
	on      operations
	levels  []level
	doubled bool
	source  ops.Vector // double cover only: the right-hand side and the result
	result  ops.Vector
	options Options
	timing  timing
}

// level is a graph with its vectors. b and z of the finest come from the caller.
type level struct {
	graph      graphLevel
	b, x, z, r ops.Vector
	repeats    int
	inverse    bool
	figures    figures
}

var _ precond.Preconditioner = (*Cycle)(nil)

// New builds the hierarchy, large graphs on the device if it can and the rest on the processor.
func New(a ops.Operator, o Options) (*Cycle, error) {
	e, err := on(a)
	if err != nil {
		return nil, err
	}
	forms, err := ops.FormsOf(a)
	if err != nil {
		return nil, err
	}
	return build(e, forms, o)
}

func build(e operations, forms ops.Forms, o Options) (*Cycle, error) {
	rows, err := forms.Rows()
	if err != nil {
		return nil, err
	}
	release := sync.OnceFunc(rows.Release)
	defer release()
	if o.Direct == 0 {
		o.Direct = e.DirectRows()
	}
	c := &Cycle{on: e, options: o}
	if device, ok := e.(gpuOperations); ok {
		done, err := c.buildOnDevice(device, rows, release)
		if err != nil || done {
			return c, err
		}
	}
	start := time.Now()
	a := rows.Download()
	c.timing.copied = time.Since(start)
	start = time.Now()
	g, doubled, err := fromMatrix(e.Arrays(), a)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", precond.ErrRefused, err)
	}
	c.timing.read = time.Since(start)
	c.doubled = doubled
	if doubled {
		rows = nil
	}
	return c, c.buildOnHost(g, rows)
}

func (c *Cycle) Name() string { return "cmg" }

// Apply sets z to one cycle on A z = r, started from zero.
func (c *Cycle) Apply(z, r ops.Vector) {
	top := &c.levels[0]
	top.b, top.z = r, z
	if c.doubled {
		c.on.Cover(c.source, r)
		top.b, top.z = c.source, c.result
	}
	c.on.Start(top.graph, top.x, top.b)
	c.cycle(0, 1)
	if c.doubled {
		c.on.Fold(z, c.result)
	}
	top.b, top.z = nil, nil
}

// cycle solves level n roughly, times over, from its b to its z. x holds s b before, which is one relaxation from zero.
//
// Every cycle relaxes, corrects through the quotient and relaxes again. With damped relaxations and the Galerkin
// quotient the error operator of a cycle has its spectrum in [0, 1), and so have its powers: whatever the number of
// repeats, the preconditioner is symmetric and positive definite.
func (c *Cycle) cycle(n, times int) {
	l := &c.levels[n]
	switch last := n == len(c.levels)-1; {
	case l.inverse:
		c.on.Direct(l.graph, l.z, l.b)
		return
	case last:
		// No edges: s b is the solution. Otherwise a graph that would not shrink, and one relaxation must do.
		c.on.Start(l.graph, l.z, l.b)
		return
	}
	next := &c.levels[n+1]
	for round := range times {
		if round > 0 {
			c.on.Relax(l.graph, l.x, l.z, l.b)
		}
		c.on.Residual(l.graph, l.r, l.x, l.b)
		c.on.Restrict(l.graph, next.graph, next.b, next.x, l.r)
		c.cycle(n+1, l.repeats)
		c.on.Prolong(l.graph, next.graph, l.x, next.z)
		c.on.Relax(l.graph, l.z, l.x, l.b)
	}
}

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "cmg", Doc: "combinatorial multigrid, for any symmetric diagonally dominant matrix", Keys: Keys(),
		New: newMethod, Memory: Memory, Most: method.Always32,
	}
}

func newMethod(a ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	o, err := FromSettings(set)
	if err != nil {
		return nil, err
	}
	return method.Made(New(a, o))
}

// operations are those of the method on the device of an operator: products with graphs,
// whose rows a GPU cuts into segments of one length (segSpMV), and transfers between a graph and its quotient. Vectors
// are FP32; s below is damping over the diagonal, 0 where that is 0.
type operations interface {
	// Arrays is where what is made on the host comes from.
	Arrays() *reuse.List
	// Load lays a graph out on the device. from is the same graph's matrix there, so that it need not be copied, or
	// nil.
	Load(g *Graph, from ops.Rows, layout Layout) (graphLevel, error)
	// Join gives the transfers between a graph and its quotient.
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
