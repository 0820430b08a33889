package cmg_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

func TestSegmentsOnHost(t *testing.T) {
	testSegments(t, func(testing.TB) ops.Device { return host.Open() })
}

func TestSegmentsOnInterpreter(t *testing.T) {
	testSegments(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestSegmentsOnGPU(t *testing.T) { testSegments(t, devices.OnGPU(t)) }

// Inverses have more rows than a launch has room for blocks along y.
func TestSegmentsWithFewRows(t *testing.T) {
	testSegments(t, devices.OnInterpreter(interpreter.Options{GridRows: 2}))
}

// testSegments tests an executor's products with graphs and the transfers between them: rows without neighbours, of odd
// lengths, and of more entries than a block of threads takes, in segments of every kind.
func testSegments(t *testing.T, open func(testing.TB) ops.Device) {
	for _, c := range []struct{ n, hubs, length int }{
		{1, 0, 0}, {2, 0, 0}, {37, 0, 4}, {300, 1, 0}, {300, 3, 8}, {300, 0, 16}, {1500, 2, 4}, {700, 2, 64},
		{1300, 2, 512},
	} {
		t.Run(fmt.Sprintf("%d vertices, %d hubs, segments of %d", c.n, c.hubs, c.length), func(t *testing.T) {
			f := newLoaded(t, open(t), c.n, c.hubs, c.length)
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

// loaded is a graph on a device, beside its matrix.
type loaded struct {
	*opstest.Algebra
	a     *sparse.CSR
	g     *cmg.Graph
	on    cmg.Executor
	level cmg.Level
}

const testDamping = 0.75

// eps32 is the rounding of FP32 sums of a few dozen terms.
const eps32 = 2e-6

// newLoaded ties random pairs, leaves every seventh vertex alone, and adds hubs that touch all others.
func newLoaded(t *testing.T, d ops.Device, n, hubs, length int) *loaded {
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
	g := &cmg.Graph{Ptr: make([]int64, 1, n+1), Ground: make([]float64, n)}
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
	f := &loaded{Algebra: opstest.NewAlgebra(t, d, nil, a), a: a, g: g}
	var err error
	if f.on, err = cmg.On(f.Sys); err != nil {
		t.Fatal(err)
	}
	f.level = f.load(nil, length)
	return f
}

func (f *loaded) load(from ops.Rows, length int) cmg.Level {
	return f.loadAs(from, cmg.Layout{Damping: testDamping, Length: length})
}

func (f *loaded) loadAs(from ops.Rows, layout cmg.Layout) cmg.Level {
	l, err := f.on.Load(f.g, from, layout)
	if err != nil {
		f.Fatal(err)
	}
	return l
}

func (f *loaded) vector(l cmg.Level) ops.Vector {
	f.Helper()
	return f.Must(f.on.NewVector(l))
}

// scales are damping over the diagonal.
func (f *loaded) scales() []float64 {
	s := make([]float64, f.g.N())
	for v := range s {
		if d := f.g.Diagonal[v]; d > 0 {
			s[v] = testDamping / d
		}
	}
	return s
}

// times is A x, in FP64.
func (f *loaded) times(x []float64) []float64 {
	y := make([]float64, len(x))
	f.a.Multiply(y, x)
	return y
}

// scale of a product: its rounding is relative to sums of absolute values.
func (f *loaded) scale(x []float64) float64 {
	top := 0.0
	for r := range f.a.N() {
		cols, vals := f.a.Row(r)
		sum := 0.0
		for i, c := range cols {
			sum += math.Abs(vals[i] * x[c])
		}
		top = math.Max(top, sum)
	}
	return top
}

func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = math.Max(m, math.Abs(v))
	}
	return m
}

// products of the graph from its own arrays and of that from the matrix.
func (f *loaded) products() {
	rows, err := f.Sys.(ops.Forms).Rows()
	if err != nil {
		f.Fatal(err)
	}
	upper := f.loadAs(nil, cmg.Layout{Damping: testDamping, Upper: true})
	for _, l := range []cmg.Level{f.level, f.load(rows, 0), f.load(nil, 4), upper} {
		x, b, r, z := f.vector(l), f.vector(l), f.vector(l), f.vector(l)
		xv, bv := f.Random(x), f.Random(b)
		want, relaxed, started := f.times(xv), slices.Clone(xv), slices.Clone(bv)
		for v, s := range f.scales() {
			want[v] = bv[v] - want[v]
			relaxed[v] += s * want[v]
			started[v] *= s
		}
		f.on.Residual(l, r, x, b)
		f.Near("residual on "+l.Layout(), f.Read(r), want, f.scale(xv)+largest(bv), eps32)
		f.on.Relax(l, z, x, b)
		f.Near("relaxation on "+l.Layout(), f.Read(z), relaxed, 10, eps32)
		f.on.Start(l, z, b)
		f.Near("start", f.Read(z), started, 1+largest(started), eps32)
		// A common rise leaves no trace but at ground.
		rise := make([]float64, len(xv))
		for v := range rise {
			rise[v] = 4096
		}
		f.on.Start(l, z, b)
		f.Space.Write(x, rise)
		f.Space.Write(b, make([]float64, len(xv)))
		f.on.Residual(l, r, x, b)
		for v := range rise {
			rise[v] = -4096 * f.g.Ground[v]
		}
		f.Near("residual of a common value", f.Read(r), rise, 4096, 1e-7)
	}
	rows.Release()
}

// transfers to a level of clusters of every size: one of a hundred, the rest of one to three.
func (f *loaded) transfers() {
	n := f.g.N()
	c := &cmg.Clusters{Of: make([]int32, n), Members: make([]int32, n), Ptr: []int32{0}}
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
	small := &cmg.Graph{Ptr: make([]int64, c.N()+1), Ground: make([]float64, c.N())}
	for k := range small.Ground {
		small.Ground[k] = float64(k % 5)
	}
	small.Diagonal = small.Ground
	coarse, err := f.on.Load(small, nil, cmg.Layout{Damping: 1})
	if err != nil {
		f.Fatal(err)
	}
	if err := f.on.Join(f.level, c); err != nil {
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
	f.on.Restrict(f.level, coarse, b, x, r)
	f.Near("restriction", f.Read(b), sums, 100, eps32)
	f.Near("start from the restriction", f.Read(x), starts, 100, eps32)
	xv := f.Random(x)
	for v := range rv {
		rv[v] += xv[c.Of[v]]
	}
	f.on.Prolong(f.level, coarse, r, x)
	f.Near("prolongation", f.Read(r), rv, 10, eps32)
}

// inverse of a graph of a few dozen vertices, connected or not, some parts of it without ground.
func (f *loaded) inverse() {
	n := f.g.N()
	if n > 40 {
		return
	}
	if err := f.on.Invert(f.level); err != nil {
		f.Fatal(err)
	}
	x, b := f.vector(f.level), f.vector(f.level)
	want := f.Random(x)
	// Without ground, the part is held at zero somewhere: ask for the product alone.
	product := f.times(want)
	f.Space.Write(b, product)
	f.on.Direct(f.level, x, b)
	f.Near("product with the solution", f.times(f.Read(x)), product, f.scale(want)+largest(product), 1e-4)
}

func (f *loaded) halves() {
	n := f.g.N()
	double, err := f.on.Load(&cmg.Graph{Ptr: make([]int64, 2*n+1), Ground: make([]float64, 2*n),
		Diagonal: make([]float64, 2*n)}, nil, cmg.Layout{Damping: 1})
	if err != nil {
		f.Fatal(err)
	}
	r, d := f.vector(f.level), f.vector(double)
	rv := f.Random(r)
	f.on.Cover(d, r)
	want := slices.Clone(rv)
	for _, v := range rv {
		want = append(want, -v)
	}
	f.Near("cover", f.Read(d), want, 1, 0)
	dv := f.Random(d)
	f.on.Fold(r, d)
	for v := range rv {
		rv[v] = (dv[v] - dv[n+v]) / 2
	}
	f.Near("fold", f.Read(r), rv, 1, eps32)
}
