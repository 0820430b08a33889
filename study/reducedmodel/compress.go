package reducedmodel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Compress leaves as few states as keep the differences from a model, after steps of any of the inputs together, below
// a bound in K. Steady states are kept exactly: the directions that all inputs lead to, and the start, are among those
// that are left. The others are the first of a balanced truncation.
//
// With the states w = z sqrt(tau), whose mass is the identity, the symmetric model of means under the inputs' ranges D
// has the Gramian, reached and seen alike,
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
			if m.Start != nil { // what is left when powers end that lead to it
				sum += m.Start[a] * m.Start[b] / total
			}
			gram.SetSym(a, b, sum*math.Sqrt(m.Tau[a])*math.Sqrt(m.Tau[b])/(m.Tau[a]+m.Tau[b]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return nil, fmt.Errorf("%w: the Gramian of %d states was not diagonalised", ErrModel, n)
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

// onto projects a model onto the steady states of its inputs and the first k of some directions, in the coordinates z:
// G is the identity and C the time constants.
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
