package interpreter

import (
	"math"
	"math/bits"
)

// The instructions that kernels execute most, with their loops written out: a call per lane would cost more than the
// operation.

func fast2(name string, d, a, b int) step {
	switch name {
	case "add.s64", "add.u64":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			if m == allLanes {
				for l := range D {
					D[l] = A[l] + B[l]
				}
				return
			}
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = A[l] + B[l]
			}
		}
	case "add.s32", "add.u32":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			if m == allLanes {
				for l := range D {
					D[l] = (A[l] + B[l]) & 0xffffffff
				}
				return
			}
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = (A[l] + B[l]) & 0xffffffff
			}
		}
	case "sub.s32", "sub.u32":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = (A[l] - B[l]) & 0xffffffff
			}
		}
	case "mul.lo.s32", "mul.lo.u32":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = (A[l] * B[l]) & 0xffffffff
			}
		}
	case "mul.wide.s32":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = uint64(int64(int32(A[l])) * int64(int32(B[l])))
			}
		}
	case "mul.wide.u32":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = uint64(uint32(A[l])) * uint64(uint32(B[l]))
			}
		}
	case "shr.s32":
		return shiftRight[int32](d, a, b, 32)
	case "shr.u32":
		return shiftRight[uint32](d, a, b, 32)
	case "shr.s64":
		return shiftRight[int64](d, a, b, 64)
	case "shr.u64":
		return shiftRight[uint64](d, a, b, 64)
	case "shl.b32":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = A[l] << min(uint32(B[l]), 32) & 0xffffffff
			}
		}
	case "shl.b64":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = A[l] << min(uint32(B[l]), 64)
			}
		}
	case "sub.f64":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = bits64(f64(A[l]) - f64(B[l]))
			}
		}
	case "add.f32":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = bits32(f32(A[l]) + f32(B[l]))
			}
		}
	case "sub.f32":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = bits32(f32(A[l]) - f32(B[l]))
			}
		}
	case "mul.f32":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = bits32(f32(A[l]) * f32(B[l]))
			}
		}
	case "add.f64":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = bits64(f64(A[l]) + f64(B[l]))
			}
		}
	case "mul.f64":
		return func(w *warp, m uint32) {
			D, A, B := &w.r[d], &w.r[a], &w.r[b]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = bits64(f64(A[l]) * f64(B[l]))
			}
		}
	}
	return nil
}

func shiftRight[T int32 | uint32 | int64 | uint64](d, a, b int, size uint32) step {
	cut := ^uint64(0) >> (64 - size)
	return func(w *warp, m uint32) {
		D, A, B := &w.r[d], &w.r[a], &w.r[b]
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			D[l] = uint64(T(A[l])>>min(uint32(B[l]), size)) & cut
		}
	}
}

func fast3(name string, d, a, b, c int) step {
	switch name {
	case "fma.f32":
		return func(w *warp, m uint32) {
			D, A, B, C := &w.r[d], &w.r[a], &w.r[b], &w.r[c]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				// As in fma32, whose common case is repeated here.
				p, z := float64(f32(A[l]))*float64(f32(B[l])), float64(f32(C[l]))
				s := float64(p) + z
				if math.Float64bits(s)&0x1fffffff != 0x10000000 && math.Abs(s) >= 0x1p-125 {
					D[l] = bits32(float32(s))
				} else {
					D[l] = bits32(float32(sumToOdd(p, z)))
				}
			}
		}
	case "mad.lo.s32", "mad.lo.u32":
		return func(w *warp, m uint32) {
			D, A, B, C := &w.r[d], &w.r[a], &w.r[b], &w.r[c]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = (A[l]*B[l] + C[l]) & 0xffffffff
			}
		}
	case "fma.f64":
		return func(w *warp, m uint32) {
			D, A, B, C := &w.r[d], &w.r[a], &w.r[b], &w.r[c]
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				D[l] = bits64(math.FMA(f64(A[l]), f64(B[l]), f64(C[l])))
			}
		}
	}
	return nil
}
