package interpreter

import "math/bits"

// The loops over a warp's lanes. A vectorised step costs one dispatch for 32 threads.

func apply1(d, a int, f func(x uint64) uint64) step {
	return func(w *warp, m uint32) {
		D, A := &w.r[d], &w.r[a]
		if m == allLanes {
			for l := range D {
				D[l] = f(A[l])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			D[l] = f(A[l])
		}
	}
}

func apply2(d, a, b int, f func(x, y uint64) uint64) step {
	return func(w *warp, m uint32) {
		D, A, B := &w.r[d], &w.r[a], &w.r[b]
		if m == allLanes {
			for l := range D {
				D[l] = f(A[l], B[l])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			D[l] = f(A[l], B[l])
		}
	}
}

func apply3(d, a, b, c int, f func(x, y, z uint64) uint64) step {
	return func(w *warp, m uint32) {
		D, A, B, C := &w.r[d], &w.r[a], &w.r[b], &w.r[c]
		if m == allLanes {
			for l := range D {
				D[l] = f(A[l], B[l], C[l])
			}
			return
		}
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			D[l] = f(A[l], B[l], C[l])
		}
	}
}

func compare2(p, a, b int, f func(x, y uint64) bool) step {
	return func(w *warp, m uint32) {
		A, B := &w.r[a], &w.r[b]
		var out uint32
		for k := m; k != 0; k &= k - 1 {
			l := bits.TrailingZeros32(k) & 31
			if f(A[l], B[l]) {
				out |= 1 << l
			}
		}
		w.setPredicate(p, m, out)
	}
}
