package opstest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

// Segments tests an executor's products with graphs and the transfers between them: rows without neighbours, of odd lengths, and of more entries than
// a block of threads takes, in segments of every kind.
func Segments(t *testing.T, open func(testing.TB) ops.Device) {
	for _, c := range []struct{ n, hubs, length int }{
		{1, 0, 0}, {2, 0, 0}, {37, 0, 4}, {300, 1, 0}, {300, 3, 8}, {300, 0, 16}, {1500, 2, 4}, {700, 2, 64}, {1300, 2, 512},
	} {
		t.Run(fmt.Sprintf("%d vertices, %d hubs, segments of %d", c.n, c.hubs, c.length), func(t *testing.T) {
			f := newNetwork(t, open(t), c.n, c.hubs, c.length)
			f.products()
			f.transfers()
			f.inverse()
			f.halves()
			if err := f.Sys.Err(); err != nil {
				f.Fatal(err)
			}
		})
	}
}

// network is a graph on a device, beside its matrix.
type network struct {
	*Algebra
	g     *ops.Graph
	seg   ops.Segments
	level ops.GraphLevel
}

const testDamping = 0.75

// newNetwork ties random pairs, leaves every seventh vertex alone, and adds hubs that touch all others.
func newNetwork(t *testing.T, d ops.Device, n, hubs, length int) *network {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(length)))
	weights := make([]map[int]float32, n)
	for v := range weights {
		weights[v] = map[int]float32{}
	}
	tie := func(u, v int) {
		if u != v {
			w := float32(math.Exp(4 * rng.Float64()))
			weights[u][v], weights[v][u] = w, w
		}
	}
	for range 3 * n {
		if u, v := rng.IntN(n), rng.IntN(n); u%7 > 0 && v%7 > 0 {
			tie(u, v)
		}
	}
	for h := range hubs {
		for v := range n {
			tie(h*5, v)
		}
	}
	g := &ops.Graph{Ptr: make([]int64, 1, n+1), Ground: make([]float64, n)}
	a := &sparse.CSR{RowPtr: make([]int64, 1, n+1)}
	for v, row := range weights {
		cols := []int{v}
		diagonal := 0.0
		if v%3 == 0 {
			g.Ground[v] = float64(float32(rng.Float64()))
			diagonal = g.Ground[v]
		}
		for u, w := range row {
			cols = append(cols, u)
			diagonal += float64(w)
		}
		slices.Sort(cols)
		for _, u := range cols {
			value := diagonal
			if u != v {
				g.Col, g.Weight = append(g.Col, int32(u)), append(g.Weight, row[u])
				value = -float64(row[u])
			}
			a.Col, a.Val = append(a.Col, int32(u)), append(a.Val, value)
		}
		g.Diagonal = append(g.Diagonal, diagonal)
		g.Ptr, a.RowPtr = append(g.Ptr, int64(len(g.Col))), append(a.RowPtr, int64(len(a.Col)))
	}
	f := &network{Algebra: NewAlgebra(t, d, nil, a), g: g}
	var ok bool
	if f.seg, ok = f.Space.(ops.Segments); !ok {
		t.Fatal("this device has no products with graphs")
	}
	f.level = f.load(nil, length)
	return f
}

func (f *network) load(from ops.Rows, length int) ops.GraphLevel {
	return f.loadAs(from, ops.Layout{Damping: testDamping, Length: length})
}

func (f *network) loadAs(from ops.Rows, layout ops.Layout) ops.GraphLevel {
	l, err := f.seg.LoadGraph(f.g, from, layout)
	if err != nil {
		f.Fatal(err)
	}
	return l
}

func (f *network) vector(l ops.GraphLevel) ops.Vector {
	f.Helper()
	return f.Must(f.seg.NewGraphVector(l))
}

// scales are damping over the diagonal.
func (f *network) scales() []float64 {
	s := make([]float64, f.g.N())
	for v := range s {
		if d := f.g.Diagonal[v]; d > 0 {
			s[v] = testDamping / d
		}
	}
	return s
}

