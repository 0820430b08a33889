package downstream

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/interpreter"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/opstest/devices"
	"thermsim/mesh"
)

func TestStreams(t *testing.T)              { streams(t, devices.Processor) }
func TestStreamsOnInterpreter(t *testing.T) { streams(t, devices.OnInterpreter(interpreter.Options{})) }
func TestStreamsWithFewRows(t *testing.T)   { streams(t, devices.OnInterpreter(devices.FewRows())) }
func TestStreamsOnGPU(t *testing.T)         { streams(t, devices.OnGPU(t)) }

// streamProbe tests the operations of the coolant by itself.
type streamProbe struct {
	*opstest.Fixture
	o streamOperations
}

func streams(t *testing.T, open func(testing.TB) ops.Device) {
	opstest.OnCooled(t, open, func(on *opstest.Fixture) {
		f := &streamProbe{Fixture: on}
		if c, ok := cuda.CoolingOf(on.Sys); ok {
			var err error
			if f.o, err = newGPUParts(c); err != nil {
				on.Fatal(err)
			}
		} else if _, o, ok := onHost(on.Sys); ok {
			f.o = o
		} else {
			on.Fatal("no operations")
		}
		f.elements()
		f.sweep()
		f.bound()
		if err := f.Sys.Err(); err != nil {
			f.Fatal(err)
		}
	})
}

func (f *streamProbe) double() ops.Vector { return f.Must(f.Sys.New64()) }
func (f *streamProbe) single() ops.Vector { return f.Must(f.Sys.New32()) }

// Sums and differences of two numbers are exact to a rounding.
const eps = 1e-15

func (f *streamProbe) elements() {
	t, y, r, s := f.double(), f.double(), f.single(), f.single()
	rv, yv := f.Random(r), f.Random(y)
	want := make([]float64, len(rv))
	f.o.subtract(t, r, nil)
	f.Near("r", f.Read(t), rv, 1, 0)
	f.o.subtract(t, r, y)
	floats.SubTo(want, rv, yv)
	f.Near("r - y", f.Read(t), want, 10, eps)
	f.Sys.Write(t, yv)
	f.o.subtract(t, r, t)
	f.Near("r - y in place", f.Read(t), want, 10, eps)
	f.o.narrow(s, y)
	for c, v := range yv {
		want[c] = float64(float32(v))
	}
	f.Near("y in FP32", f.Read(s), want, 1, 0)
	f.o.add(y, r)
	floats.AddTo(want, yv, rv)
	f.Near("y + r", f.Read(y), want, 10, eps)
	f.Scalar("largest", f.o.largest(r), floats.Norm(rv, math.Inf(1)), 0)
	bad := slices.Clone(rv)
	bad[len(bad)/2] = math.NaN()
	f.Sys.Write(r, bad)
	if v := f.o.largest(r); v == v {
		f.Errorf("the largest of values of which one is NaN is %g", v)
	}
}

// sweep compares with elimination of each line's own rows, which are taken from products with unit vectors.
func (f *streamProbe) sweep() {
	z, t := f.double(), f.double()
	zv, tv := f.Random(z), f.Random(t)
	want := slices.Clone(zv)
	for _, v := range f.Sys.Mesh().Cavities {
		for line, wet := range v.Lines {
			if !wet {
				continue
			}
			cells := f.line(v, line)
			rows := make([][]float64, len(cells))
			for n := range rows {
				rows[n] = make([]float64, len(cells)+1)
				rows[n][len(cells)] = tv[cells[n]]
			}
			for col, c := range cells {
				unit := make([]float64, len(zv))
				unit[c] = 1
				for n, v := range f.Times(unit) {
					if row := slices.Index(cells, n); row >= 0 {
						rows[row][col] = v
					}
				}
			}
			for n, v := range gauss(rows) {
				want[cells[n]] += v
			}
		}
	}
	f.o.sweep(z, t)
	f.Near("z after a sweep", f.Read(z), want, floats.Norm(want, math.Inf(1)), 1e-11)
}

// line has the cells of a line in the order of the flow.
func (f *streamProbe) line(v *mesh.Cavity, line int) (cells []int) {
	nx, ny, _ := f.Shape()
	for at := range nx * ny {
		if v.Line(at%nx, at/nx) == line {
			cells = append(cells, v.Fluid*nx*ny+at)
		}
	}
	if v.Backward {
		slices.Reverse(cells)
	}
	return cells
}

// gauss solves a dense system, the right side in the last column, with exchange of rows.
func gauss(a [][]float64) []float64 {
	n := len(a)
	for p := range n {
		best := p
		for r := p; r < n; r++ {
			if math.Abs(a[r][p]) > math.Abs(a[best][p]) {
				best = r
			}
		}
		a[p], a[best] = a[best], a[p]
		for r := p + 1; r < n; r++ {
			if m := a[r][p] / a[p][p]; m != 0 {
				floats.AddScaled(a[r][p:], -m, a[p][p:])
			}
		}
	}
	x := make([]float64, n)
	for p := n - 1; p >= 0; p-- {
		x[p] = (a[p][n] - floats.Dot(a[p][p+1:n], x[p+1:])) / a[p][p]
	}
	return x
}

func (f *streamProbe) bound() {
	r, d, w := f.double(), f.double(), f.double()
	f.o.diagonal(d)
	diagonal := f.Read(d)
	f.Near("diagonal", diagonal, f.Diagonal(), floats.Norm(diagonal, math.Inf(1)), 1e-14)
	for c, v := range diagonal {
		if math.Abs(v-f.Diagonal()[c]) > 1e-13*v {
			f.Fatalf("diagonal %d is %g, want %g", c, v, f.Diagonal()[c])
		}
	}
	rv := f.Random(r)
	most := 0.0
	for c, v := range rv {
		most = math.Max(most, math.Abs(v)/diagonal[c])
	}
	f.Scalar("most", f.o.most(r, d), most, 1e-15)

	product, weight := make([]float64, len(rv)), make([]float64, len(rv))
	top := 0.0
	for c := range product {
		product[c], weight[c] = diagonal[c]*(firm+f.Rand().Float64()), f.Rand().Float64()+1e-3
		top = math.Max(top, weight[c])
	}
	judge := func(want bool) {
		f.Helper()
		f.Sys.Write(r, product)
		f.Sys.Write(w, weight)
		if got := f.o.dominates(r, d, w); got != want {
			f.Errorf("dominates: %v, want %v", got, want)
		}
	}
	judge(true)
	f.o.scale(w, r)
	for c, v := range f.Read(w) {
		if math.Abs(v-product[c]/top) > 1e-15*v {
			f.Fatalf("weight %d is scaled to %g, want %g", c, v, product[c]/top)
		}
	}
	at := f.Rand().IntN(len(product))
	for _, bad := range [][2]float64{{0.49 * diagonal[at], 1}, {math.NaN(), 1}, {diagonal[at], 0}, {diagonal[at], math.NaN()}} {
		kept := [2]float64{product[at], weight[at]}
		product[at], weight[at] = bad[0], bad[1]
		judge(false)
		product[at], weight[at] = kept[0], kept[1]
	}
	rv[at] = math.NaN()
	f.Sys.Write(r, rv)
	if v := f.o.most(r, d); v == v {
		f.Errorf("the most of values of which one is NaN is %g", v)
	}
}
