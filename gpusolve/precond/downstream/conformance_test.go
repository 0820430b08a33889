package downstream

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
)

func TestBound(t *testing.T)              { bounds(t, devices.Processor) }
func TestBoundOnInterpreter(t *testing.T) { bounds(t, devices.OnInterpreter(interpreter.Options{})) }
func TestBoundWithFewRows(t *testing.T)   { bounds(t, devices.OnInterpreter(devices.FewRows())) }
func TestBoundOnGPU(t *testing.T)         { bounds(t, devices.OnGPU(t)) }

// probe tests the operations of the bound.
type probe struct {
	*opstest.Fixture
	o operations
}

func bounds(t *testing.T, open func(testing.TB) ops.Device) {
	opstest.OnCooled(t, open, func(fixture *opstest.Fixture) {
		o, err := on(fixture.Sys)
		if err != nil {
			fixture.Fatal(err)
		}
		f := &probe{fixture, o}
		if slices.ContainsFunc(fixture.Sys.Mesh().Cavities, func(v *mesh.Cavity) bool { return v.Of.Central }) {
			f.elements()
			f.sweep()
		}
		f.largest()
		f.bound()
		if err := f.Sys.Err(); err != nil {
			f.Fatal(err)
		}
	})
}

func (f *probe) double() ops.Vector { return f.Must(f.Sys.New64()) }

func (f *probe) largest() {
	r := f.Must(f.Sys.New32())
	rv := f.Random(r)
	f.Scalar("largest", f.o.largest(r), floats.Norm(rv, math.Inf(1)), 0)
	bad := slices.Clone(rv)
	bad[len(bad)/2] = math.NaN()
	f.Sys.Write(r, bad)
	if v := f.o.largest(r); v == v {
		f.Errorf("the largest of values of which one is NaN is %g", v)
	}
}

func (f *probe) bound() {
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

	short := f.Must(f.Sys.New32())
	f.o.raised(short, r, d, 0.25)
	for c, v := range f.Read(short) {
		if want := math.Abs(rv[c]) + 0.25*diagonal[c]; math.Abs(v-want) > 1e-7*want {
			f.Fatalf("raised %d is %g, want %g", c, v, want)
		}
	}

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
		if got := f.o.dominates(r, d, w, firm); got != want {
			f.Errorf("dominates: %v, want %v", got, want)
		}
	}
	judge(true)
	f.o.scale(w, w, r)
	for c, v := range f.Read(w) {
		if math.Abs(v-product[c]/top) > 1e-15*v {
			f.Fatalf("weight %d is scaled to %g, want %g", c, v, product[c]/top)
		}
	}
	at := f.Rand().IntN(len(product))
	for _, bad := range [][2]float64{{0.49 * diagonal[at], 1}, {math.NaN(), 1}, {diagonal[at], 0},
		{diagonal[at], math.NaN()}} {
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
