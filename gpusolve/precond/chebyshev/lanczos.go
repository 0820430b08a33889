package chebyshev

import (
	"fmt"
	"math"

	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/solution"
)

// flattest is the share of a diagonal entry below which FP32 knows nothing of what couples it with the next.
const flattest = 0x1p-23

// lanczos estimates the extremes of A's spectrum: the three-term recurrence in FP32, without orthogonalising again, and
// the eigenvalues of the tridiagonal matrix in FP64. Values found lie inside the spectrum, except for rounding. vectors
// are FP32 ones to work in.
func lanczos(s Operations, a mixed.Stored, set precond.Settings, vectors [3]ops.Vector) (solution.Spectrum, error) {
	b := solution.Spectrum{Seed: set.Int("seed"), Start: set.Text("start"), Margin: set.Float("margin")}
	alpha, beta, err := tridiagonal(s, a, set.Int("steps"), b, vectors)
	if err != nil {
		return b, err
	}
	b.Steps = len(alpha)
	b.Least, b.Largest = extremes(alpha, beta)
	b.High = b.Largest * (1 + b.Margin)
	// The least value is known to the rounding errors of the whole process.
	if !(b.Largest > 0) || b.Least < -1e-5*b.Largest {
		return b, fmt.Errorf("%w: the matrix is not positive definite: its spectrum reaches from %.3g to %.3g; "+
			"chebyshev needs one that is", precond.ErrRefused, b.Least, b.Largest)
	}
	if b.Low = math.Max(b.Least, flattest*b.High); set.Text("bounds") == "raised" {
		b.Low = lower(alpha, beta, b, set.Int("degree"), vectors[0].Len())
	}
	return b, nil
}

// tridiagonal runs the process: alpha is the diagonal, beta what couples neighbours.
func tridiagonal(s Operations, a mixed.Stored, steps int, b solution.Spectrum, vectors [3]ops.Vector) (alpha,
	beta []float64, err error) {
	u, v, w := vectors[0], vectors[1], vectors[2]
	if b.Start == "noise" {
		s.Seed(w, uint32(b.Seed))
	} else {
		ones, err := s.New64()
		if err != nil {
			return nil, nil, err
		}
		s.Fill(ones, 1)
		s.Convert(w, ones, 1)
		s.Purge(w, v, nil, 0, 0) // for the norm
	}
	norm := math.Sqrt(s.Scalars().RR)
	s.Convert(v, w, 1/norm)
	var former ops.Vector // nil at first
	for range steps {
		s.Curve(a, mixed.Single, w, v)
		diagonal := s.Scalars().PQ
		last := 0.0
		if len(beta) > 0 {
			last = beta[len(beta)-1]
		}
		s.Purge(w, v, former, diagonal, last)
		norm = math.Sqrt(s.Scalars().RR)
		if s.Err() != nil {
			return nil, nil, s.Err()
		}
		if diagonal-diagonal != 0 || norm-norm != 0 {
			return nil, nil, fmt.Errorf("%w: the matrix has entries beyond the range of FP32; scale the system",
				precond.ErrRefused)
		}
		alpha, beta = append(alpha, diagonal), append(beta, norm)
		if norm <= flattest*math.Abs(diagonal) {
			break // the space is invariant
		}
		s.Convert(u, w, 1/norm)
		u, v, former = v, u, v
	}
	return alpha, beta[:len(beta)-1], nil
}

// extremes are the least and the largest eigenvalue of a symmetric tridiagonal matrix, by bisection on Sturm counts
// (Golub and Van Loan, section 8.4).
func extremes(alpha, beta []float64) (least, largest float64) {
	low, high := gershgorin(alpha, beta)
	return kth(alpha, beta, 1, low, high), kth(alpha, beta, len(alpha), low, high)
}

// gershgorin bounds the eigenvalues of a symmetric tridiagonal matrix.
func gershgorin(alpha, beta []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i, a := range alpha {
		r := 0.0
		if i > 0 {
			r += math.Abs(beta[i-1])
		}
		if i < len(beta) {
			r += math.Abs(beta[i])
		}
		low, high = math.Min(low, a-r), math.Max(high, a+r)
	}
	return low, high
}

// kth is the k-th smallest eigenvalue, which lies between low and high.
func kth(alpha, beta []float64, k int, low, high float64) float64 {
	for range 200 {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			break
		}
		if below(alpha, beta, middle) >= k {
			high = middle
		} else {
			low = middle
		}
	}
	return low + (high-low)/2
}

// below counts the eigenvalues less than x: the negative pivots of T - x.
func below(alpha, beta []float64, x float64) int {
	count, pivot := 0, 1.0
	for i, a := range alpha {
		square := 0.0
		if i > 0 {
			square = beta[i-1] * beta[i-1]
		}
		pivot = a - x - square/pivot
		if pivot == 0 {
			pivot = -math.SmallestNonzeroFloat32
		}
		if pivot < 0 {
			count++
		}
	}
	return count
}

// Within [low, high] the polynomial of degree k brings all eigenvalues to 1 +- e, e = 1/T_k(sigma), sigma =
// (high+low)/(high-low). Eigenvalues below become p(0) times what they were. The smaller low, the larger are e and
// p(0), which cannot exceed 2k^2/high (Markov's inequality).
//
//	e = 1/3: condition number 2 within, p(0) at 0.54 of its limit.
//	e = 2/3: condition number 5 within, p(0) at 0.77 of its limit.
//
// Below that e goes to 1 and the values within spread over (0, 2) without any gain. Where many eigenvalues lie below
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

// first is the square of the first component of an eigenvector of length one. The factorisation eliminates from both
// ends and meets where the vector is largest (Parlett and Dhillon, Linear Algebra and its Applications 267, 1997),
// because the recurrence from one end alone is not stable.
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
