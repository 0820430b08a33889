package fourier

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// axis is an axis of a grid in units of its mean cell.
type axis struct {
	n      int
	ends   Ends
	widths []float64  // of the cells over their mean; nil where all are equal and no end is behind a film
	films  [2]float64 // conductances to the ends behind films
	basis  *memo      // of a graded axis, which is found once
}

// memo is a basis that is made when it is first needed.
type memo struct {
	sync.Once
	eigenbasis
	err error
}

// axes of a grid. Where both are alike they share a basis.
func (l *Layered) axes() (x, y axis) {
	x = axis{l.NX, l.X, l.Widths[0], l.Films[0], &l.bases[0]}
	y = axis{l.NY, l.Y, l.Widths[1], l.Films[1], &l.bases[1]}
	if y.like(x) {
		y.basis = x.basis
	}
	return x, y
}

// Prepare starts to find the bases of graded axes, while the caller opens a device.
func (l *Layered) Prepare() {
	x, y := l.axes()
	for _, a := range []axis{x, y} {
		if a.graded() {
			go a.eigenbasis()
		}
	}
}

// graded says that the axis has an eigenbasis: cells differ in width, or an end is behind a film.
func (a axis) graded() bool { return a.widths != nil }

func (a axis) like(b axis) bool {
	return a.n == b.n && a.ends == b.ends && a.films == b.films && slices.Equal(a.widths, b.widths)
}

// weights are the widths of the cells.
func (a axis) weights() []float64 {
	if a.graded() {
		return a.widths
	}
	return slices.Repeat([]float64{1}, a.n)
}

// couplings are the conductances between the centers of neighboring cells, where 1 leads across a mean cell: value i
// between cells i-1 and i, the first and the last to the ends, 0 where these are adiabatic.
func (a axis) couplings() []float64 {
	w, c := a.weights(), make([]float64, a.n+1)
	for i := 1; i < a.n; i++ {
		c[i] = 2 / (w[i-1] + w[i])
	}
	low, high := a.ends.held()
	c[0], c[a.n] = 2*low/w[0], 2*high/w[a.n-1]
	if a.films[0] > 0 {
		c[0] = a.films[0]
	}
	if a.films[1] > 0 {
		c[a.n] = a.films[1]
	}
	return c
}

// eigenbasis diagonalises the differences along a graded axis. With the couplings in the matrix D and the widths in the
// diagonal W, its vectors V solve D V = W V L and satisfy V^T W V = 1. A field in space is V times its modes, and the
// modes of heat are V^T times the heat of the cells.
//
// The elimination of D without a difference, as in Layered, gives W^-1/2 D W^-1/2 = B^T B with a bidiagonal B. The
// squares of its singular values are the eigenvalues, and its right singular vectors are W^1/2 V. Both are found with
// small relative errors, also those of the smoothest modes (Demmel and Kahan 1990).
type eigenbasis struct {
	eigenvalues []float64 // ascending
	vectors     []float64 // V^T: the cells of mode 0, of mode 1, ...
}

var errBasis = errors.New("the eigenvectors of a graded axis were not found")

// eigenbasis waits for what another goroutine makes.
func (a axis) eigenbasis() (*eigenbasis, error) {
	m := a.basis
	m.Do(func() { m.err = m.diagonalise(a) })
	return &m.eigenbasis, m.err
}

func (b *eigenbasis) diagonalise(a axis) error {
	n, w, c := a.n, a.weights(), a.couplings()
	diagonal, above := make([]float64, n), make([]float64, n)
	toGround := c[0]
	for i := range n {
		next := c[i+1]
		if i == n-1 {
			toGround, next = toGround+c[n], 0
		}
		pivot := toGround + next
		diagonal[i] = math.Sqrt(pivot / w[i])
		if i < n-1 {
			above[i] = -next / math.Sqrt(pivot*w[i+1])
			toGround *= next / pivot
		}
	}
	b.eigenvalues, b.vectors = make([]float64, n), make([]float64, n*n)
	for k := range n {
		b.vectors[k*n+k] = 1
	}
	if !(lapack.Implementation{}).Dbdsqr(blas.Upper, n, n, 0, 0, diagonal, above[:n-1], b.vectors, n, nil, 1, nil,
		1, make([]float64, 4*n)) {
		return fmt.Errorf("%w: %d cells", errBasis, n)
	}
	for k := range n / 2 { // singular values are in descending order
		swap(b.vectors[k*n:(k+1)*n], b.vectors[(n-1-k)*n:(n-k)*n])
	}
	for k := range n {
		s := diagonal[n-1-k]
		b.eigenvalues[k] = s * s
		for i, width := range w {
			b.vectors[k*n+i] /= math.Sqrt(width)
		}
	}
	if a.ends == Adiabatic {
		b.eigenvalues[0] = 0
		for i := range n {
			b.vectors[i] = 1 / math.Sqrt(float64(n))
		}
	}
	return nil
}

func swap(a, b []float64) {
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
}
