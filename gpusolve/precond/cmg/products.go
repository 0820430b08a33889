package cmg

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
			b = l.r // the caller's right side is not at hand
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
