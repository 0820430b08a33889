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

func (s hostOperations) Start(l graphLevel, x, b ops.Vector) {
	scale, to, from := l.(*hostLevel).scale, host.Singles(x), host.Singles(b)
	s.Loop(len(scale), len(scale), func(lo, hi, _ int) {
		for v := lo; v < hi; v++ {
			to[v] = scale[v] * from[v]
		}
	})
}

// flow is row v of A x. Differences come first, so FP32 loses nothing to a large common value.
func (l *hostLevel) flow(x []float32, v int) float32 {
	g, own := l.g, x[v]
	sum := l.ground[v] * own
	for i := g.Ptr[v]; i < g.Ptr[v+1]; i++ {
		sum += g.Weight[i] * (own - x[g.Col[i]])
	}
	return sum
}

func (s hostOperations) Residual(level graphLevel, r, x, b ops.Vector) {
	l, to, at, from := level.(*hostLevel), host.Singles(r), host.Singles(x), host.Singles(b)
	s.Loop(l.Len(), int(l.g.Entries()), func(lo, hi, _ int) {
		for v := lo; v < hi; v++ {
			to[v] = from[v] - l.flow(at, v)
		}
	})
}

func (s hostOperations) Relax(level graphLevel, dst, x, b ops.Vector) {
	l, to, at, from := level.(*hostLevel), host.Singles(dst), host.Singles(x), host.Singles(b)
	s.Loop(l.Len(), int(l.g.Entries()), func(lo, hi, _ int) {
		for v := lo; v < hi; v++ {
			to[v] = at[v] + l.scale[v]*(from[v]-l.flow(at, v))
		}
	})
}

func (s hostOperations) Restrict(fine, coarse graphLevel, b, x, r ops.Vector) {
	f, c := fine.(*hostLevel), coarse.(*hostLevel)
	to, start, from := host.Singles(b), host.Singles(x), host.Singles(r)
	s.Loop(c.Len(), f.Len(), func(lo, hi, _ int) {
		for k := lo; k < hi; k++ {
			sum := float32(0)
			for _, v := range f.clusters.Cluster(k) {
				sum += from[v]
			}
			to[k], start[k] = sum, c.scale[k]*sum
		}
	})
}

func (s hostOperations) Prolong(fine, _ graphLevel, x, coarseX ops.Vector) {
	of, to, from := fine.(*hostLevel).clusters.Of, host.Singles(x), host.Singles(coarseX)
	s.Loop(len(of), len(of), func(lo, hi, _ int) {
		for v := lo; v < hi; v++ {
			to[v] += from[of[v]]
		}
	})
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
		// Nor must it make it indefinite. Where the graph is weakly tied to ground, all entries are large compared with
		// the differences between neighbours. Their rounding is then a symmetric matrix of random entries up to 2^-25
		// of them. Its norm is below 2^-24 sqrt(n) times their mean; twice that on the diagonal outweighs it.
		l.inverse[i*n+i] += float32(0x1p-23 / math.Sqrt(float64(n)) * sum)
	}
	s.Account(int64(4 * n * n))
	return nil
}

func (s hostOperations) Direct(level graphLevel, x, b ops.Vector) {
	l, to, from := level.(*hostLevel), host.Singles(x), host.Singles(b)
	n := l.Len()
	s.Loop(n, n*n, func(lo, hi, _ int) {
		for v := lo; v < hi; v++ {
			sum := 0.0
			for u, w := range l.inverse[v*n : (v+1)*n] {
				sum += float64(w) * float64(from[u])
			}
			to[v] = float32(sum)
		}
	})
}
