package multigrid_test

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"thermsim/gpusolve/precond/multigrid"
)

// transfers checks restriction and interpolation by what defines them: constants are interpolated exactly, the one is
// the other's adjoint, and restriction sees b - A x.
func (f *probe) transfers(fine multigrid.Level, how multigrid.Coarsening) {
	coarse, err := f.m.Coarsen(fine, how)
	if err != nil {
		f.Fatal(err)
	}
	nx, ny, nz := coarse.Shape()
	if wx, wy := how.X.Coarse(f.nx), how.Y.Coarse(f.ny); nx != wx || ny != wy || nz != f.nz {
		f.Fatalf("coarse level is %dx%dx%d, want %dx%dx%d", nx, ny, nz, wx, wy, f.nz)
	}
	x, b, zero := f.Must(f.m.NewVector(fine)), f.Must(f.m.NewVector(fine)), f.Must(f.m.NewVector(fine))
	xc, bc := f.Must(f.m.NewVector(coarse)), f.Must(f.m.NewVector(coarse))

	ones := make([]float64, xc.Len())
	for i := range ones {
		ones[i] = 1
	}
	f.Sys.Write(xc, ones)
	f.m.Prolong(fine, coarse, x, xc)
	for i, v := range f.Read(x) {
		if math.Abs(v-1) > eps32 {
			f.Fatalf("Prolong turns 1 into %g at %d", v, i)
		}
	}

	bv, xcv := f.Random(b), f.Random(xc)
	f.m.RestrictStart(fine, coarse, bc, b, zero, 0)
	xv := f.Random(x)
	before := append([]float64(nil), xv...)
	f.m.Prolong(fine, coarse, x, xc)
	after := f.Read(x)
	for i := range after {
		after[i] -= before[i]
	}
	left, right := floats.Dot(after, bv), floats.Dot(xcv, f.Read(bc))
	if math.Abs(left-right) > 5*eps32*floats.Norm(after, 2)*floats.Norm(bv, 2) {
		f.Errorf("<P xc, b> is %g but <xc, P^T b> is %g", left, right)
	}

	// Restrict of b - A x against restricting that vector itself.
	f.m.Start(fine, x, b, 0.8)
	residual := f.Times(f.Read(x))
	for i := range residual {
		residual[i] = bv[i] - residual[i]
	}
	f.Sys.Write(b, residual)
	f.m.RestrictStart(fine, coarse, bc, b, zero, 0)
	want := f.Read(bc)
	f.Sys.Write(b, bv)
	// The columns' couplings dwarf the lateral ones; FP32 differences of x carry that into the general form.
	vertical := largest(f.Diagonal()) * largest(f.Read(x))
	f.m.RestrictStart(fine, coarse, bc, b, x, 0.8)
	f.Near("RestrictStart", f.Read(bc), want, 1+vertical, 20*eps32)

	// The same of the residual that two steps leave.
	y := f.Must(f.m.NewVector(fine))
	smoothed := f.m.Before(fine, x, y, b, chebyshev)
	residual = f.Times(f.Read(smoothed.At))
	for i := range residual {
		residual[i] = bv[i] - residual[i]
	}
	f.m.Restrict(fine, coarse, bc, b, smoothed)
	got := f.Read(bc)
	f.Sys.Write(b, residual)
	f.Sys.Write(x, make([]float64, len(residual)))
	f.m.RestrictStart(fine, coarse, bc, b, x, 0)
	f.Near("Restrict", got, f.Read(bc), 1+vertical, 20*eps32)
}
