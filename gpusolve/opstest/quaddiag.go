package opstest

import (
	"fmt"
	"math"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

// kind of product: the precisions of entries and vectors, and the relative error of a product with random factors.
type kind struct {
	entries, vector ops.Precision
	eps             float64
}

// Half precision has 11 digits: an entry, x and the product may each be wrong by 2^-12 of their size, and the result as well.
const eps16 = 4 * 0x1p-11

func kinds(rows bool) []kind {
	all := []kind{{ops.Double, ops.Double, eps64}, {ops.Single, ops.Double, 0x1p-23}, {ops.Single, ops.Single, eps32}}
	if !rows {
		all = append(all, kind{ops.Half, ops.Single, eps16}, kind{ops.Half, ops.Half, eps16})
	}
	return all
}

// mixed tests products and vectors in all precisions. by is nil for a graph.
func (p *probe) mixed(by *sparse.Diagonals, a *sparse.CSR) {
	p.Helper()
	m, ok := p.work.(ops.MixedPrecision)
	if !ok {
		p.Fatal("this device has no operations in mixed precision")
	}
	forms := p.space.(ops.Forms)
	r, err := forms.Rows()
	if err != nil {
		p.Fatal(err)
	}
	defer r.Release()
	p.products("by rows", m, p.stored(m.StoreRows(r, ops.Copies{Double: true, Single: true})), a, kinds(true), 1)
	if by == nil {
		return
	}
	d, err := forms.Diagonals()
	if err != nil {
		p.Fatal(err)
	}
	defer d.Release()
	if !by.Symmetric() {
		if _, err := m.StoreDiagonals(d, ops.Copies{Double: true}); err == nil {
			p.Error("a matrix that is not symmetric was stored as one that is")
		}
		return
	}
	for _, byPlane := range []bool{false, true} {
		c := ops.Copies{Double: true, Single: true, Half: true, PromotePlanes: byPlane}
		s := p.stored(m.StoreDiagonals(d, c))
		p.products(fmt.Sprint("by diagonals, promoted by plane ", byPlane), m, s, a, kinds(false), 1)
		if byPlane {
			p.chebyshev(s, a)
		}
		s.Release()
		c.Scaled = true
		s = p.stored(m.StoreDiagonals(d, c))
		p.products(fmt.Sprint("scaled, promoted by plane ", byPlane), m, s, scaledRows(a), kinds(false), 1)
		if byPlane {
			p.chebyshev(s, scaledRows(a))
		}
		s.Release()
	}
	p.vectors(m)
}

func (p *probe) stored(s ops.Stored, err error) ops.Stored {
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
func (p *probe) fill(m ops.MixedPrecision, v ops.Vector) []float64 {
	wide := p.must(m.New64())
	p.random(wide)
	m.MixedConvert(v, wide, 1)
	return p.values(m, v)
}

// values reads a vector of any precision.
func (p *probe) values(m ops.MixedPrecision, v ops.Vector) []float64 {
	wide := p.must(m.New64())
	m.MixedConvert(wide, v, 1)
	return p.read(wide)
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

func (p *probe) products(form string, m ops.MixedPrecision, s ops.Stored, a *sparse.CSR, kinds []kind, factor float64) {
	p.Helper()
	for _, k := range kinds {
		x, y := p.must(m.NewMixed(s, k.vector)), p.must(m.NewMixed(s, k.vector))
		xv := p.fill(m, x)
		want := make([]float64, len(xv))
		a.Multiply(want, xv)
		what := fmt.Sprintf("%s, entries %v, vectors %v: ", form, k.entries, k.vector)
		scale := rowSize(a, xv) * factor
		m.MixedMultiply(s, k.entries, y, x)
		got := p.values(m, y)
		p.near(what+"product", got, want, scale, k.eps)
		if k.entries == ops.Half && k.vector == ops.Single {
			continue // the preconditioner's alone
		}
		q, z := p.must(m.NewMixed(s, k.vector)), p.must(m.NewMixed(s, k.vector))
		zv := p.fill(m, z)
		m.MixedDot(x, z, true)
		m.MixedCurve(s, k.entries, q, x)
		p.near(what+"product with its curvature", p.values(m, q), got, scale, k.eps)
		sc := m.Scalars()
		if size := norm(xv) * norm(zv); math.Abs(sc.RZ-dot(xv, zv)) > eps64*size {
			p.Errorf("%sr.z is %g, want %g", what, sc.RZ, dot(xv, zv))
		}
		p.scalar(what+"max|z|", sc.MaxZ, largest(zv), 0)
		qv := p.values(m, q)
		if size := norm(xv) * norm(qv); math.Abs(sc.PQ-dot(xv, qv)) > 1e-12*size {
			p.Errorf("%sp.q is %g, want %g", what, sc.PQ, dot(xv, qv))
		}
		p.advance(what, m, s, k.vector, x, q, z)
	}
}

// advance checks the turn to a new direction and the update along one, where RZ = x.z, and PQ belongs to x and q.
func (p *probe) advance(what string, m ops.MixedPrecision, s ops.Stored, precision ops.Precision, x, q, z ops.Vector) {
	p.Helper()
	eps := []float64{eps64, eps32, eps16}[precision]
	alpha := func() float64 {
		sc := m.Scalars()
		if v := sc.RZ / sc.PQ; sc.PQ > 0 && !math.IsInf(v, 0) && v == v {
			return v
		}
		return 0
	}()
	r, u := p.must(m.NewMixed(s, precision)), p.must(m.NewMixed(s, precision))
	rv, uv := p.fill(m, r), p.fill(m, u)
	xv, qv := p.values(m, x), p.values(m, q)
	var r32 ops.Vector
	if precision == ops.Double {
		r32 = p.must(m.New32())
	}
	// Along q times alpha, halves could overflow.
	if size := math.Abs(alpha) * (largest(xv) + largest(qv)); precision == ops.Half && size > 1e4 {
		return
	}
	m.MixedUpdate(u, r, r32, x, q)
	scale := 1 + largest(uv) + largest(rv) + math.Abs(alpha)*(largest(xv)+largest(qv))
	for i := range uv {
		uv[i] += alpha * xv[i]
		rv[i] -= alpha * qv[i]
	}
	p.near(what+"x", p.values(m, u), uv, scale, eps)
	p.near(what+"r", p.values(m, r), rv, scale, eps)
	if r32 != nil {
		p.near(what+"single r", p.read(r32), rv, scale, eps32)
	}
	rv = p.values(m, r)
	p.scalar(what+"r.r", m.Scalars().RR, dot(rv, rv), 1e-12)

	before := m.Scalars().RZ
	m.MixedDot(r, z, false)
	zv, pv := p.values(m, z), p.values(m, x)
	beta := m.Scalars().RZ / before
	if precision == ops.Half && math.Abs(beta)*largest(pv) > 1e4 {
		return
	}
	scale = largest(zv) + math.Abs(beta)*largest(pv)
	m.MixedTurn(x, z)
	for i := range pv {
		pv[i] = zv[i] + beta*pv[i]
	}
	p.near(what+"direction", p.values(m, x), pv, scale, eps)
}

// vectors checks what is left: gaps, conversions, scalings, and pairs of precisions that differ.
func (p *probe) vectors(m ops.MixedPrecision) {
	p.Helper()
	a, b := p.must(m.New64()), p.must(m.New64())
	av, bv := p.random(a), p.random(b)
	sum := 0.0
	for i := range av {
		sum += (av[i] - bv[i]) * (av[i] - bv[i])
	}
	p.scalar("gap", m.MixedGap(a, b), math.Sqrt(sum), 1e-12)

	z, d := p.must(m.New32()), p.must(m.New32())
	zv, dv := p.random(z), p.random(d)
	m.MixedDot(a, z, true)
	if size := norm(av) * norm(zv); math.Abs(m.Scalars().RZ-dot(av, zv)) > eps64*size {
		p.Errorf("r.z of FP64 and FP32 is %g, want %g", m.Scalars().RZ, dot(av, zv))
	}
	m.MixedTurn(a, z)
	p.near("first direction", p.read(a), zv, 1, 0)
	m.MixedScale(b, d, a)
	for i := range zv {
		zv[i] *= dv[i]
	}
	p.near("scaled", p.read(b), zv, largest(zv), eps64)
	m.MixedScale(b, nil, a)
	p.near("copied", p.read(b), p.read(a), 1, 0)
	m.MixedConvert(z, a, 0x1p-3)
	for i, v := range p.read(a) {
		zv[i] = float64(float32(v / 8))
	}
	p.near("converted", p.read(z), zv, 1, 0)
	if c, ok := m.(ops.Clock); ok {
		if t, err := c.Time(func() { m.MixedScale(b, d, a) }); err != nil || !(t >= 0) {
			p.Errorf("an operation took %g s: %v", t, err)
		}
	}
}

// WholeNumbers tests products whose factors, products and sums are numbers of every format: they must come out exactly. Promotions, scalings by
// powers of two and the ends of diagonals show where they are wrong.
func WholeNumbers(t *testing.T, open func(testing.TB) ops.Device) {
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
			f := newAlgebra(t, open(t), d, d.CSR())
			m := f.work.(ops.MixedPrecision)
			form, err := f.space.(ops.Forms).Diagonals()
			if err != nil {
				t.Fatal(err)
			}
			s := f.stored(m.StoreDiagonals(form, ops.Copies{Double: true, Single: true, Half: true, PromotePlanes: true}))
			for _, k := range kinds(false) {
				wide, x, y := f.must(m.New64()), f.must(m.NewMixed(s, k.vector)), f.must(m.NewMixed(s, k.vector))
				xv, want := make([]float64, d.N()), make([]float64, d.N())
				for c := range xv {
					xv[c] = float64(c%9 - 4)
				}
				f.sys.Write(wide, xv)
				m.MixedConvert(x, wide, 1)
				f.a.Multiply(want, xv)
				m.MixedMultiply(s, k.entries, y, x)
				f.near(fmt.Sprintf("entries %v, vectors %v", k.entries, k.vector), f.values(m, y), want, 1, 0)
			}
		})
	}
}
