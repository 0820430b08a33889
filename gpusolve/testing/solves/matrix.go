package solves

import (
	"testing"

	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse"
)

func NewMatrix(t testing.TB, a *sparse.CSR) *matrix.Matrix {
	t.Helper()
	m, err := matrix.New(a, matrix.Shape{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Laplacian of a grid with zero values around it; sines of whole waves are its eigenvectors.
func Laplacian(nx, ny, nz int) *sparse.Diagonals {
	d := sparse.NewDiagonals(nx, ny, nz)
	for c := range d.Main {
		d.Main[c] = 6
		if (c+1)%nx != 0 {
			d.X[c] = -1
		}
		if c/nx%ny != ny-1 {
			d.Y[c] = -1
		}
		if c < len(d.Z) {
			d.Z[c] = -1
		}
	}
	return d
}
