package mixed_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

// kind of product: the precisions of entries and vectors, and the relative error of a product with random factors.
type kind struct {
	entries, vector mixed.Precision
	eps             float64
}

// Half precision has 11 digits: an entry, x and the product may each be wrong by 2^-12 of their size, and the result as
// well. eps64 and eps32 are rounding of FP64 and FP32 sums of a few dozen terms.
const (
	eps64 = 1e-13
	eps32 = 2e-6
	eps16 = 4 * 0x1p-11
)

func kinds(rows bool) []kind {
	all := []kind{{mixed.Double, mixed.Double, eps64}, {mixed.Single, mixed.Double, 0x1p-23},
		{mixed.Single, mixed.Single, eps32}}
	if !rows {
		all = append(all, kind{mixed.Half, mixed.Single, eps16}, kind{mixed.Half, mixed.Half, eps16})
	}
	return all
}

// probe tests the operations of a workspace in all precisions.
type probe struct {
	*opstest.Probe
	m mixed.Operations
}

func newProbe(p *opstest.Probe) *probe {
	p.Helper()
	m, err := mixed.On(p.Work)
	if err != nil {
		p.Fatal(err)
	}
	return &probe{p, m}
}

// products runs all on matrices and on the operator of a mesh. Shapes are odd and thin: the interpreter takes its time.
func products(t *testing.T, open func(testing.TB) ops.Device) {
	for _, shape := range [][3]int{{1, 1, 1}, {1, 7, 5}, {13, 7, 5}} {
		for _, symmetric := range []bool{true, false} {
			t.Run(fmt.Sprintf("%dx%dx%d,symmetric=%t", shape[0], shape[1], shape[2], symmetric), func(t *testing.T) {
				d := opstest.RandomDiagonals(rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1]))), shape,
					symmetric)
				newProbe(&opstest.NewAlgebra(t, open(t), d, d.CSR()).Probe).all(d, d.CSR())
			})
		}
	}
	for _, n := range []int{1, 2, 40} {
		t.Run(fmt.Sprintf("graph of %d", n), func(t *testing.T) {
			a := opstest.RandomGraph(rand.New(rand.NewPCG(uint64(n), 1)), n)
			newProbe(&opstest.NewAlgebra(t, open(t), nil, a).Probe).all(nil, a)
		})
	}
	t.Run("mesh", func(t *testing.T) {
		f := opstest.NewFixture(t, open(t), [3]int{5, 1, 3}, 1e-3)
		form, err := f.Sys.(ops.Forms).Diagonals()
		if err != nil {
			t.Fatal(err)
		}
		d := form.Download()
		newProbe(&f.Probe).all(d, d.CSR())
		form.Release()
	})
}

