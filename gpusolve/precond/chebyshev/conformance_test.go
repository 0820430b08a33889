package chebyshev_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/chebyshev"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

// kind of step: the precisions of entries and vectors, and the relative error of a product with random factors. Half
// precision has 11 digits: an entry, x and the product may each be wrong by 2^-12 of their size, and the result as
// well.
type kind struct {
	entries, vector mixed.Precision
	eps             float64
}

// eps64 and eps32 are rounding of FP64 and FP32 sums of a few dozen terms.
const (
	eps64 = 1e-13
	eps32 = 2e-6
	eps16 = 4 * 0x1p-11
)

var kinds = []kind{{mixed.Double, mixed.Double, eps64}, {mixed.Single, mixed.Single, eps32},
	{mixed.Half, mixed.Single, eps16}, {mixed.Half, mixed.Half, eps16}}

// probe tests the operations of a workspace.
type probe struct {
	*opstest.Probe
	m chebyshev.Operations
}

// operations runs all on symmetric matrices and on the operator of a mesh. Shapes are odd and thin: the interpreter
// takes its time.
func operations(t *testing.T, open func(testing.TB) ops.Device) {
	for _, shape := range [][3]int{{1, 1, 1}, {1, 7, 5}, {13, 7, 5}} {
		t.Run(fmt.Sprintf("%dx%dx%d", shape[0], shape[1], shape[2]), func(t *testing.T) {
			d := opstest.RandomDiagonals(rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1]))), shape, true)
			all(&opstest.NewAlgebra(t, open(t), d, d.CSR()).Probe)
		})
	}
	t.Run("mesh", func(t *testing.T) { all(&opstest.NewFixture(t, open(t), [3]int{5, 1, 3}, 1e-3).Probe) })
}

