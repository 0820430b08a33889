package reducedmodel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	// apart is the share by which the bound grows to separate errors of the projection from those of the solves:
	// (a + b)^2 <= (1 + apart) a^2 + (1 + 1/apart) b^2.
	apart = 0.1
	// ridge is the part of the diagonal that is added to it, larger than rounding. It only increases the bound.
	ridge = 1e-13
)

// Bound bounds the error of the model at given h and a real frequency s in 1/s, 0 for steady states. It is a symmetric
// matrix S in K/W. Let E_oi be the error of the mean over input o for 1 W in input i. E is positive semidefinite
// because the mean is the transpose of the heat (Galerkin orthogonality), and S - E is as well.
//
// Proof: let x = sum of y_j v_j over snapshots v_j, in which the powers of input i add up to 1 W and those of the
// others to 0. Its residual contains only terms of films and capacities:
//
//	r = - sum over f of (h_f - h_jf) F_f y_j v_j - (s - s_j) C y_j v_j
//
// w'(G + sum h_f F_f + s C) w is at least sum h_f w'F_f w + s w'C w for all w. By the inequality of Cauchy and Schwarz
// the square of the energy of the error of x is at most
//
//	y'M y = sum over f of (1/h_f) |sum_j (h_f - h_jf) y_j v_j|^2 in F_f, and the like for C.
//
// The model is the best approximation in the energy, so its error is not larger, for any such y. S is the minimum over
// y: S = (A M^-1 A')^-1 with the powers A of the snapshots by input. Errors of the solves add to the diagonal of M.
//
// No solves are necessary, but all h must be positive. S is infinite if there is no suitable snapshot.
func (p *Parametric) Bound(h []float64, s float64) (Matrix, error) {
	var use []int // other snapshots have an infinite norm
	for j := range p.Snapshots {
		if q := &p.Snapshots[j]; (q.Input >= 0 || p.Floating) && (s > 0 || q.Shift == 0) {
			use = append(use, j)
		}
	}
	n := len(use)
	m := mat.NewSymDense(n, nil)
	for a, j := range use {
		for b, k := range use[:a+1] {
			m.SetSym(a, b, (1+apart)*p.apartFrom(h, s, j, k))
		}
		extra := (1 + 1/apart) * float64(n) * p.Snapshots[j].Residual
		m.SetSym(a, a, m.At(a, a)*(1+ridge)+extra)
	}
	scale := make([]float64, n)
	for a := range n {
		scale[a] = 1 / math.Sqrt(math.Max(m.At(a, a), 1e-100))
	}
	for a := range n {
		for b := range a {
			m.SetSym(a, b, m.At(a, b)*scale[a]*scale[b])
		}
	}
	for a := range n {
		m.SetSym(a, a, 1+float64(n)*ridge)
	}
	var factor mat.Cholesky
	if !factor.Factorize(m) {
		return Matrix{}, fmt.Errorf("%w: the bound of the error cannot be computed at h = %g", ErrModel, h)
	}
	inputs := len(p.Inputs)
	watts := mat.NewDense(n, inputs, nil)
	for a, j := range use {
		if q := &p.Snapshots[j]; q.Input >= 0 {
			watts.Set(a, q.Input, q.Watts*scale[a])
		}
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	var half mat.Dense // L^-1 A'
	if err := half.Solve(&lower, watts); err != nil {
		return Matrix{}, err
	}
	return inverseOfSquare(&half)
}

// inverseOfSquare is (X'X)^-1.
func inverseOfSquare(x *mat.Dense) (Matrix, error) {
	rows, n := x.Dims()
	scale := make([]float64, n)
	for i := range n {
		column := x.ColView(i)
		if scale[i] = mat.Norm(column, 2); !(scale[i] > 0) || rows < n {
			return Matrix{}, fmt.Errorf("%w: an input has no snapshot", ErrModel)
		}
		for r := range rows {
			x.Set(r, i, x.At(r, i)/scale[i])
		}
	}
	var qr mat.QR
	qr.Factorize(x)
	var r mat.Dense
	qr.RTo(&r)
	upper, inverse := mat.NewTriDense(n, mat.Upper, nil), mat.TriDense{}
	for i := range n {
		for j := i; j < n; j++ {
			upper.SetTri(i, j, r.At(i, j))
		}
	}
	if err := inverse.InverseTri(upper); err != nil {
		return Matrix{}, fmt.Errorf("%w: two inputs are the same: %w", ErrModel, err)
	}
	out := NewMatrix(n, n)
	out.dense().Mul(&inverse, inverse.T())
	for i := range n {
		for j := range n {
			out.Data[i*n+j] /= scale[i] * scale[j]
		}
	}
	return out, nil
}

// apartFrom is the entry of M for snapshots j and k.
func (p *Parametric) apartFrom(h []float64, s float64, j, k int) float64 {
	a, b := &p.Snapshots[j], &p.Snapshots[k]
	sum := 0.0
	for f, v := range h {
		sum += (v - a.H[f]) * (v - b.H[f]) / v * p.SnapshotF[f].At(j, k)
	}
	if s > 0 {
		sum += (s - a.Shift) * (s - b.Shift) / s * p.SnapshotC.At(j, k)
	}
	return sum
}

// BoundK bounds the error in K of the means of all inputs that heat evenly, for powers between 0 and their ranges. By
// the inequality of Cauchy and Schwarz |E_o P|^2 <= E_oo P'E P.
func (p *Parametric) BoundK(h []float64, s float64) (float64, error) {
	bound, err := p.Bound(h, s)
	if err != nil {
		return 0, err
	}
	all, top := 0.0, 0.0
	for i := range p.Inputs {
		for j := range p.Inputs {
			all += math.Abs(bound.At(i, j)) * p.Inputs[i].Range * p.Inputs[j].Range
		}
		if p.Inputs[i].Kind != "map" {
			top = math.Max(top, bound.At(i, i))
		}
	}
	return math.Sqrt(top * all), nil
}
