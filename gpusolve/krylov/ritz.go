package krylov

import "math"

// ritz keeps a lower bound, within 5 %, of the smallest Ritz value of the preconditioned operator: of the smallest
// eigenvalue of the tridiagonal matrix that conjugate gradients form as they go, from alpha = r.z / p.A p and beta =
// r.z / previous r.z. It tends to the smallest eigenvalue of M^-1 A, from above.
//
// T = L D L^T with D = diag(1/alpha), and T - mu I is positive definite as long as the recursion
//
//	gamma_0 = 1/mu, gamma_{k+1} = (gamma_k - alpha_k) / (mu (gamma_k - alpha_k) + beta_{k+1})
//
// keeps gamma_k above alpha_k (Meurant and Tichy, "On computing quadrature-based bounds for the A-norm of the error in
// conjugate gradients", Numer. Algorithms 62, 2013). So an iteration costs a few operations, and a pass over all alpha
// and beta only where the bound must come down.
type ritz struct {
	mu          float64 // 1 over the unit of alpha; 0 while nothing was seen
	alpha, beta []float64
	rest        float64 // gamma - alpha behind the last step
}

// slack of the bound when it has just been found.
const slack = 0.05

// restart begins another sequence of conjugate gradients on the same operator. The bound stays.
func (r *ritz) restart() { r.alpha, r.beta = r.alpha[:0], r.beta[:0] }

// add takes a step of conjugate gradients. Its beta is that of its direction, 0 in the first step.
func (r *ritz) add(alpha, beta float64) {
	if !(alpha > 0) || !(beta >= 0) || math.IsInf(alpha, 0) || math.IsInf(beta, 0) {
		return
	}
	r.alpha, r.beta = append(r.alpha, alpha), append(r.beta, beta)
	if r.mu > 0 && r.advance(len(r.alpha)-1, r.mu) {
		return
	}
	high := 1 / alpha // T has this on its diagonal, or less
	if r.mu > 0 {
		high = math.Min(high, r.mu)
	}
	low := high
	for {
		low /= 2
		if low == 0 {
			return
		}
		if r.below(low) {
			break
		}
		high = low
	}
	for high > (1+slack)*low {
		if middle := math.Sqrt(low * high); r.below(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	r.mu = low
	r.below(low)
}

// below says whether all Ritz values are above mu.
func (r *ritz) below(mu float64) bool {
	for k := range r.alpha {
		if !r.advance(k, mu) {
			return false
		}
	}
	return true
}

// advance does step k of the recursion.
func (r *ritz) advance(k int, mu float64) bool {
	gamma := 1 / mu
	if k > 0 {
		gamma = r.rest / (mu*r.rest + r.beta[k])
	}
	r.rest = gamma - r.alpha[k]
	return r.rest > 0
}