func TestOperations(t *testing.T) { operations(t, devices.Processor) }
func TestOperationsOnInterpreter(t *testing.T) {
	operations(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestOperationsWithFewRows(t *testing.T) { operations(t, devices.OnInterpreter(devices.FewRows())) }
func TestOperationsOnGPU(t *testing.T)       { operations(t, devices.OnGPU(t)) }

// all tests both forms of the matrix of a grid.
func all(on *opstest.Probe) {
	on.Helper()
	m, err := chebyshev.On(on.Work)
	if err != nil {
		on.Fatal(err)
	}
	d, err := on.Space.(ops.Forms).Diagonals()
	if err != nil {
		on.Fatal(err)
	}
	defer d.Release()
	p, a := &probe{on, m}, d.Download().CSR()
	for _, scaled := range []bool{false, true} {
		s, err := m.StoreDiagonals(d, mixed.Copies{Double: true, Single: true, Half: true, Scaled: scaled,
			PromotePlanes: true})
		if err != nil {
			p.Fatal(err)
		}
		if scaled {
			a = scaledRows(a)
		}
		p.steps(s, a)
		p.lanczos(s)
		s.Release()
	}
	if err := p.Space.Err(); err != nil {
		p.Fatal(err)
	}
}

// fill writes random values into a vector of any precision and returns them as the vector holds them.
func (p *probe) fill(v ops.Vector) []float64 {
	wide := p.Must(p.m.New64())
	p.Random(wide)
	p.m.Convert(v, wide, 1)
	return p.values(v)
}

// values reads a vector of any precision.
func (p *probe) values(v ops.Vector) []float64 {
	wide := p.Must(p.m.New64())
	p.m.Convert(wide, v, 1)
	return p.Read(wide)
}

// scaledRows is S A S with S = diag(A)^-1/2 rounded to FP32.
func scaledRows(a *sparse.CSR) *sparse.CSR {
	out := &sparse.CSR{RowPtr: a.RowPtr, Col: a.Col, Val: make([]float64, len(a.Val))}
	for r := range a.N() {
		for at := a.RowPtr[r]; at < a.RowPtr[r+1]; at++ {
			c := int(a.Col[at])
			out.Val[at] = a.Val[at] * float64(float32(1/math.Sqrt(a.At(r, r)))) *
				float64(float32(1/math.Sqrt(a.At(c, c))))
		}
	}
	return out
}

// rowSize is the largest sum of |a||x| of a row.
func rowSize(a *sparse.CSR, x []float64) float64 {
	top := 0.0
	for r := range a.N() {
		cols, vals := a.Row(r)
		sum := 0.0
		for i, c := range cols {
			sum += math.Abs(vals[i] * x[c])
		}
		top = math.Max(top, sum)
	}
	return top
}

func largest(v []float64) float64 { return floats.Norm(v, math.Inf(1)) }

// steps runs some steps of the iteration in every pair of precisions beside the recurrence in FP64 with a, the matrix
// in the form stored.
func (p *probe) steps(s mixed.Stored, a *sparse.CSR) {
	p.Helper()
	top := 0.0
	for r := range a.N() {
		top = math.Max(top, 2*a.At(r, r))
	}
	for _, k := range kinds {
		p.iteration(fmt.Sprintf("Chebyshev, entries %v, vectors %v: ", k.entries, k.vector), s, a, k, top)
	}
}

// iteration takes three steps over [top/8, top], the last of which goes back to unscaled vectors.
func (p *probe) iteration(what string, s mixed.Stored, a *sparse.CSR, k kind, top float64) {
	p.Helper()
	half := k.entries == mixed.Half
	theta := top * 9 / 16
	vec := func() ops.Vector { return p.Must(p.m.NewVector(s, k.vector)) }
	z, rest, d, next, r := vec(), vec(), vec(), vec(), vec()
	rv := p.fill(r)
	p.m.Start(s, rest, d, r, theta, half)
	left, dir := p.values(rest), p.values(d)
	// c S is what relates them; S is found by its use, c from the size.
	lift := largest(dir)
	if half && (lift < 4 || lift >= 8.01) && largest(rv) > 0 {
		p.Errorf("%sthe largest correction is %g; it must be in [4, 8)", what, lift)
	}
	eps := max(k.eps, eps64) * 8
	for i := range dir {
		if math.Abs(dir[i]-left[i]/theta) > eps*math.Abs(dir[i])+0x1p-23*float64(k.vector&mixed.Half) {
			p.Fatalf("%scorrection %d is %g, want %g", what, i, dir[i], left[i]/theta)
		}
	}
	ratio := make([]float64, len(rv)) // c S
	for i := range ratio {
		ratio[i] = left[i] / rv[i]
	}
	if k.vector == mixed.Half {
		return // what follows is FP32's, but for the rounding; whole solves test it
	}
	sum := make([]float64, len(rv))
	scale := rowSize(a, dir) + largest(left)
	for n, u := range []chebyshev.Recurrence{{Keep: 0.3, Gain: 1.7 / top, First: true}, {Keep: 0.4, Gain: 1.1 / top},
		{Keep: 0.5, Gain: 0.9 / top, Last: true}} {
		p.m.Step(s, k.entries, u, chebyshev.Iterate{Z: z, Rest: rest, D: d}, next)
		ad := make([]float64, len(dir))
		a.Multiply(ad, dir)
		for i := range sum {
			sum[i] += dir[i]
			left[i] -= ad[i]
			dir[i] = u.Keep*dir[i] + u.Gain*left[i]
		}
		if u.Last {
			p.finished(what, z, sum, dir, rv, ratio, k, top, scale)
			break
		}
		step := fmt.Sprint(what, "step ", n, ", ")
		p.Near(step+"z", p.values(z), sum, scale/top, eps)
		p.Near(step+"rest", p.values(rest), left, scale, eps)
		p.Near(step+"next", p.values(next), dir, scale/top, eps)
		// The separate step does the same after a product.
		d, next = next, d
		sum, left, dir = p.values(z), p.values(rest), p.values(d)
	}
}

// finished checks z = S (sum + dir)/c, where ratio = c S.
func (p *probe) finished(what string, z ops.Vector, sum, dir, rv, ratio []float64, k kind, top, scale float64) {
	p.Helper()
	got := p.values(z)
	// S c and S / c have the product S^2 over that of c: with S = 1, c^-2.
	c := 0.0
	for i := range got {
		v := sum[i] + dir[i]
		if math.Abs(v) < 1e-3*scale/top || math.Abs(rv[i]) < 1e-3 {
			continue
		}
		back := got[i] / v // S / c
		this := math.Sqrt(ratio[i] / back)
		if c == 0 {
			c = this
		}
		if math.Abs(this-c) > 3000*max(k.eps, 1e-6)*c {
			p.Errorf("%svalue %d comes back by another power of two: %g, others by %g", what, i, this, c)
			return
		}
	}
}

// lanczos checks noise and the purge of directions.
func (p *probe) lanczos(s mixed.Stored) {
	p.Helper()
	v, u, w := p.Must(p.m.NewVector(s, mixed.Single)), p.Must(p.m.NewVector(s, mixed.Single)),
		p.Must(p.m.NewVector(s, mixed.Single))
	p.m.Seed(v, 7)
	vv := p.Read(v)
	p.Scalar("norm of noise", p.m.Scalars().RR, floats.Dot(vv, vv), 1e-12)
	if n := len(vv); n > 300 && (math.Abs(floats.Dot(vv, vv)/float64(n)-1.0/3) > 0.1 || largest(vv) > 1) {
		p.Errorf("noise has the mean square %g and goes up to %g; want 1/3 and 1", floats.Dot(vv, vv)/float64(n),
			largest(vv))
	}
	p.m.Seed(u, 8)
	if uv := p.Read(u); len(uv) > 300 && math.Abs(floats.Dot(uv, vv))/float64(len(uv)) > 0.1 {
		p.Error("noise of two seeds is correlated")
	}
	wv, uv := p.Random(w), p.Read(u)
	for i := range wv {
		wv[i] -= 0.25*vv[i] + 1.5*uv[i]
	}
	p.m.Purge(w, v, u, 0.25, 1.5)
	p.Near("purged vector", p.Read(w), wv, 4, eps32)
	wv = p.Read(w)
	p.Scalar("norm of the purged vector", p.m.Scalars().RR, floats.Dot(wv, wv), 1e-12)
	p.m.Purge(w, v, nil, 0.5, 0)
	for i := range wv {
		wv[i] -= 0.5 * vv[i]
	}
	p.Near("once purged vector", p.Read(w), wv, 4, eps32)
}
