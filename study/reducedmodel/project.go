package reducedmodel

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Pencil is a projected model: G z + C dz/dt = B P with symmetric G and C, and the rises L z. Inputs and outputs are
// those of the resulting model. H is the initial heat in each direction, in J; nil if there is none.
type Pencil struct {
	G, C Matrix
	B    Matrix // states x inputs
	L    Matrix // outputs x states
	H    []float64
}

// Diagonal sets the modes of a pencil in a model. The sign of a mode is chosen so that it heats on average.
func (p *Pencil) Diagonal(m *Model) error {
	t, err := orthonormal(p.G)
	if err != nil {
		return err
	}
	modes, tau, err := t.modes(t.product(p.C).product(t.Transposed()))
	if err != nil {
		return err
	}
	for q := range tau {
		sum := 0.0
		for r, w := range modes.Row(q) {
			for _, v := range p.B.Row(r) {
				sum += w * v
			}
		}
		if sum < 0 {
			floats.Scale(-1, modes.Row(q))
		}
	}
	m.Tau, m.B, m.L, m.Start = tau, modes.product(p.B), p.L.product(modes.Transposed()), nil
	if p.H == nil {
		return nil
	}
	m.Start = make([]float64, len(tau))
	for q := range tau {
		for r, w := range modes.Row(q) {
			m.Start[q] += w * p.H[r] / tau[q]
		}
	}
	return nil
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

// balanced are the eigenvectors of the Gramian in the coordinates z, as rows, largest eigenvalue first.
func (m *Model) balanced() (Matrix, error) {
	n := m.States()
	gram := NewMatrix(n, n)
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
			gram.SetBoth(a, b, sum*math.Sqrt(m.Tau[a])*math.Sqrt(m.Tau[b])/(m.Tau[a]+m.Tau[b]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram.Symmetric(), true) {
		return Matrix{}, fmt.Errorf("%w: diagonalization of the Gramian of %d states failed", ErrModel, n)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	all := NewMatrix(n, n)
	for k := range n {
		for a := range n {
			all.Data[k*n+a] = vectors.At(a, n-1-k) / math.Sqrt(m.Tau[a])
		}
	}
	return all, nil
}

// onto projects a model onto the steady states of its inputs and the first k directions, in the coordinates z: G is the
// identity, and C contains the time constants.
func (m *Model) onto(directions Matrix, k int) (*Model, error) {
	n := m.States()
	v := Matrix{Cols: n, Data: slices.Concat(m.B.Transposed().Data, m.Start, directions.Data[:k*n])}
	v.Rows = len(v.Data) / n
	p := Pencil{G: v.product(v.Transposed()), C: NewMatrix(v.Rows, v.Rows), B: v.product(m.B),
		L: m.L.product(v.Transposed())}
	for a := range v.Rows {
		for b := range a + 1 {
			c := 0.0
			for s, x := range v.Row(a) {
				c += x * v.At(b, s) * m.Tau[s]
			}
			p.C.SetBoth(a, b, c)
		}
		if m.Start != nil {
			heat := 0.0
			for s, x := range v.Row(a) {
				heat += x * m.Tau[s] * m.Start[s]
			}
			p.H = append(p.H, heat)
		}
	}
	r := *m
	return &r, p.Diagonal(&r)
}
