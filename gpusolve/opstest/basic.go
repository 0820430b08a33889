package opstest

import (
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

func (f *fixture) state() {
	x, old := f.must(f.sys.New64()), f.must(f.sys.New64())
	f.sys.Fill(x, 3)
	for i, v := range f.read(x) {
		if v != 3 {
			f.Fatalf("Fill left %g at %d", v, i)
		}
	}
	a, b := f.random(x), f.random(old)
	top := math.Inf(-1)
	for _, v := range a {
		top = max(top, v)
	}
	f.scalar("Max", f.sys.Max(x), top, 0)
	sheet := make([]float64, f.ref.nx*f.ref.ny)
	for k := range f.ref.nz {
		f.sys.Plane(k, x, sheet)
		f.near("Plane", sheet, a[k*len(sheet):(k+1)*len(sheet)], 1, 0)
	}
	f.faceHeat(x, a)
	if f.dt > 0 {
		want := 0.0
		for c := range a {
			want += f.ref.capacity[c] * (a[c] - b[c])
		}
		if got := f.sys.Stored(x, old); math.Abs(got-want) > eps64*norm(f.ref.capacity)*norm(a) {
			f.Errorf("Stored is %g, want %g", got, want)
		}
	}
	f.sys.Extrapolate(x, old, nil, false)
	f.near("old after Extrapolate", f.read(old), a, 1, 0)
	want := make([]float64, len(a))
	for c := range want {
		want[c] = 2*a[c] - b[c]
	}
	f.near("x after Extrapolate", f.read(x), want, largest(want)+1, eps64)
	older := f.must(f.sys.New64())
	for _, quadratic := range []bool{false, true} {
		a, b, c := f.random(x), f.random(old), f.random(older)
		for i := range want {
			want[i] = 2*a[i] - b[i]
			if quadratic {
				want[i] = 3*a[i] - 3*b[i] + c[i]
			}
		}
		f.sys.Extrapolate(x, old, older, quadratic)
		f.near("x after Extrapolate of three", f.read(x), want, largest(want)+1, eps64)
		f.near("old after Extrapolate of three", f.read(old), a, 1, 0)
		f.near("older after Extrapolate of three", f.read(older), b, 1, 0)
	}
}

// faceHeat checks what leaves through each face, and that all of it is what the operator and b say: ground x - what boundaries bring in.
func (f *fixture) faceHeat(x ops.Vector, a []float64) {
	heat := f.sys.FaceHeat(x)
	balance, flows := 0.0, 0.0
	for face := range stack.Face(stack.NumFaces) {
		want, scale := 0.0, 1e-3
		b := f.m.Stack.Boundary[face]
		for c := range a {
			if !f.ref.touches(c)[face] {
				continue
			}
			q := f.ref.held[face][c] * (a[c] + f.m.Stack.Ambient - b.Temperature)
			if b.Kind == stack.HeatFlux {
				q = -b.Flux * f.m.CellFaceArea(face, c%f.ref.nx, c/f.ref.nx%f.ref.ny, c/(f.ref.nx*f.ref.ny))
			}
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

func (f *fixture) residual() {
	x, r := f.must(f.sys.New64()), f.must(f.sys.NewWork())
	r32 := f.must(f.sys.Single(r))
	eps := f.working(r, r32)
	a := f.random(x)
	var b []float64
	if f.dt > 0 {
		f.sys.Residual(r, r32, f.b, x) // without a state before the step, which counts as zero
		f.near("Residual from zero", f.read(r), f.ref.residual(a, make([]float64, len(a))), largest(f.ref.diagonal())*10, eps)
		old := f.must(f.sys.New64())
		b = f.random(old)
		f.b.SetOld(old)
		defer f.b.SetOld(nil)
	}
	n := f.sys.Residual(r, r32, f.b, x)
	want := f.ref.residual(a, b)
	scale := largest(f.ref.diagonal()) * 10
	f.near("Residual", f.read(r), want, scale, eps)
	f.near("Residual in FP32", f.read(r32), want, scale, eps32)
	f.scalar("||b - A x||", n.Residual, norm(want), 1e-9)
	zero := f.ref.residual(make([]float64, len(a)), b)
	f.scalar("||b||", n.Source, norm(zero), 1e-9)
	if low, high := 0x1p-54*norm(f.ref.apply(a)), 0x1p-50*scale*math.Sqrt(float64(len(a))); n.Floor < low/10 || n.Floor > high {
		f.Errorf("rounding floor %g is outside [%g, %g]", n.Floor, low/10, high)
	}
	n = f.sys.Residual(r, r32, f.b, nil)
	f.near("Residual of zero", f.read(r), zero, largest(zero), eps)
	f.near("Residual of zero in FP32", f.read(r32), zero, largest(zero), eps32)
	f.scalar("||b - A 0||", n.Residual, norm(zero), 1e-9)
	f.scalar("||b|| of zero", n.Source, norm(zero), 1e-9)
	dense := make([]float64, len(zero))
	f.b.Read(dense)
	f.near("source", dense, zero, largest(zero), eps64)
}

// working is the rounding of vectors in working precision.
func (f *fixture) working(w, single ops.Vector) float64 {
	if w == single {
		return eps32
	}
	return eps64
}

func (f *fixture) krylov() {
	k := f.work
	x, r, q := f.must(f.sys.New64()), f.must(f.sys.NewWork()), f.must(f.sys.NewWork())
	r32, z, p := f.must(f.sys.Single(r)), f.must(f.sys.New32()), f.must(k.NewDirection())
	eps := f.working(r, r32)
	beta, oldRZ := 0.0, 0.0
	for round := range 3 {
		xv, rv, pv := f.random(x), f.random(r), f.read(p)
		f.sys.Write(r32, rv)
		r32v := f.read(r32)
		f.random(z)
		zv := f.read(z)
		if dot(r32v, zv) < 0 { // as it never is in conjugate gradients
			for i := range zv {
				zv[i] = -zv[i]
			}
			f.sys.Write(z, zv)
		}
		k.Dot(r32, z, round == 0)
		sc := k.Scalars()
		rz := dot(r32v, zv)
		f.scalar("RZ", sc.RZ, rz, 1e-10)
		f.scalar("MaxZ", sc.MaxZ, largest(zv), 0)
		if round > 0 {
			beta = rz / oldRZ
		}
		oldRZ = rz
		k.DirectionApply(p, z, q)
		want := make([]float64, len(zv))
		for i := range want {
			want[i] = zv[i] + beta*pv[i]
		}
		qv := f.read(q)
		pq := k.Scalars().PQ
		k.Update(x, r, r32, p, z, q)
		got := f.read(p)
		f.near("p = z + Beta p", got, want, largest(want)+beta*largest(pv), eps32)
		f.near("q = A p", qv, f.ref.apply(got), largest(f.ref.diagonal())*largest(got)*10, eps)
		f.scalar("PQ", pq, dot(got, f.ref.apply(got)), max(1e-9, eps))
		alpha := rz / pq
		for i := range xv {
			xv[i] += alpha * got[i]
			rv[i] -= alpha * qv[i]
		}
		f.near("x += Alpha p", f.read(x), xv, largest(xv)+alpha*largest(got), 1e-9)
		f.near("r -= Alpha q", f.read(r), rv, largest(rv)+alpha*largest(qv), max(1e-9, eps))
		f.near("r32 = r", f.read(r32), rv, largest(rv)+alpha*largest(qv), eps32)
		if rr, scale := k.Scalars().RR, largest(rv)+alpha*largest(qv); math.Abs(rr-dot(rv, rv)) > 10*eps32*float64(len(rv))*scale*scale {
			f.Errorf("RR is %g, want %g", rr, dot(rv, rv))
		}
	}
}

func (f *fixture) diagonal() {
	d, ok := f.sys.(ops.Diagonal)
	if !ok {
		f.Error("no diagonal operations")
		return
	}
	inverse, z, r := f.must(f.sys.New32()), f.must(f.sys.New32()), f.must(f.sys.New32())
	rv := f.random(r)
	d.InverseDiagonal(inverse)
	d.Scale(z, inverse, r)
	for i, v := range f.ref.diagonal() {
		f.scalar("D^-1 r", f.read(z)[i], rv[i]/v, eps32)
	}
	d.Scale(z, nil, r)
	f.near("copy of r", f.read(z), rv, 1, 0)
}
