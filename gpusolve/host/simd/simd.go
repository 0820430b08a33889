// Package simd holds the loops over a row of cells that the solver's time goes into, with eight cells at a time on
// processors with AVX2 and in plain Go elsewhere, or everywhere with the build tag purego. Both give the same bits:
// elementwise arithmetic is not reordered, products are rounded before they are added, and sums are kept in eight
// lanes, cell i in lane i mod 8.
//
// Rows are slices of equal length, at least one cell; where one is longer than the first argument, what is beyond is
// not looked at. Couplings are conductances in W/K, FP32.
package simd

//go:generate go run -C ../../../tools/simdgen . -pkg simd -out ../../gpusolve/host/simd/kernels_amd64.s -stubs ../../gpusolve/host/simd/kernels_amd64.go -other ../../gpusolve/host/simd/kernels_other.go

// Lateral is a row of n cells of a padded field with its surroundings in its plane.
type Lateral[T float32 | float64] struct {
	NX int       // cells from a row to the next
	GX []float32 // n+1 couplings along x: GX[i] couples cell i to the one west of it
	GY []float32 // n+NX couplings along y: GY[i] couples cell i to the one south of it
	X  []T       // n+2NX values: X[NX+i] is that of cell i
}

// Around is the row of n cells from index c of padded fields on.
func Around[T float32 | float64](gx, gy []float32, x []T, c, n, nx int) Lateral[T] {
	return Lateral[T]{nx, gx[c-1 : c+n], gy[c-nx : c+n], x[c-nx : c+n+nx]}
}

// neighbours are the values around each of n cells, couplings the conductances to them: west, east, south and north.
func (l *Lateral[T]) neighbours(n int) (own, xw, xe, xs, xn []T) {
	at := l.NX
	return l.X[at : at+n], l.X[at-1 : at-1+n], l.X[at+1 : at+1+n], l.X[:n], l.X[2*at : 2*at+n]
}

func (l *Lateral[T]) couplings(n int) (gw, ge, gs, gn []float32) {
	return l.GX[:n], l.GX[1 : 1+n], l.GY[:n], l.GY[l.NX : l.NX+n]
}

// fits panics where the arrays are shorter than a row of n cells needs: the kernels do not look.
func (l *Lateral[T]) fits(n int) {
	_, _, _ = l.GX[n], l.GY[n+l.NX-1], l.X[n+2*l.NX-1]
}