func TestProducts(t *testing.T) { products(t, devices.Processor) }
func TestProductsOnInterpreter(t *testing.T) {
	products(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestProductsWithFewRows(t *testing.T) { products(t, devices.OnInterpreter(devices.FewRows())) }
func TestProductsOnGPU(t *testing.T)       { products(t, devices.OnGPU(t)) }

// all tests products and vectors in all precisions. by is nil for a graph.
func (p *probe) all(by *sparse.Diagonals, a *sparse.CSR) {
	p.Helper()
	m, forms := p.m, p.Space.(ops.Forms)
	r, err := forms.Rows()
	if err != nil {
		p.Fatal(err)
	}
	defer r.Release()
	p.products("by rows", p.stored(m.StoreRows(r, mixed.Copies{Double: true, Single: true})), a, kinds(true), 1)
	if by == nil {
		return
	}
	d, err := forms.Diagonals()
	if err != nil {
		p.Fatal(err)
	}
	defer d.Release()
	if !by.Symmetric() {
		if _, err := m.StoreDiagonals(d, mixed.Copies{Double: true}); err == nil {
			p.Error("a matrix that is not symmetric was stored as one that is")
		}
		return
	}
	for _, byPlane := range []bool{false, true} {
		c := mixed.Copies{Double: true, Single: true, Half: true, PromotePlanes: byPlane}
		s := p.stored(m.StoreDiagonals(d, c))
		p.products(fmt.Sprint("by diagonals, promoted by plane ", byPlane), s, a, kinds(false), 1)
		s.Release()
		c.Scaled = true
		s = p.stored(m.StoreDiagonals(d, c))
		p.products(fmt.Sprint("scaled, promoted by plane ", byPlane), s, scaledRows(a), kinds(false), 1)
		s.Release()
	}
	p.vectors()
	if err := p.Space.Err(); err != nil {
		p.Fatal(err)
	}
}

func (p *probe) stored(s mixed.Stored, err error) mixed.Stored {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
	return s
}

// scaledRows is S A S with S = diag(A)^-1/2 rounded to FP32.
func scaledRows(a *sparse.CSR) *sparse.CSR {
	out := &sparse.CSR{RowPtr: a.RowPtr, Col: a.Col, Val: make([]float64, len(a.Val))}
	s := make([]float64, a.N())
	for r := range s {
		s[r] = float64(float32(1 / math.Sqrt(a.At(r, r))))
	}
	for r := range s {
		for at := a.RowPtr[r]; at < a.RowPtr[r+1]; at++ {
			out.Val[at] = a.Val[at] * s[r] * s[a.Col[at]]
		}
	}
	return out
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

func (p *probe) products(form string, s mixed.Stored, a *sparse.CSR, kinds []kind, factor float64) {
	p.Helper()
	for _, k := range kinds {
		x, y := p.Must(p.m.NewVector(s, k.vector)), p.Must(p.m.NewVector(s, k.vector))
		xv := p.fill(x)
		want := make([]float64, len(xv))
		a.Multiply(want, xv)
		what := fmt.Sprintf("%s, entries %v, vectors %v: ", form, k.entries, k.vector)
		scale := rowSize(a, xv) * factor
		p.m.Multiply(s, k.entries, y, x)
		got := p.values(y)
		p.Near(what+"product", got, want, scale, k.eps)
		if k.entries == mixed.Half && k.vector == mixed.Single {
			continue // the preconditioner's alone
		}
		q, z := p.Must(p.m.NewVector(s, k.vector)), p.Must(p.m.NewVector(s, k.vector))
		zv := p.fill(z)
		p.m.Dot(x, z, true)
		p.m.Curve(s, k.entries, q, x)
		p.Near(what+"product with its curvature", p.values(q), got, scale, k.eps)
		sc := p.m.Scalars()
		if size := floats.Norm(xv, 2) * floats.Norm(zv, 2); math.Abs(sc.RZ-floats.Dot(xv, zv)) > eps64*size {
			p.Errorf("%sr.z is %g, want %g", what, sc.RZ, floats.Dot(xv, zv))
		}
		p.Scalar(what+"max|z|", sc.MaxZ, floats.Norm(zv, math.Inf(1)), 0)
		qv := p.values(q)
		if size := floats.Norm(xv, 2) * floats.Norm(qv, 2); math.Abs(sc.PQ-floats.Dot(xv, qv)) > 1e-12*size {
			p.Errorf("%sp.q is %g, want %g", what, sc.PQ, floats.Dot(xv, qv))
		}
		p.advance(what, s, k.vector, x, q, z)
	}
}

// advance checks the turn to a new direction and the update along one, where RZ = x.z, and PQ belongs to x and q.
func (p *probe) advance(what string, s mixed.Stored, precision mixed.Precision, x, q, z ops.Vector) {
	p.Helper()
	eps := []float64{eps64, eps32, eps16}[precision]
	alpha := func() float64 {
		sc := p.m.Scalars()
		if v := sc.RZ / sc.PQ; sc.PQ > 0 && !math.IsInf(v, 0) && v == v {
			return v
		}
		return 0
	}()
	r, u := p.Must(p.m.NewVector(s, precision)), p.Must(p.m.NewVector(s, precision))
	rv, uv := p.fill(r), p.fill(u)
	xv, qv := p.values(x), p.values(q)
	var r32 ops.Vector
	if precision == mixed.Double {
		r32 = p.Must(p.m.New32())
	}
	// Along q times alpha, halves could overflow.
	if size := math.Abs(alpha) * (floats.Norm(xv, math.Inf(1)) + floats.Norm(qv, math.Inf(1))); precision ==
		mixed.Half && size > 1e4 {
		return
	}
	p.m.Update(u, r, r32, x, q)
	scale := 1 + floats.Norm(uv, math.Inf(1)) + floats.Norm(rv, math.Inf(1)) +
		math.Abs(alpha)*(floats.Norm(xv, math.Inf(1))+floats.Norm(qv, math.Inf(1)))
	for i := range uv {
		uv[i] += alpha * xv[i]
		rv[i] -= alpha * qv[i]
	}
	p.Near(what+"x", p.values(u), uv, scale, eps)
	p.Near(what+"r", p.values(r), rv, scale, eps)
	if r32 != nil {
		p.Near(what+"single r", p.Read(r32), rv, scale, eps32)
	}
	rv = p.values(r)
	p.Scalar(what+"r.r", p.m.Scalars().RR, floats.Dot(rv, rv), 1e-12)

	before := p.m.Scalars().RZ
	p.m.Dot(r, z, false)
	zv, pv := p.values(z), p.values(x)
	beta := p.m.Scalars().RZ / before
	if precision == mixed.Half && math.Abs(beta)*floats.Norm(pv, math.Inf(1)) > 1e4 {
		return
	}
	scale = floats.Norm(zv, math.Inf(1)) + math.Abs(beta)*floats.Norm(pv, math.Inf(1))
	p.m.Turn(x, z)
	for i := range pv {
		pv[i] = zv[i] + beta*pv[i]
	}
	p.Near(what+"direction", p.values(x), pv, scale, eps)
}

// vectors checks what is left: gaps, conversions, scalings, and pairs of precisions that differ.
func (p *probe) vectors() {
	p.Helper()
	a, b := p.Must(p.m.New64()), p.Must(p.m.New64())
	av, bv := p.Random(a), p.Random(b)
	sum := 0.0
	for i := range av {
		sum += (av[i] - bv[i]) * (av[i] - bv[i])
	}
	p.Scalar("gap", p.m.Gap(a, b), math.Sqrt(sum), 1e-12)

	z, d := p.Must(p.m.New32()), p.Must(p.m.New32())
	zv, dv := p.Random(z), p.Random(d)
	p.m.Dot(a, z, true)
	if size := floats.Norm(av, 2) * floats.Norm(zv, 2); math.Abs(p.m.Scalars().RZ-floats.Dot(av, zv)) > eps64*size {
		p.Errorf("r.z of FP64 and FP32 is %g, want %g", p.m.Scalars().RZ, floats.Dot(av, zv))
	}
	p.m.Turn(a, z)
	p.Near("first direction", p.Read(a), zv, 1, 0)
	p.m.Scale(b, d, a)
	for i := range zv {
		zv[i] *= dv[i]
	}
	p.Near("scaled", p.Read(b), zv, floats.Norm(zv, math.Inf(1)), eps64)
	p.m.Scale(b, nil, a)
	p.Near("copied", p.Read(b), p.Read(a), 1, 0)
	p.m.Convert(z, a, 0x1p-3)
	for i, v := range p.Read(a) {
		zv[i] = float64(float32(v / 8))
	}
	p.Near("converted", p.Read(z), zv, 1, 0)
	if c, ok := p.m.(interface{ Time(func()) (float64, error) }); !ok {
		p.Error("this device has no clock")
	} else {
		if t, err := c.Time(func() { p.m.Scale(b, d, a) }); err != nil || !(t >= 0) {
			p.Errorf("an operation took %g s: %v", t, err)
		}
	}
}

// wholeNumbers tests products whose factors, products and sums are numbers of every format: they must come out exactly.
// Promotions, scalings by powers of two and the ends of diagonals show where they are wrong.
func wholeNumbers(t *testing.T, open func(testing.TB) ops.Device) {
	for _, shape := range [][3]int{{1, 1, 1}, {1, 1, 5}, {70, 1, 1}, {1, 9, 1}, {5, 3, 4}, {67, 6, 3}} {
		nx, ny, nz := shape[0], shape[1], shape[2]
		d := sparse.NewDiagonals(nx, ny, nz)
		for c := range d.Main {
			d.Main[c] = float64(24 + c%7)
		}
		for i, band := range [][]float64{d.X, d.Y, d.Z} {
			for c := range band {
				band[c] = -float64(1 + (c*(i+3))%5)
			}
		}
		t.Run(fmt.Sprintf("%dx%dx%d", nx, ny, nz), func(t *testing.T) {
			a := d.CSR()
			f := newProbe(&opstest.NewAlgebra(t, open(t), d, a).Probe)
			m := f.m
			form, err := f.Space.(ops.Forms).Diagonals()
			if err != nil {
				t.Fatal(err)
			}
			s :=
				f.stored(
					m.StoreDiagonals(form, mixed.Copies{Double: true, Single: true, Half: true, PromotePlanes: true}))
			for _, k := range kinds(false) {
				wide, x, y := f.Must(m.New64()), f.Must(m.NewVector(s, k.vector)), f.Must(m.NewVector(s, k.vector))
				xv, want := make([]float64, d.N()), make([]float64, d.N())
				for c := range xv {
					xv[c] = float64(c%9 - 4)
				}
				f.Space.Write(wide, xv)
				m.Convert(x, wide, 1)
				a.Multiply(want, xv)
				m.Multiply(s, k.entries, y, x)
				f.Near(fmt.Sprintf("entries %v, vectors %v", k.entries, k.vector), f.values(y), want, 1, 0)
			}
		})
	}
}

func TestWholeNumbers(t *testing.T) { wholeNumbers(t, devices.Processor) }
func TestWholeNumbersOnInterpreter(t *testing.T) {
	wholeNumbers(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestWholeNumbersOnGPU(t *testing.T) { wholeNumbers(t, devices.OnGPU(t)) }
