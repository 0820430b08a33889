package host

import (
	"fmt"

	"thermsim/gpusolve/ops"
)

// graphLevel is a graph by rows: the processor's caches make up for rows of different lengths, so it needs no segments.
type graphLevel struct {
	s        *Space
	g        *ops.Graph
	ground   []float32
	scale    []float32 // damping over the diagonal
	clusters *ops.Clusters
	inverse  []float32 // n x n, or nil
	bytes    int64
}

var _ ops.GraphLevel = (*graphLevel)(nil)

// Len is the number of vertices.
func (l *graphLevel) Len() int { return len(l.scale) }

// Bytes of the graph, its transfer and its inverse.
func (l *graphLevel) Bytes() int64 { return l.bytes }

// Layout is by rows.
func (l *graphLevel) Layout() string { return fmt.Sprintf("%d neighbours by rows", l.g.Entries()) }

func (l *graphLevel) add(bytes int) {
	l.bytes += int64(bytes)
	l.s.Account(int64(bytes))
}

// LoadGraph keeps the graph as it is.
func (s *Space) LoadGraph(g *ops.Graph, _ ops.Rows, layout ops.Layout) (ops.GraphLevel, error) {
	n := g.N()
	l := &graphLevel{s: s, g: g, ground: make([]float32, n), scale: make([]float32, n)}
	l.add(8*len(g.Ptr) + 8*len(g.Col) + 16*n)
	for v := range n {
		l.ground[v] = float32(g.Ground[v])
		if d := g.Diagonal[v]; d > 0 {
			l.scale[v] = float32(float64(layout.Damping) / d)
		}
	}
	return l, nil
}

// JoinLevels keeps the clusters.
func (s *Space) JoinLevels(fine ops.GraphLevel, c *ops.Clusters) error {
	l := fine.(*graphLevel)
	l.clusters = c
	l.add(4 * (len(c.Of) + len(c.Ptr) + len(c.Members)))
	return nil
}

// NewGraphVector makes a vector without pads.
func (s *Space) NewGraphVector(l ops.GraphLevel) (ops.Vector, error) {
	v := newVec32(l.Len(), 0)
	v.in = s.ledger
	s.Account(v.Bytes())
	return v, nil
}

// graphTask is a loop over the rows or clusters of a level.
type graphTask struct {
	l         *graphLevel
	dst, x, b []float32
	more      []float32
	body      func(t *graphTask, lo, hi int)
}

func (t *graphTask) Run(lo, hi, _ int) { t.body(t, lo, hi) }

// over runs a task over n rows of about work entries.
func (s *Space) over(n int, work int64, t *graphTask) { s.Run(t, n, int(work)) }

// GraphStart sets x = s b.
func (s *Space) GraphStart(l ops.GraphLevel, x, b ops.Vector) {
	g := l.(*graphLevel)
	s.over(g.Len(), int64(g.Len()), &graphTask{l: g, dst: x.(*vec32).values(), b: b.(*vec32).values(), body: func(t *graphTask, lo, hi int) {
		for v := lo; v < hi; v++ {
			t.dst[v] = t.l.scale[v] * t.b[v]
		}
	}})
}

// flow is row v of A x. Differences come first, so FP32 loses nothing to a large common value.
func (t *graphTask) flow(v int) float32 {
	g, own := t.l.g, t.x[v]
	sum := t.l.ground[v] * own
	for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
		sum += g.Weight[i] * (own - t.x[g.Col[i]])
	}
	return sum
}

// GraphResidual sets r = b - A x.
func (s *Space) GraphResidual(l ops.GraphLevel, r, x, b ops.Vector) {
	s.product(l, r, x, b, func(t *graphTask, lo, hi int) {
		for v := lo; v < hi; v++ {
			t.dst[v] = t.b[v] - t.flow(v)
		}
	})
}

// GraphRelax sets dst = x + s (b - A x).
func (s *Space) GraphRelax(l ops.GraphLevel, dst, x, b ops.Vector) {
	s.product(l, dst, x, b, func(t *graphTask, lo, hi int) {
		for v := lo; v < hi; v++ {
			t.dst[v] = t.x[v] + t.l.scale[v]*(t.b[v]-t.flow(v))
		}
	})
}

func (s *Space) product(l ops.GraphLevel, dst, x, b ops.Vector, body func(t *graphTask, lo, hi int)) {
	g := l.(*graphLevel)
	s.over(g.Len(), g.g.Entries(), &graphTask{l: g, dst: dst.(*vec32).values(), x: x.(*vec32).values(), b: b.(*vec32).values(), body: body})
}

// GraphRestrict sums r over clusters.
func (s *Space) GraphRestrict(fine, coarse ops.GraphLevel, b, x, r ops.Vector) {
	f, c := fine.(*graphLevel), coarse.(*graphLevel)
	t := &graphTask{l: c, dst: b.(*vec32).values(), more: x.(*vec32).values(), x: r.(*vec32).values()}
	t.body = func(t *graphTask, lo, hi int) {
		for k := lo; k < hi; k++ {
			sum := float32(0)
			for _, v := range f.clusters.Cluster(k) {
				sum += t.x[v]
			}
			t.dst[k], t.more[k] = sum, t.l.scale[k]*sum
		}
	}
	s.over(c.Len(), int64(f.Len()), t)
}

// GraphProlong adds the clusters' values.
func (s *Space) GraphProlong(fine, _ ops.GraphLevel, x, coarseX ops.Vector) {
	f := fine.(*graphLevel)
	s.over(f.Len(), int64(f.Len()), &graphTask{l: f, dst: x.(*vec32).values(), x: coarseX.(*vec32).values(), body: func(t *graphTask, lo, hi int) {
		for v := lo; v < hi; v++ {
			t.dst[v] += t.x[t.l.clusters.Of[v]]
		}
	}})
}
