package reducedmodel

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// Pencil is a projected model: G z + C dz/dt = B P with symmetric G and C, and the rises L z. Inputs and outputs are
// those of the model that it becomes. H is what the start has of heat in each direction, in J; nil where there is none.
type Pencil struct {
	G, C *mat.SymDense
	B    Matrix // states x inputs
	L    Matrix // outputs x states
	H    []float64
}

const (
	// dependent is the part of a direction, in the norm of G, that has to be left when those before are taken off; less
	// is rounding.
	dependent = 1e-9
	// shortest is the least time constant beside the longest: below, a state is at once what it is driven to.
	shortest = 1e-13
)

// Diagonal gives a model the modes of a pencil. With the Cholesky factor G = R' R, whose rows are made in order and
// passed over where nothing is left of a direction, the eigenvalues of R^-T C R^-1 are the time constants. They are
// positive, since C is positive: rounding below the shortest is put at the shortest.
func (p *Pencil) Diagonal(m *Model) error {
	n := p.G.SymmetricDim()
	t := orthonormal(p.G)
	k := len(t)
	if k == 0 {
		return fmt.Errorf("%w: nothing is left of %d directions", ErrModel, n)
	}
	reduced := mat.NewSymDense(k, nil)
	half := NewMatrix(k, n)
	for i := range t {
		for c := range n {
			sum := 0.0
			for r, w := range t[i] {
				sum += w * p.C.At(r, c)
			}
			half.Data[i*n+c] = sum
		}
	}
	for i := range t {
		for j := i; j < k; j++ {
			sum := 0.0
			for c, w := range t[j] {
				sum += w * half.At(i, c)
			}
			reduced.SetSym(i, j, sum)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(reduced, true) {
		return fmt.Errorf("%w: the eigenvalues of %d states were not found", ErrModel, k)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	order := make([]int, k)
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return values[order[i]] > values[order[j]] })
	m.B, m.L, m.Tau, m.Start = NewMatrix(k, p.B.Cols), NewMatrix(p.L.Rows, k), make([]float64, k), nil
	if p.H != nil {
		m.Start = make([]float64, k)
	}
	direction := make([]float64, n)
	for q, of := range order {
		m.Tau[q] = math.Max(values[of], shortest*values[order[0]])
		clear(direction)
		for i := range t {
			part := vectors.At(i, of)
			for r, w := range t[i] {
				direction[r] += part * w
			}
		}
		p.project(direction, m, q)
	}
	return nil
}

// project makes a direction mode q of a model. The sign is that of a mode which heats on the whole.
func (p *Pencil) project(direction []float64, m *Model, q int) {
	sum := 0.0
	b := m.B.Row(q)
	for r, w := range direction {
		for i, v := range p.B.Row(r) {
			b[i] += w * v
			sum += w * v
		}
	}
	sign := 1.0
	if sum < 0 {
		sign = -1
	}
	for i := range b {
		b[i] *= sign
	}
	for o := range m.L.Rows {
		v := 0.0
		for r, w := range direction {
			v += w * p.L.At(o, r)
		}
		m.L.Data[o*m.L.Cols+q] = sign * v
	}
	for r, h := range p.H {
		m.Start[q] += sign * direction[r] * h / m.Tau[q]
	}
}

// orthonormal are combinations of the directions that G makes the identity: rows of R^-1 transposed, each shorter than
// those that come later. Directions without anything left are passed over. Every one is orthogonalised twice.
func orthonormal(g *mat.SymDense) [][]float64 {
	var t, gt [][]float64 // rows, and G times them
	n := g.SymmetricDim()
	for d := range n {
		own := g.At(d, d)
		if !(own > 0) {
			continue
		}
		row := make([]float64, d+1)
		row[d] = 1 / math.Sqrt(own)
		product := make([]float64, n)
		for c := range n {
			product[c] = row[d] * g.At(d, c)
		}
		for range 2 {
			for i := range t {
				dot := 0.0
				for r, w := range row {
					dot += w * gt[i][r]
				}
				for r, w := range t[i] {
					row[r] -= dot * w
				}
				for c, w := range gt[i] {
					product[c] -= dot * w
				}
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
		for r := range row {
			row[r] *= f
		}
		for c := range product {
			product[c] *= f
		}
		t, gt = append(t, row), append(gt, product)
	}
	return t
}