// products of the graph from its own arrays and of that from the matrix.
func (f *network) products() {
	rows, err := f.Sys.(ops.Forms).Rows()
	if err != nil {
		f.Fatal(err)
	}
	upper := f.loadAs(nil, ops.Layout{Damping: testDamping, Upper: true})
	for _, l := range []ops.GraphLevel{f.level, f.load(rows, 0), f.load(nil, 4), upper} {
		x, b, r, z := f.vector(l), f.vector(l), f.vector(l), f.vector(l)
		xv, bv := f.Random(x), f.Random(b)
		want, relaxed, started := f.times(xv), slices.Clone(xv), slices.Clone(bv)
		for v, s := range f.scales() {
			want[v] = bv[v] - want[v]
			relaxed[v] += s * want[v]
			started[v] *= s
		}
		f.seg.GraphResidual(l, r, x, b)
		f.Near("residual on "+l.Layout(), f.Read(r), want, f.scale(xv)+largest(bv), eps32)
		f.seg.GraphRelax(l, z, x, b)
		f.Near("relaxation on "+l.Layout(), f.Read(z), relaxed, 10, eps32)
		f.seg.GraphStart(l, z, b)
		f.Near("start", f.Read(z), started, 1+largest(started), eps32)
		// A common rise leaves no trace but at ground.
		rise := make([]float64, len(xv))
		for v := range rise {
			rise[v] = 4096
		}
		f.seg.GraphStart(l, z, b)
		f.Space.Write(x, rise)
		f.Space.Write(b, make([]float64, len(xv)))
		f.seg.GraphResidual(l, r, x, b)
		for v := range rise {
			rise[v] = -4096 * f.g.Ground[v]
		}
		f.Near("residual of a common value", f.Read(r), rise, 4096, 1e-7)
	}
	rows.Release()
}

// transfers to a level of clusters of every size: one of a hundred, the rest of one to three.
func (f *network) transfers() {
	n := f.g.N()
	c := &ops.Clusters{Of: make([]int32, n), Members: make([]int32, n), Ptr: []int32{0}}
	for v, next := 0, 0; v < n; v = next {
		next = min(n, v+1+v%3)
		if v == 0 {
			next = min(n, 100)
		}
		for u := v; u < next; u++ {
			c.Of[u], c.Members[u] = int32(c.N()), int32(u)
		}
		c.Ptr = append(c.Ptr, int32(next))
	}
	small := &ops.Graph{Ptr: make([]int64, c.N()+1), Ground: make([]float64, c.N())}
	for k := range small.Ground {
		small.Ground[k] = float64(k % 5)
	}
	small.Diagonal = small.Ground
	coarse, err := f.seg.LoadGraph(small, nil, ops.Layout{Damping: 1})
	if err != nil {
		f.Fatal(err)
	}
	if err := f.seg.JoinLevels(f.level, c); err != nil {
		f.Fatal(err)
	}
	r, b, x := f.vector(f.level), f.vector(coarse), f.vector(coarse)
	rv := f.Random(r)
	sums, starts := make([]float64, c.N()), make([]float64, c.N())
	for k := range sums {
		for _, v := range c.Cluster(k) {
			sums[k] += rv[v]
		}
		if g := small.Ground[k]; g > 0 {
			starts[k] = sums[k] / g
		}
	}
	f.seg.GraphRestrict(f.level, coarse, b, x, r)
	f.Near("restriction", f.Read(b), sums, 100, eps32)
	f.Near("start from the restriction", f.Read(x), starts, 100, eps32)
	xv := f.Random(x)
	for v := range rv {
		rv[v] += xv[c.Of[v]]
	}
	f.seg.GraphProlong(f.level, coarse, r, x)
	f.Near("prolongation", f.Read(r), rv, 10, eps32)
}

// inverse of a graph of a few dozen vertices, connected or not, some parts of it without ground.
func (f *network) inverse() {
	n := f.g.N()
	if n > 40 {
		return
	}
	if err := f.seg.Invert(f.level); err != nil {
		f.Fatal(err)
	}
	x, b := f.vector(f.level), f.vector(f.level)
	want := f.Random(x)
	// Without ground, the part is held at zero somewhere: ask for the product alone.
	product := f.times(want)
	f.Space.Write(b, product)
	f.seg.GraphDirect(f.level, x, b)
	f.Near("product with the solution", f.times(f.Read(x)), product, f.scale(want)+largest(product), 1e-4)
}

func (f *network) halves() {
	n := f.g.N()
	double, err := f.seg.LoadGraph(&ops.Graph{Ptr: make([]int64, 2*n+1), Ground: make([]float64, 2*n), Diagonal: make([]float64, 2*n)}, nil, ops.Layout{Damping: 1})
	if err != nil {
		f.Fatal(err)
	}
	r, d := f.vector(f.level), f.vector(double)
	rv := f.Random(r)
	f.seg.Cover(d, r)
	want := slices.Clone(rv)
	for _, v := range rv {
		want = append(want, -v)
	}
	f.Near("cover", f.Read(d), want, 1, 0)
	dv := f.Random(d)
	f.seg.Fold(r, d)
	for v := range rv {
		rv[v] = (dv[v] - dv[n+v]) / 2
	}
	f.Near("fold", f.Read(r), rv, 1, eps32)
}
