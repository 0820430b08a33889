package mixed

import "math"

// HalfExponent is the power of two that brings the largest of all sizes to [8, 16): room for products below the largest
// FP16 number, and seventeen binary digits of range above the smallest normal one.
func HalfExponent(sizes [][4]float64) int {
	top := 0.0
	for _, s := range sizes {
		top = max(top, s[0], s[1], s[2], s[3])
	}
	_, e := math.Frexp(top) // top = m 2^e, 0.5 <= m < 1
	return 4 - e
}

// largeShare of a plane's largest main entry makes an off-diagonal one large. FP16 entries are wrong by 2^-12 of their
// size. Rounding x and the product adds as much again to what is multiplied in FP16; below this share the main
// diagonal's error hides it.
const largeShare = 1.0 / 16

// Promotions decides which off-diagonals are multiplied in FP32 when entries are FP16, from the largest sizes of every
// plane's entries of main, x, y and z: a mask for each plane, of the bits 1, 2 and 4 for x, y and z, and the number of
// planes that have each bit.
func Promotions(sizes [][4]float64, byPlane bool) (masks []int32, promoted [3]int) {
	masks = make([]int32, len(sizes))
	for k, s := range sizes {
		masks[k] = 4
		if byPlane {
			masks[k] = 0
			for i := range 3 {
				main := s[0]
				if i == 2 && k+1 < len(sizes) {
					main = min(main, sizes[k+1][0])
				}
				if s[i+1] >= largeShare*main {
					masks[k] |= 1 << i
				}
			}
		}
		for i := range promoted {
			promoted[i] += int(masks[k] >> i & 1)
		}
	}
	return masks, promoted
}
