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
// the eigenvalues of the tridiagonal matrix in FP64. Values found lie inside the spectrum, but for rounding. vectors
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
	b.Low = lower(alpha, beta, b, set.Int("degree"), vectors[0].Len())
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
