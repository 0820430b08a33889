// Package matrix solves linear systems that are given as a matrix.
package matrix

import (
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/sparse"
)

// ErrMatrix marks systems that no method here can solve: not square, not finite, or visibly not positive definite.
var ErrMatrix = errors.New("the system cannot be solved")

// Matrix is a square matrix that has been looked at: by the seven diagonals of a grid where its entries allow it, by
// rows otherwise.
type Matrix struct {
	Diagonals *sparse.Diagonals // one of the two
	Rows      *sparse.CSR
	Symmetric bool // to rounding
	Dominant  bool // by its diagonal: sums of the sizes of a row's other entries do not exceed it
	Entries   int
	// Asymmetry is the entry that differs most from its mirror image, where the matrix is not symmetric.
	Asymmetry sparse.Asymmetry
	// Free is the null space of a symmetric matrix with connected components of which all rows have the sum zero, such
	// as a graph Laplacian; nil for others. Such a matrix is stored with additions to some diagonal entries.
	Free *sparse.NullSpace
	// ZeroSums says of a matrix that is not symmetric that all rows have the sum zero: it is singular, and which
	// right-hand sides have a solution is not known.
	ZeroSums bool
	rows     []int32   // of the additions
	added    []float64 // to their diagonal entries
}

// Shape of a grid; the zero value is none.
type Shape struct{ NX, NY, NZ int }

func (s Shape) String() string { return fmt.Sprintf("%dx%dx%d", s.NX, s.NY, s.NZ) }

// New checks a matrix and chooses how to store it. A grid that is given must fit the entries; without one, grids
// are recognised. The error is an ErrMatrix, and names rows and columns from 1.
func New(a *sparse.CSR, grid Shape) (*Matrix, error) {
	if a == nil || a.N() < 1 {
		return nil, fmt.Errorf("%w: the matrix is empty", ErrMatrix)
	}
	for _, check := range []func() error{a.CheckStructure, a.CheckFinite} {
		if err := check(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMatrix, err)
		}
	}
	m := &Matrix{Rows: a, Entries: a.Entries()}
	m.Dominant = a.Dominant()
	worst, asymmetric := a.Asymmetric()
	m.Asymmetry, m.Symmetric = worst, !asymmetric
	if m.Symmetric {
		if m.Free = a.NullSpace(); m.Free != nil {
			a, m.rows, m.added = m.Free.Grounded(a)
			m.Rows = a
		}
	}
	check := a.CheckDefinite
	if asymmetric {
		m.ZeroSums = a.ZeroSums()
		check = a.CheckDiagonal
	}
	if err := check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMatrix, err)
	}
	if grid == (Shape{}) {
		nx, ny, nz, ok := a.Shape()
		if !ok {
			return m, nil
		}
		grid = Shape{nx, ny, nz}
	}
	d, err := a.Diagonals(grid.NX, grid.NY, grid.NZ)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMatrix, err)
	}
	m.Diagonals, m.Rows = d, nil
	return m, nil
}

func (m *Matrix) N() int {
	if m.Diagonals != nil {
		return m.Diagonals.N()
	}
	return m.Rows.N()
}

// Grid is the shape of the grid, zero where the matrix is stored by rows.
func (m *Matrix) Grid() Shape {
	if m.Diagonals == nil {
		return Shape{}
	}
	return Shape{m.Diagonals.NX, m.Diagonals.NY, m.Diagonals.NZ}
}

// Multiply sets y = A x on the host.
func (m *Matrix) Multiply(y, x []float64) {
	if m.Diagonals != nil {
		m.Diagonals.Multiply(y, x)
	} else {
		m.Rows.Multiply(y, x)
	}
	for i, r := range m.rows {
		y[r] -= m.added[i] * x[r]
	}
}

// Diagonal of the matrix.
func (m *Matrix) Diagonal() []float64 {
	if m.Diagonals != nil {
		return m.Diagonals.Main
	}
	d := make([]float64, m.Rows.N())
	for i := range d {
		for at := m.Rows.RowPtr[i]; at < m.Rows.RowPtr[i+1]; at++ {
			if int(m.Rows.Col[at]) == i {
				d[i] = m.Rows.Val[at]
			}
		}
	}
	return d
}

// Preconditioner is the method that Solve takes for a matrix unless another is named.
func Preconditioner(m *Matrix) string {
	wanted := []string{"cmg", "jacobi"}
	switch {
	case !m.Symmetric:
		wanted = methods.GeneralMethods()
	case !m.Dominant:
		wanted = wanted[1:]
	}
	for _, spec := range wanted {
		if methods.Check(spec) == nil {
			return spec
		}
	}
	return ""
}

// comfortable is the largest exponent of two, of either sign, of the largest entry of a matrix or right-hand side.
// Beyond it a power of two is taken out, which changes no digit: preconditioners work in FP32 and norms add squares, so
// that without it a system with entries of 1e-300 would count as solved.
const comfortable = 40

// excess is the power of two to take out of values, 0 where they lie in the comfortable range.
func excess(values ...[]float64) int {
	largest := 0.0
	for _, list := range values {
		for _, v := range list {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	if _, e := math.Frexp(largest); e < -comfortable || e > comfortable {
		return e
	}
	return 0
}

// scaleBy is 2^e v; v itself where e is 0.
func scaleBy(v []float64, e int) []float64 {
	if e == 0 || v == nil {
		return v
	}
	scaled := make([]float64, len(v))
	for i, x := range v {
		scaled[i] = math.Ldexp(x, e)
	}
	return scaled
}

// moderate is the matrix without a power of two, which it returns too.
func (m *Matrix) moderate() (*Matrix, int) {
	a := *m
	if d := m.Diagonals; d != nil {
		e := excess(d.Main, d.X, d.Y, d.Z, d.LowerX, d.LowerY, d.LowerZ)
		a.Diagonals = &sparse.Diagonals{
			NX: d.NX, NY: d.NY, NZ: d.NZ, Main: scaleBy(d.Main, -e), X: scaleBy(d.X, -e), Y: scaleBy(d.Y, -e),
			Z:      scaleBy(d.Z, -e),
			LowerX: scaleBy(d.LowerX, -e), LowerY: scaleBy(d.LowerY, -e), LowerZ: scaleBy(d.LowerZ, -e),
		}
		return &a, e
	}
	e := excess(m.Rows.Val)
	a.Rows = &sparse.CSR{RowPtr: m.Rows.RowPtr, Col: m.Rows.Col, Val: scaleBy(m.Rows.Val, -e)}
	return &a, e
}
