package reducedmodel

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Matrix is a dense matrix, row by row.
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// NewMatrix is a zero matrix.
func NewMatrix(rows, cols int) Matrix {
	return Matrix{rows, cols, make([]float64, rows*cols)}
}

// Row is row i; changes affect the matrix.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// At is one entry.
func (m Matrix) At(i, j int) float64 { return m.Data[i*m.Cols+j] }

// SetBoth sets two entries of a symmetric matrix.
func (m Matrix) SetBoth(i, j int, v float64) { m.Data[i*m.Cols+j], m.Data[j*m.Cols+i] = v, v }

// shaped refuses a matrix of another size.
func (m Matrix) shaped(name string, rows, cols int) error {
	if m.Rows != rows || m.Cols != cols || len(m.Data) != rows*cols {
		return fmt.Errorf("%w: %s is %d x %d; it must be %d x %d", ErrModel, name, m.Rows, m.Cols, rows, cols)
	}
	return nil
}

// Minus is the difference of matrices of equal size.
func (m Matrix) Minus(o Matrix) Matrix {
	d := NewMatrix(m.Rows, m.Cols)
	floats.SubTo(d.Data, m.Data, o.Data)
	return d
}

// Symmetric is a symmetric matrix for gonum, with the same data.
func (m Matrix) Symmetric() *mat.SymDense { return mat.NewSymDense(m.Rows, m.Data) }

// dense shares the data of a matrix.
func (m Matrix) dense() *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Data) }

func (m Matrix) times(x []float64) []float64 {
	y := make([]float64, m.Rows)
	for r := range y {
		for c, v := range m.Row(r) {
			y[r] += v * x[c]
		}
	}
	return y
}

func (m Matrix) product(o Matrix) Matrix {
	p := NewMatrix(m.Rows, o.Cols)
	p.dense().Mul(m.dense(), o.dense())
	return p
}

// Grown is a copy with further rows and columns of zeros.
func (m Matrix) Grown(rows, cols int) Matrix {
	g := NewMatrix(rows, cols)
	for i := range m.Rows {
		copy(g.Row(i), m.Row(i))
	}
	return g
}

// Transposed is the transpose.
func (m Matrix) Transposed() Matrix {
	t := NewMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Data[j*t.Cols+i] = v
		}
	}
	return t
}

// congruent is M S M' of a symmetric S.
func (m Matrix) congruent(s Matrix) Matrix {
	p := m.product(s).product(m.Transposed())
	for r := range p.Rows {
		for c := range r {
			p.SetBoth(r, c, (p.At(r, c)+p.At(c, r))/2)
		}
	}
	return p
}

const (
	// dependent is the minimum remainder of a direction, in the norm of G, after orthogonalization against the previous
	// ones; less is rounding.
	dependent = 1e-9
	// shortest is the minimum time constant relative to the longest one: faster states follow their input immediately.
	shortest = 1e-13
)

// modes are combinations of the rows of t in which c is diagonal: the capacities of the rows, which are orthonormal
// with respect to the conductances. The entries on the diagonal are the time constants, in descending order. They are
// positive because c is positive definite; values below the shortest are rounding errors and set to it.
func (m Matrix) modes(c Matrix) (modes Matrix, tau []float64, err error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(c.Symmetric(), true) {
		return Matrix{}, nil, fmt.Errorf("%w: the modes of %d directions cannot be computed", ErrModel, m.Rows)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	ascending := NewMatrix(m.Rows, m.Cols)
	ascending.dense().Mul(vectors.T(), m.dense())
	modes, tau = NewMatrix(m.Rows, m.Cols), eigen.Values(nil)
	slices.Reverse(tau)
	for q := range tau {
		copy(modes.Row(q), ascending.Row(m.Rows-1-q))
		tau[q] = math.Max(tau[q], shortest*tau[0])
	}
	return modes, tau, nil
}

// orthonormal are combinations of the directions of a symmetric G that are orthonormal with respect to it: R^-1
// transposed of the Cholesky factor G = R' R, in which dependent directions are omitted. Every direction is
// orthogonalized twice.
func orthonormal(g Matrix) (Matrix, error) {
	var t, gt [][]float64 // rows, and G times them
	n := g.Rows
	for d := range n {
		own := g.At(d, d)
		if !(own > 0) {
			continue
		}
		row := make([]float64, d+1)
		row[d] = 1 / math.Sqrt(own)
		product := slices.Clone(g.Row(d))
		floats.Scale(row[d], product)
		for range 2 {
			for i := range t {
				dot := 0.0
				for r, w := range row {
					dot += w * gt[i][r]
				}
				floats.AddScaled(row[:len(t[i])], -dot, t[i])
				floats.AddScaled(product, -dot, gt[i])
			}
		}
		rest := 0.0
		for r, w := range row {
			rest += w * product[r]
		}
		if rest < dependent {
			continue
		}
		f := 1 / math.Sqrt(rest)
		floats.Scale(f, row)
		floats.Scale(f, product)
		t, gt = append(t, row), append(gt, product)
	}
	if len(t) == 0 {
		return Matrix{}, fmt.Errorf("%w: all %d directions are linearly dependent", ErrModel, n)
	}
	all := NewMatrix(len(t), n)
	for i, row := range t {
		copy(all.Row(i), row)
	}
	return all, nil
}
