package opstest

import (
	"math"

	"thermsim/gpusolve/ops"
)

// mixing checks what a fixed-point iteration does with vectors.
func (f *Fixture) mixing() {
	on, ok := f.Sys.(interface {
		Combine(dst ops.Vector, a float64, x ops.Vector, b float64, y ops.Vector)
		Inner(x, y ops.Vector) (product, largest float64)
	})
	if !ok {
		f.Fatal("no operations for fixed-point iterations")
	}
	x, y, dst := f.Must(f.Sys.New64()), f.Must(f.Sys.New64()), f.Must(f.Sys.New64())
	a, b := f.Random(x), f.Random(y)
	want := make([]float64, len(a))
	product, top := 0.0, 0.0
	for c := range a {
		want[c] = float64(1.5*a[c]) - float64(0.25*b[c])
		product += a[c] * b[c]
		top = math.Max(top, math.Abs(a[c]))
	}
	on.Combine(dst, 1.5, x, -0.25, y)
	f.Near("Combine", f.Read(dst), want, 1, 0)
	on.Combine(y, 1.5, x, -0.25, y)
	f.Near("Combine in place", f.Read(y), want, 1, 0)
	f.Sys.Write(y, b)
	got, largest := on.Inner(x, y)
	if math.Abs(got-product) > 1e-13*norm(a)*norm(b) || largest != top {
		f.Errorf("Inner is %.17g and %g, want %.17g and %g", got, largest, product, top)
	}
}
