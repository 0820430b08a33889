package reducedmodel

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// Pencil is a projected model: G z + C dz/dt = B P with symmetric G and C, and the rises L z. Inputs and outputs are
// those of the resulting model. H is the initial heat in each direction, in J; nil if there is none.
type Pencil struct {
	G, C *mat.SymDense
	B    Matrix // states x inputs
	L    Matrix // outputs x states
	H    []float64
}

const (
	// dependent is the minimum remainder of a direction, in the norm of G, after orthogonalization against the previous
	// ones; less is rounding.
	dependent = 1e-9
	// shortest is the minimum time constant relative to the longest one: faster states follow their input immediately.
	shortest = 1e-13
)

// Diagonal sets the modes of a pencil in a model. With the Cholesky factor G = R' R, in which dependent directions are
// omitted, the eigenvalues of R^-T C R^-1 are the time constants. They are positive because C is positive definite;
// values below the shortest are rounding errors and set to it.
func (p *Pencil) Diagonal(m *Model) error {
	n := p.G.SymmetricDim()
	t := orthonormal(p.G)
	k := len(t)
	if k == 0 {
		return fmt.Errorf("%w: all %d directions are linearly dependent", ErrModel, n)
	}
	reduced := mat.NewSymDense(k, nil)
	half := NewMatrix(k, n)
	capacities := mat.DenseCopyOf(p.C)
	for i := range t {
		row := half.Row(i)
		for r, w := range t[i] {
			for c, v := range capacities.RawRowView(r) {
				row[c] += w * v
			}
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
		return fmt.Errorf("%w: eigenvalue computation failed for %d states", ErrModel, k)
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

// project makes a direction mode q of a model. The sign is chosen so that the mode heats on average.
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

// orthonormal are combinations of the directions that are orthonormal with respect to G: rows of R^-1 transposed, of
// increasing length. Dependent directions are omitted. Every direction is orthogonalized twice.
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

// Compress reduces the number of states as far as the difference from the model, after steps of any of the inputs,
// stays below a bound in K. Steady states are preserved exactly: the steady directions of all inputs, and the initial
// state, are kept. The others are the first directions of a balanced truncation.
//
// The states w = z sqrt(tau) have the identity as mass matrix. The symmetric model of means under the inputs' ranges D
// then has equal controllability and observability Gramians.
//
//	P[m][n] = sum over i of B[m][i] D_i B[n][i]  sqrt(tau_m tau_n) / (tau_m + tau_n)
//
// and its eigenvectors, largest eigenvalue first, are the directions (Moore, IEEE Trans. Automatic Control 26 (1981)
// 17; for symmetric systems Liu, Sreeram and Teo, 1998).
func (m *Model) Compress(bound float64) (*Model, error) {
	directions, err := m.balanced()
	if err != nil {
		return nil, err
	}
	var best *Model
	bestStep, bestAny := 0.0, 0.0
	lo, hi := 0, m.States()-1
	for lo <= hi {
		k := (lo + hi) / 2
		r, err := m.onto(directions, k)
		if err != nil {
			return nil, err
		}
		step, anyPower, err := Difference(m, r)
		if err != nil {
			return nil, err
		}
		if step <= bound && r.States() < m.States() {
			best, bestStep, bestAny, hi = r, step, anyPower, k-1
		} else {
			lo = k + 1
		}
	}
	if best == nil {
		same := *m
		best = &same
	}
	best.Error.BasisStates, best.Error.StepK, best.Error.OrderK = m.States(), bestStep, bestAny
	return best, nil
}

// balanced are the eigenvectors of the Gramian in the coordinates z, largest eigenvalue first.
func (m *Model) balanced() ([][]float64, error) {
	n := m.States()
	gram := mat.NewSymDense(n, nil)
	total := 0.0
	for _, in := range m.Inputs {
		total += in.Range
	}
	for a := range n {
		for b := a; b < n; b++ {
			sum := 0.0
			for i, in := range m.Inputs {
				sum += m.B.At(a, i) * in.Range * m.B.At(b, i)
			}
			if m.Start != nil { // response after the end of powers that lead to it
				sum += m.Start[a] * m.Start[b] / total
			}
			gram.SetSym(a, b, sum*math.Sqrt(m.Tau[a])*math.Sqrt(m.Tau[b])/(m.Tau[a]+m.Tau[b]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return nil, fmt.Errorf("%w: diagonalization of the Gramian of %d states failed", ErrModel, n)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	all := make([][]float64, n)
	for k := range all {
		v := make([]float64, n)
		for a := range v {
			v[a] = vectors.At(a, n-1-k) / math.Sqrt(m.Tau[a])
		}
		all[k] = v
	}
	return all, nil
}

// onto projects a model onto the steady states of its inputs and the first k directions, in the coordinates z: G is the
// identity, and C contains the time constants.
func (m *Model) onto(directions [][]float64, k int) (*Model, error) {
	var v [][]float64
	for i := range m.Inputs {
		column := make([]float64, m.States())
		for s := range column {
			column[s] = m.B.At(s, i)
		}
		v = append(v, column)
	}
	if m.Start != nil {
		v = append(v, m.Start)
	}
	v = append(v, directions[:k]...)
	p := Pencil{G: mat.NewSymDense(len(v), nil), C: mat.NewSymDense(len(v), nil), B: NewMatrix(len(v), len(m.Inputs)),
		L: NewMatrix(len(m.Outputs), len(v))}
	for a := range v {
		for b := a; b < len(v); b++ {
			g, c := 0.0, 0.0
			for s, x := range v[a] {
				g += x * v[b][s]
				c += x * v[b][s] * m.Tau[s]
			}
			p.G.SetSym(a, b, g)
			p.C.SetSym(a, b, c)
		}
		for s, x := range v[a] {
			for i, b := range m.B.Row(s) {
				p.B.Data[a*len(m.Inputs)+i] += x * b
			}
		}
		if m.Start != nil {
			heat := 0.0
			for s, x := range v[a] {
				heat += x * m.Tau[s] * m.Start[s]
			}
			p.H = append(p.H, heat)
		}
		for o := range m.Outputs {
			for s, x := range v[a] {
				p.L.Data[o*len(v)+a] += m.L.At(o, s) * x
			}
		}
	}
	r := *m
	return &r, p.Diagonal(&r)
}
