package chebyshev

import (
	"math"

	"thermsim/gpusolve/solution"
)

// Within [low, high] the polynomial of degree k brings all eigenvalues to 1 +- e, e = 1/T_k(sigma), sigma =
// (high+low)/(high-low). Eigenvalues below become p(0) times what they were. The smaller low, the larger are e and
// p(0), which cannot exceed 2k^2/high (Markov's inequality):
//
//	e = 1/3: condition number 2 within, p(0) at 0.54 of its limit
//	e = 2/3: condition number 5 within, p(0) at 0.77 of its limit
//
// and below that e goes to 1 and the values within spread over (0, 2), for nothing. Where many eigenvalues lie below
// low, iterations go with the root of (1+e)/p(0), and e = 2/3 takes 7 % fewer than e = 1/3 and 4 % more than the limit.
// Where few do, conjugate gradients remove them one by one, and what is within counts: e = 1/3 converges twice as fast
// there.
const (
	steepFew  = 1. / 3
	steepMany = 2. / 3
	few       = 16 // eigenvalues
)

// lower is the low end of the interval for a polynomial: the least value found, or what the degree can make use of.
// alpha and beta are those of a Lanczos process in n dimensions.
func lower(alpha, beta []float64, b solution.Spectrum, degree, n int) float64 {
	low := b.High * narrowest(degree, steepFew)
	if share(alpha, beta, low)*float64(n) > few {
		low = b.High * narrowest(degree, steepMany)
	}
	return math.Max(b.Least, low)
}

// narrowest is the low/high at which T_k(sigma) = 1/e: (sigma-1)/(sigma+1) = tanh^2(acosh(1/e)/2k).
func narrowest(degree int, e float64) float64 {
	t := math.Tanh(math.Acosh(1/e) / 2 / float64(degree))
	return t * t
}

// share is the part of the first vector in the eigenvectors of a tridiagonal matrix whose values are less than x: the
// sum of the squares of their first components (Golub and Meurant, Matrices, Moments and Quadrature, 2010, section
// 3.4). With noise for a first vector it estimates the share of all eigenvalues that lie there.
func share(alpha, beta []float64, x float64) float64 {
	low, _ := gershgorin(alpha, beta)
	sum := 0.0
	for k := range below(alpha, beta, x) {
		sum += first(alpha, beta, kth(alpha, beta, k+1, low, x))
	}
	return sum
}

// first is the square of the first component of an eigenvector of length one, by the factorisation that eliminates from
// both ends and meets where the vector is largest (Parlett and Dhillon, Linear Algebra and its Applications 267, 1997):
// the recurrence from one end alone is not stable.
func first(alpha, beta []float64, value float64) float64 {
	n := len(alpha)
	down, up := make([]float64, n), make([]float64, n)
	for i := range n {
		down[i] = pivot(alpha[i]-value, i > 0, beta, i-1, down, i-1)
	}
	for i := n - 1; i >= 0; i-- {
		up[i] = pivot(alpha[i]-value, i < n-1, beta, i, up, i+1)
	}
	meet, least := 0, math.Inf(1)
	for i := range n {
		if gap := math.Abs(down[i] + up[i] - (alpha[i] - value)); gap < least {
			meet, least = i, gap
		}
	}
	squares, component := 1.0, 1.0
	for i := meet + 1; i < n; i++ {
		component *= -beta[i-1] / up[i]
		squares += component * component
	}
	component = 1
	for i := meet - 1; i >= 0; i-- {
		component *= -beta[i] / down[i]
		squares += component * component
	}
	return component * component / squares
}

// pivot of an elimination: a - b^2/former, where there is a former.
func pivot(a float64, coupled bool, beta []float64, b int, pivots []float64, former int) float64 {
	if coupled {
		a -= beta[b] * beta[b] / pivots[former]
	}
	if a == 0 {
		return math.SmallestNonzeroFloat32
	}
	return a
}
