// Package cmg is combinatorial multigrid for symmetric diagonally dominant matrices (Koutis, Miller and Tolliver,
// Combinatorial preconditioners and multilevel solvers for problems in computer vision and image processing, Computer
// Vision and Image Understanding 115, 2011). It looks at the matrix as a network of conductances and needs no geometry:
// clusters of bounded conductance become the vertices of a smaller network, and so on.
//
// Conductances to ground stay a number per vertex, summed over clusters.
//
// What the method runs on a device are its operations: onHost on the processor, onGPU by kernels, those of set-up made
// of cmg.cu (Kernels) and those of a cycle of segments.cu (Segments).
package cmg

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"fmt"
	"sync"
	"time"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
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
// their sizes: a refresh sets it up anew, where arrays of the same size are used again (precond.Instance) and others
// are made.
type Cycle struct {
	on      operations
	levels  []level
	doubled bool
	source  ops.Vector // double cover only: the right side and the result
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
	if device, ok := e.(coarsener); ok {
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

// Name is "cmg".
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
