package ops

// Chebyshev holds the operations of the Chebyshev iteration and of the Lanczos method that finds its bounds. Vectors are those of
// MixedPrecision; the iteration's all have the precision of the matrix product's vectors.
type Chebyshev interface {
	MixedPrecision
	// ChebyshevStart sets rest = c S r and d = rest/theta. c is 1, or with lift a power of two that brings max|d| to [4, 8), as products in
	// FP16 need; it stays on the device for ChebyshevStep. S is 1 in the plain form.
	ChebyshevStart(a Stored, rest, d, r Vector, theta float64, lift bool)
	// ChebyshevStep does, in one pass,
	//
	//	z += d, rest -= A d, next = Keep d + Gain rest
	//
	// In the first step z counts as zero. The last sets z = S (z + d + next)/c and leaves rest and next undefined.
	ChebyshevStep(a Stored, entries Precision, s Recurrence, z, rest, d, next Vector)
	// ChebyshevRelax is ChebyshevStep where y = A d has been formed before; d becomes next.
	ChebyshevRelax(a Stored, s Recurrence, z, rest, d, y Vector)

	// LanczosSeed fills an FP32 vector with numbers from -1 to 1 that depend on seed and position alone, and sets RR = v.v.
	LanczosSeed(v Vector, seed uint32)
	// LanczosPurge sets w -= alpha v + beta u and RR = w.w. A nil u counts as zero.
	LanczosPurge(w, v, u Vector, alpha, beta float64)
}

// Recurrence is a step of the Chebyshev iteration.
type Recurrence struct {
	Keep, Gain  float64
	First, Last bool
}
