package opstest

import (
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

func (f *Fixture) state() {
	x, old := f.Must(f.Sys.New64()), f.Must(f.Sys.New64())
	f.Sys.Fill(x, 3)
	for i, v := range f.Read(x) {
		if v != 3 {
			f.Fatalf("Fill left %g at %d", v, i)
		}
	}
	a, b := f.Random(x), f.Random(old)
	top := math.Inf(-1)
	for _, v := range a {
		top = max(top, v)
	}
	f.Scalar("Max", f.Sys.Max(x), top, 0)
	for _, strange := range [][]float64{{math.NaN()}, {math.NaN(), math.Inf(1)}, {math.Inf(1), math.NaN()}} {
		bad := slices.Clone(a)
		for n, v := range strange {
			bad[(f.rng.IntN(len(bad))+n)%len(bad)] = v
		}
		bad[len(bad)/2] = math.NaN()
		f.Sys.Write(x, bad)
		if top := f.Sys.Max(x); top == top {
			f.Errorf("the maximum of values of which one is NaN is %g", top)
		}
	}
	f.Sys.Write(x, a)
	sheet := make([]float64, f.ref.nx*f.ref.ny)
	for k := range f.ref.nz {
		f.Sys.Plane(k, x, sheet)
		f.Near("Plane", sheet, a[k*len(sheet):(k+1)*len(sheet)], 1, 0)
	}
	f.faceHeat(x, a)
	if f.dt > 0 {
		want := 0.0
		for c := range a {
			want += f.ref.capacity[c] * (a[c] - b[c])
		}
		if got := f.Sys.Stored(x, old); math.Abs(got-want) > eps64*norm(f.ref.capacity)*norm(a) {
			f.Errorf("Stored is %g, want %g", got, want)
		}
	}
	f.Sys.Extrapolate(x, old, [4]ops.Vector{}, [4]float64{1})
	f.Near("old after Extrapolate", f.Read(old), a, 1, 0)
	want := make([]float64, len(a))
	for c := range want {
		want[c] = 2*a[c] - b[c]
	}
	f.Near("x after Extrapolate", f.Read(x), want, largest(want)+1, eps64)
	f.continuation(x, old)
}

// continuation checks Differences and Extrapolate on five differences. What has no weight is no number in two of the
// vectors.
func (f *Fixture) continuation(x, old ops.Vector) {
	var past [4]ops.Vector
	for n := range past {
		past[n] = f.Must(f.Sys.New32())
	}
	for _, w := range [][4]float64{{}, {1}, {2, -1}, {2.5, -2, 0.5}, {3, -4, 1.5, -0.25}, {0, -1}} {
		a, b := f.Random(x), f.Random(old)
		d := [5][]float64{make([]float64, len(a))}
		for n := range past {
			d[n+1] = f.Random(past[n])
		}
		var products, sizes [5]float64
		want := make([]float64, len(a))
		for i := range a {
			d[0][i] = float64(float32(a[i] - b[i]))
			for n := range d {
				products[n] += d[0][i] * d[n][i]
				sizes[n] += math.Abs(d[0][i] * d[n][i])
			}
			want[i] = a[i] + w[0]*(a[i]-b[i]) + w[1]*d[1][i] + w[2]*d[2][i] + w[3]*d[3][i]
		}
		for n, got := range f.Sys.Differences(x, old, past) {
			f.Near("Differences", []float64{got}, products[n:n+1], sizes[n], eps64)
		}
		for n := 1; n < len(w); n++ {
			if w[n] == 0 {
				d[n][len(a)/2] = math.NaN()
				f.Sys.Write(past[n-1], d[n])
			}
		}
		f.Sys.Extrapolate(x, old, past, w)
		f.Near("x after Extrapolate of five", f.Read(x), want, largest(want)+1, eps64)
		f.Near("old after Extrapolate of five", f.Read(old), a, 1, 0)
		f.Near("the difference after Extrapolate of five", f.Read(past[3]), d[0], 1, 0)
	}
	f.Sys.Release(past[0], past[1], past[2], past[3])
}

// faceHeat checks what leaves through each face, and that all of it is what the operator and b say: ground x - what
// boundaries bring in.
func (f *Fixture) faceHeat(x ops.Vector, a []float64) {
	heat := f.Sys.FaceHeat(x)
	balance, flows := 0.0, 0.0
	for face := range stack.Face(stack.NumFaces) {
		want, scale := 0.0, 1e-3
		for c := range a {
			if !f.ref.touches(c)[face] {
				continue
			}
			i, j, k := c%f.ref.nx, c/f.ref.nx%f.ref.ny, c/(f.ref.nx*f.ref.ny)
			d := f.m.Drive(face, i, j, k)
			q := f.ref.held[face][c]*(a[c]+f.m.Stack.Ambient-d.Temperature) - d.Flux*f.m.CellFaceArea(face, i, j, k)
			want += q
			scale += math.Abs(q)
		}
		if math.Abs(heat[face]-want) > 1e-12*scale {
			f.Errorf("heat through the %v face is %.15g W, want %.15g", face, heat[face], want)
		}
		balance += heat[face]
		flows += scale
	}
	for c, v := range a {
		balance -= f.ref.ground[c]*v - f.ref.inflow[c]
	}
	if math.Abs(balance) > 1e-12*flows {
		f.Errorf("%g W leave through the faces that the operator knows nothing of; the flows are %g W", balance, flows)
	}
}

func (f *Fixture) residual() {
	x, r := f.Must(f.Sys.New64()), f.Must(f.Sys.NewWork())
	r32 := f.Must(f.Sys.Single(r))
	eps := f.working(r, r32)
	a := f.Random(x)
	var b []float64
	if f.dt > 0 {
		f.Sys.Residual(r, r32, f.b, x) // without a state before the step, which counts as zero
		f.Near("Residual from zero", f.Read(r), f.ref.residual(a, make([]float64, len(a))),
			largest(f.ref.diagonal())*10, eps)
		old := f.Must(f.Sys.New64())
		b = f.Random(old)
		f.b.SetOld(old)
		defer f.b.SetOld(nil)
	}
	n := f.Sys.Residual(r, r32, f.b, x)
	want := f.ref.residual(a, b)
	scale := largest(f.ref.diagonal()) * 10
	f.Near("Residual", f.Read(r), want, scale, eps)
	f.Near("Residual in FP32", f.Read(r32), want, scale, eps32)
	f.Scalar("||b - A x||", n.Residual, norm(want), 1e-9)
	zero := f.ref.residual(make([]float64, len(a)), b)
	f.Scalar("||b||", n.Source, norm(zero), 1e-9)
	if low, high := 0x1p-54*norm(f.ref.apply(a)), 0x1p-50*scale*math.Sqrt(float64(len(a))); n.Floor < low/10 ||
		n.Floor > high {
		f.Errorf("rounding floor %g is outside [%g, %g]", n.Floor, low/10, high)
	}
	n = f.Sys.Residual(r, r32, f.b, nil)
	f.Near("Residual of zero", f.Read(r), zero, largest(zero), eps)
	f.Near("Residual of zero in FP32", f.Read(r32), zero, largest(zero), eps32)
	f.Scalar("||b - A 0||", n.Residual, norm(zero), 1e-9)
	f.Scalar("||b|| of zero", n.Source, norm(zero), 1e-9)
	dense := make([]float64, len(zero))
	f.b.Read(dense)
	f.Near("source", dense, zero, largest(zero), eps64)
}

// working is the rounding of vectors in working precision.
func (f *Fixture) working(w, single ops.Vector) float64 {
	if w == single {
		return eps32
	}
	return eps64
}

// Krylov checks steps of conjugate gradients on a stack of that shape.
func Krylov(t *testing.T, open func(testing.TB) ops.Device, shape [3]int) {
	NewFixture(t, open(t), shape, 0).krylov()
}

func (f *Fixture) krylov() {
	k := f.Work
	x, r, q := f.Must(f.Sys.New64()), f.Must(f.Sys.NewWork()), f.Must(f.Sys.NewWork())
	r32, z, p := f.Must(f.Sys.Single(r)), f.Must(f.Sys.New32()), f.Must(k.NewDirection())
	eps := f.working(r, r32)
	beta, oldRZ := 0.0, 0.0
	xv := f.Random(x)
	for round := range 3 {
		rv, pv := f.Random(r), f.Read(p)
		f.Sys.Write(r32, rv)
		r32v := f.Read(r32)
		f.Random(z)
		zv := f.Read(z)
		if dot(r32v, zv) < 0 { // as it never is in conjugate gradients
			for i := range zv {
				zv[i] = -zv[i]
			}
			f.Sys.Write(z, zv)
		}
		k.Dot(r32, z, round == 0)
		sc := k.Scalars()
		rz := dot(r32v, zv)
		f.Scalar("RZ", sc.RZ, rz, 1e-10)
		f.Scalar("MaxZ", sc.MaxZ, largest(zv), 0)
		if round > 0 {
			beta = rz / oldRZ
		}
		oldRZ = rz
		k.DirectionApply(p, z, q)
		want := make([]float64, len(zv))
		for i := range want {
			want[i] = zv[i] + beta*pv[i]
		}
		qv := f.Read(q)
		pq := k.Scalars().PQ
		k.Update(x, r, r32, p, z, q)
		got := f.Read(p)
		f.Near("p = z + Beta p", got, want, largest(want)+beta*largest(pv), eps32)
		f.Near("q = A p", qv, f.ref.apply(got), largest(f.ref.diagonal())*largest(got)*10, eps)
		f.Scalar("PQ", pq, dot(got, f.ref.apply(got)), max(1e-9, eps))
		alpha := rz / pq
		for i := range xv {
			xv[i] += alpha * got[i]
			rv[i] -= alpha * qv[i]
		}
		if round > 0 { // behind two steps, and behind one
			k.Settle(x, p)
			f.Near("x += Alpha p", f.Read(x), xv, largest(xv)+alpha*largest(got), 1e-9)
		}
		f.Near("r -= Alpha q", f.Read(r), rv, largest(rv)+alpha*largest(qv), max(1e-9, eps))
		f.Near("r32 = r", f.Read(r32), rv, largest(rv)+alpha*largest(qv), eps32)
		if rr, scale := k.Scalars().RR,
			largest(rv)+alpha*largest(qv); math.Abs(rr-dot(rv, rv)) > 10*eps32*float64(len(rv))*scale*scale {
			f.Errorf("RR is %g, want %g", rr, dot(rv, rv))
		}
	}
}
