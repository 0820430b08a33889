package cmg

import (
	"fmt"
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// hostOperations are those on the processor.
type hostOperations struct{ *host.Space }

// onHost is the processor's part of an operator.
func onHost(a ops.Operator) (e operations, ok bool, err error) {
	s, ok := host.SpaceOf(a)
	return hostOperations{s}, ok, nil
}

// hostLevel is a graph by rows: the processor's caches make up for rows of different lengths, so it needs no segments.
type hostLevel struct {
	g        *Graph
	ground   []float32
	scale    []float32 // damping over the diagonal
	clusters *Clusters
	inverse  []float32 // n x n, or nil
}

func (l *hostLevel) Len() int { return len(l.scale) }

// Traffic of a product: rows, ground, x, b and r.
func (l *hostLevel) Traffic() int64 { return 8*l.g.Entries() + 24*int64(l.Len()) }

func (l *hostLevel) Layout() string { return fmt.Sprintf("%d neighbours by rows", l.g.Entries()) }

func (s hostOperations) Load(g *Graph, _ ops.Rows, layout Layout) (graphLevel, error) {
	l := &hostLevel{g: g}
	l.ground, l.scale = g.singles(s.Arrays(), layout.Damping)
	s.Account(int64(8*len(g.Ptr) + 8*len(g.Col) + 16*g.N()))
	return l, nil
}

func (s hostOperations) Join(fine graphLevel, c *Clusters) error {
	fine.(*hostLevel).clusters = c
	s.Account(int64(4 * (len(c.Of) + len(c.Ptr) + len(c.Members))))
	return nil
}

func (s hostOperations) NewVector(l graphLevel) (ops.Vector, error) {
	return s.NewSingles(l.Len(), 0), nil
}

func (s hostOperations) PrepareCover() error { return nil }

// graphTask is a loop over the rows or clusters of a level.
type graphTask struct {
	l         *hostLevel
	dst, x, b []float32
	more      []float32
	body      func(t *graphTask, lo, hi int)
}

func (t *graphTask) Run(lo, hi, _ int) { t.body(t, lo, hi) }

// over runs a task over n rows of about work entries.
func (s hostOperations) over(n int, work int64, t *graphTask) { s.Run(t, n, int(work)) }

func (s hostOperations) Start(l graphLevel, x, b ops.Vector) {
	g := l.(*hostLevel)
	s.over(g.Len(), int64(g.Len()),
		&graphTask{l: g, dst: host.Singles(x), b: host.Singles(b), body: func(t *graphTask, lo, hi int) {
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

func (s hostOperations) Residual(l graphLevel, r, x, b ops.Vector) {
	s.product(l, r, x, b, func(t *graphTask, lo, hi int) {
		for v := lo; v < hi; v++ {
			t.dst[v] = t.b[v] - t.flow(v)
		}
	})
}

func (s hostOperations) Relax(l graphLevel, dst, x, b ops.Vector) {
	s.product(l, dst, x, b, func(t *graphTask, lo, hi int) {
		for v := lo; v < hi; v++ {
			t.dst[v] = t.x[v] + t.l.scale[v]*(t.b[v]-t.flow(v))
		}
	})
}

func (s hostOperations) product(l graphLevel, dst, x, b ops.Vector, body func(t *graphTask, lo, hi int)) {
	g := l.(*hostLevel)
	s.over(g.Len(), g.g.Entries(), &graphTask{l: g, dst: host.Singles(dst), x: host.Singles(x), b: host.Singles(b),
		body: body})
}

func (s hostOperations) Restrict(fine, coarse graphLevel, b, x, r ops.Vector) {
	f, c := fine.(*hostLevel), coarse.(*hostLevel)
	t := &graphTask{l: c, dst: host.Singles(b), more: host.Singles(x), x: host.Singles(r)}
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

func (s hostOperations) Prolong(fine, _ graphLevel, x, coarseX ops.Vector) {
	f := fine.(*hostLevel)
	s.over(f.Len(), int64(f.Len()), &graphTask{l: f, dst: host.Singles(x), x: host.Singles(coarseX),
		body: func(t *graphTask, lo, hi int) {
			for v := lo; v < hi; v++ {
				t.dst[v] += t.x[t.l.clusters.Of[v]]
			}
		}})
}

// hostDirectRows: an inverse of 400 x 400 takes 64 million multiplications to make and fits the second-level cache.
const hostDirectRows = 400

func (s hostOperations) DirectRows() int { return hostDirectRows }

// vanished is the share of a diagonal below which a pivot is rounding: the vertex belongs to a part that has no ground.
const vanished = 1e-11

// Invert sweeps all pivots (Gauss-Jordan, in place and symmetric), in FP64. A pivot that vanishes is left out, which
// holds its vertex at zero.
func (s hostOperations) Invert(level graphLevel) error {
	l := level.(*hostLevel)
	n := l.Len()
	a := l.g.dense(s.Arrays())
	column := reuse.Make[float64](s.Arrays(), n)
	for k := range n {
		for i := range n {
			column[i] = a[i*n+k]
		}
		pivot := column[k]
		if !(pivot > vanished*l.g.Diagonal[k]) {
			for i := range n {
				a[i*n+k], a[k*n+i] = 0, 0
			}
			continue
		}
		for i := range n {
			if factor := column[i] / pivot; factor != 0 && i != k {
				row := a[i*n : (i+1)*n]
				for j, c := range column {
					row[j] -= factor * c
				}
			}
		}
		for i, c := range column {
			a[i*n+k], a[k*n+i] = c/pivot, c/pivot
		}
		a[k*n+k] = -1 / pivot
	}
	l.inverse = reuse.Make[float32](s.Arrays(), n*n)
	for i := range n {
		sum := 0.0
		for j := range n {
			// The upper half for both: rounding must not make the preconditioner unsymmetric.
			v := -a[min(i, j)*n+max(i, j)]
			l.inverse[i*n+j] = float32(v)
			sum += v
		}
		// Nor must it make it indefinite. Where little ties the graph to ground, all entries are large beside what sets
		// neighbours apart, and so is their rounding, a symmetric matrix of random entries up to 2^-25 of them: its
		// norm is below 2^-24 sqrt(n) times their mean, and twice that on the diagonal outweighs it.
		l.inverse[i*n+i] += float32(0x1p-23 / math.Sqrt(float64(n)) * sum)
	}
	s.Account(int64(4 * n * n))
	return nil
}

func (s hostOperations) Direct(level graphLevel, x, b ops.Vector) {
	l := level.(*hostLevel)
	n := l.Len()
	s.over(n, int64(n)*int64(n),
		&graphTask{l: l, dst: host.Singles(x), b: host.Singles(b), body: func(t *graphTask, lo, hi int) {
			for v := lo; v < hi; v++ {
				sum := 0.0
				row := t.l.inverse[v*n : (v+1)*n]
				for u, w := range row {
					sum += float64(w) * float64(t.b[u])
				}
				t.dst[v] = float32(sum)
			}
		}})
}
