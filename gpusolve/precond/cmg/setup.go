package cmg

import (
	"fmt"
	"math"
	"strings"
	"time"

	"thermsim/gpusolve/ops"
)

// timing of a setup: the large graphs taken apart on the device, the matrix or what is left of it copied to the host
// and read there, the hierarchy built there, and taken to the device.
type timing struct{ device, copied, read, built, loaded time.Duration }

// String lists what took a millisecond or more.
func (t timing) String() string {
	var b strings.Builder
	for _, part := range []struct {
		what string
		took time.Duration
	}{
		{"large graphs taken apart on the device", t.device}, {"copied to the host", t.copied}, {"matrix read", t.read},
		{"graphs taken apart on the host", t.built}, {"loaded", t.loaded},
	} {
		if part.took >= time.Millisecond {
			fmt.Fprintf(&b, ", %s in %s", part.what, part.took.Round(time.Millisecond))
		}
	}
	return b.String()
}

// figures of a level's decomposition, for the report.
type figures struct {
	decomposed       bool
	quality, average float64
	split            int
}

// buildOnHost continues from g, whose matrix may be on the device, until a graph is small.
func (c *Cycle) buildOnHost(g *Graph, rows ops.Rows) error {
	start := time.Now()
	steps := Build(g, c.options.Kappa, c.options.Direct, c.options.Repeats)
	c.timing.built = time.Since(start)
	start = time.Now()
	for _, step := range steps {
		if err := c.loadStep(step, rows); err != nil {
			return err
		}
		rows = nil
	}
	if c.doubled {
		if err := c.on.PrepareCover(); err != nil {
			return err
		}
		for _, v := range []*ops.Vector{&c.source, &c.result} {
			var err error
			if *v, err = c.on.NewVector(c.levels[0].graph); err != nil {
				return err
			}
		}
	}
	c.timing.loaded = time.Since(start)
	return nil
}

func (c *Cycle) layout() Layout {
	return Layout{Damping: float32(c.options.Damping), Length: c.options.Segment, Upper: c.options.Upper}
}

// loadStep takes a graph to the device, as the next level.
func (c *Cycle) loadStep(step Step, rows ops.Rows) error {
	last, edges := step.Decomposition == nil, step.Graph.Entries() > 0
	l := level{repeats: step.Repeats, inverse: last && edges && step.Graph.N() <= max(c.options.Direct, 1)}
	layout := c.layout()
	layout.Upper = layout.Upper && !l.inverse
	// Vertices without edges have a diagonal matrix, and then relaxation without damping is the solution.
	if last && !edges {
		layout.Damping = 1
	}
	var err error
	if l.graph, err = c.on.Load(step.Graph, rows, layout); err != nil {
		return err
	}
	if l.inverse {
		if err := c.on.Invert(l.graph); err != nil {
			return err
		}
	}
	if d := step.Decomposition; d != nil {
		l.figures = figures{true, d.Quality, d.Average, d.Split}
		// The transfer needs nothing of the coarser level.
		if err := c.on.Join(l.graph, &d.Clusters); err != nil {
			return err
		}
	}
	return c.add(l)
}

// add appends a level with its vectors.
func (c *Cycle) add(l level) error {
	vectors := []*ops.Vector{&l.x, &l.r}
	if len(c.levels) > 0 {
		vectors = append(vectors, &l.b, &l.z)
	}
	for _, v := range vectors {
		var err error
		if *v, err = c.on.NewVector(l.graph); err != nil {
			return err
		}
	}
	c.levels = append(c.levels, l)
	return nil
}

func (c *Cycle) Timings() string { return strings.TrimLeft(c.timing.String(), ",; ") }

// Details of the hierarchy, level by level.
func (c *Cycle) Details() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d level", len(c.levels))
	if len(c.levels) > 1 {
		b.WriteString("s")
	}
	if c.doubled {
		b.WriteString(" of the double cover")
	}
	for n, l := range c.levels {
		fmt.Fprintf(&b, "\n  level %d: %d vertices, %s", n, l.graph.Len(), l.graph.Layout())
		switch f := l.figures; {
		case f.decomposed:
			fmt.Fprintf(&b, ", mean weighted degree %.2f, worst conductance >= %.3g, %d pieces split off, repeats %d",
				f.average, f.quality, f.split, l.repeats)
		case l.inverse:
			b.WriteString(", by its inverse")
		default:
			b.WriteString(", by relaxation")
		}
	}
	return b.String()
}

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

// Product is a product with the graph of a level, as benchmarks time it.
type Product struct {
	Vertices int
	Layout   string // how the graph is stored, in a few words
	PerCycle int    // products in one application of the cycle
	Bytes    int64  // what one moves at least: the graph as it is stored, and each vector once
	Run      func() // one residual; what it computes is of no use
}

// Products lists the products of the cycle by level, without the last one, which is solved by its inverse. They use the
// vectors of the cycle.
func (c *Cycle) Products() []Product {
	var all []Product
	calls, times := 1, 1
	for n := range len(c.levels) - 1 {
		l := &c.levels[n]
		b := l.b
		if n == 0 {
			b = l.r // the caller's right-hand side is not at hand
		}
		all = append(all, Product{
			Vertices: l.graph.Len(), Layout: l.graph.Layout(), PerCycle: calls * (3*times - 1),
			Bytes: l.graph.Traffic(),
			Run:   func() { c.on.Residual(l.graph, l.r, l.x, b) },
		})
		calls, times = calls*times, l.repeats
	}
	return all
}
