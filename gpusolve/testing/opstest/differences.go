package opstest

import (
	"math"

	"thermsim/gpusolve/sparse"
)

// Layered is the seven-point matrix of conduction with a conductivity for each plane, the half cells of two planes in
// series, and a ground of 1 on the top plane.
func Layered(shape [3]int, conductivity func(k int) float64) *sparse.Diagonals {
	nx, ny, nz := shape[0], shape[1], shape[2]
	d := sparse.NewDiagonals(nx, ny, nz)
	for c := range d.Main {
		i, j, k := c%nx, c/nx%ny, c/(nx*ny)
		couple := func(band []float64, g float64, offset int) {
			band[c] = -g
			d.Main[c] += g
			d.Main[c+offset] += g
		}
		if own := conductivity(k); i < nx-1 {
			couple(d.X, own, 1)
		}
		if own := conductivity(k); j < ny-1 {
			couple(d.Y, own, nx)
		}
		if k < nz-1 {
			couple(d.Z, 2/(1/conductivity(k)+1/conductivity(k+1)), nx*ny)
		} else {
			d.Main[c]++
		}
	}
	return d
}

// Upwind is -laplace u + peclet . grad u with values given on all faces, by the seven-point star and first-order upwind
// differences; peclet is that of a cell, velocity times cell size over diffusivity, in each direction.
func Upwind(shape [3]int, peclet [3]float64) *sparse.Diagonals {
	d := sparse.NewDiagonals(shape[0], shape[1], shape[2])
	d.LowerX, d.LowerY, d.LowerZ = make([]float64, len(d.X)), make([]float64, len(d.Y)), make([]float64, len(d.Z))
	upper, lower := [3][]float64{d.X, d.Y, d.Z}, [3][]float64{d.LowerX, d.LowerY, d.LowerZ}
	strides := [3]int{1, shape[0], shape[0] * shape[1]}
	for c := range d.Main {
		at := [3]int{c % shape[0], c / shape[0] % shape[1], c / strides[2]}
		for a, p := range peclet {
			d.Main[c] += 2 + math.Abs(p)
			if at[a] < shape[a]-1 {
				upper[a][c] = -1 + math.Min(p, 0)
				lower[a][c] = -1 - math.Max(p, 0)
			}
		}
	}
	return d
}
