package ops

import "math"

// Precision is the format of a vector or of the entries of a matrix.
type Precision int

// The precisions: IEEE binary64, binary32 and binary16.
const (
	Double Precision = iota
	Single
	Half
)

// Bytes of a number.
func (p Precision) Bytes() int64 { return []int64{8, 4, 2}[p] }

// String is the format's usual name.
func (p Precision) String() string { return []string{"fp64", "fp32", "fp16"}[p] }

// Copies says in which precisions and in which form a matrix is kept.
type Copies struct {
	Double, Single, Half bool
	// Scaled keeps S A S in place of A, S = diag(A)^-1/2 rounded to FP32.
	Scaled bool
	// PromotePlanes decides for every plane which of the off-diagonals are large and therefore multiplied in FP32 when entries are FP16.
	// Otherwise the coupling of planes always is, and the couplings in planes never are.
	PromotePlanes bool
}

// Stored is a matrix in one or several precisions on a device.
type Stored interface {
	// Bytes of device memory.
	Bytes() int64
	// Promoted counts the planes in which the diagonals at the offsets 1, nx and nx ny are multiplied in FP32 when entries are FP16.
	Promoted() [3]int
	// Release gives the memory back.
	Release()
}

// MixedPrecision holds products with a matrix and the operations of conjugate gradients in chosen precisions. A matrix of seven diagonals is
// kept as four, main, x, y and z of Diagonals, without padding ("Quad-Diag" of Wang et al., CUTh-Solver, 2026); a matrix by rows as CSR.
//
// Vectors come from NewMixed. A product takes one of these pairs of precisions, of the entries and of the vectors:
//
//	fp64, fp64    all in FP64
//	fp32, fp64    FP32 entries, arithmetic in FP64
//	fp32, fp32    all in FP32
//	fp16, fp32    FP16 entries; the main diagonal and the promoted ones are multiplied in FP32, the others in FP16 with x rounded to
//	              FP16, and all are added in FP32. Diagonals only.
//	fp16, fp16    sums in FP32, the result rounded to FP16. Diagonals only.
//
// FP16 entries are kept times a power of two that brings the largest to [8, 16); products undo it.
type MixedPrecision interface {
	Space
	// StoreDiagonals copies a symmetric matrix. It fails where a main diagonal is not positive.
	StoreDiagonals(d Diagonals, c Copies) (Stored, error)
	// StoreRows copies a matrix in CSR form, unscaled, without Half. FP64 entries are referred to: r must stay.
	StoreRows(r Rows, c Copies) (Stored, error)
	// NewMixed makes a zero vector whose neighbours in a matrix's grid can be read.
	NewMixed(a Stored, p Precision) (Vector, error)

	// MixedMultiply sets y = A x.
	MixedMultiply(a Stored, entries Precision, y, x Vector)
	// MixedCurve sets q = A p, PQ = p.q and Alpha = RZ/PQ (0 where that is not a number or PQ not positive).
	MixedCurve(a Stored, entries Precision, q, p Vector)
	// MixedDot sets RZ = r.z, MaxZ and Beta like Krylov.Dot. z may be less precise than r.
	MixedDot(r, z Vector, first bool)
	// MixedTurn sets p = z + Beta p. z may be less precise than p.
	MixedTurn(p, z Vector)
	// MixedUpdate sets x += Alpha p (not where Alpha is 0), r -= Alpha q, RR = r.r and, where r32 is not nil, r32 = r. All others have one precision.
	MixedUpdate(x, r, r32, p, q Vector)
	// MixedGap returns ||a - b|| of FP64 vectors.
	MixedGap(a, b Vector) float64
	// MixedConvert sets dst = factor src, rounded.
	MixedConvert(dst, src Vector, factor float64)
	// MixedScale sets z = d r with an FP32 vector d, or z = r where d is nil.
	MixedScale(z, d, r Vector)
	// Scalars waits for the device and reads them.
	Scalars() Scalars
}

// Clock is a Space that measures how long the device works.
type Clock interface {
	// Time returns the seconds that the operations of body take on the device.
	Time(body func()) (float64, error)
}

// HalfExponent is the power of two that brings the largest of all sizes to [8, 16): room for products below the largest FP16 number, and
// seventeen binary digits of range above the smallest normal one.
func HalfExponent(sizes [][4]float64) int {
	top := 0.0
	for _, s := range sizes {
		top = max(top, s[0], s[1], s[2], s[3])
	}
	_, e := math.Frexp(top) // top = m 2^e, 0.5 <= m < 1
	return 4 - e
}

// largeShare of a plane's largest main entry makes an off-diagonal one large. FP16 entries are wrong by 2^-12 of their size. Rounding x and the
// product adds as much again to what is multiplied in FP16; below this share the main diagonal's error hides it.
const largeShare = 1.0 / 16

// Promotions decides which off-diagonals are multiplied in FP32 when entries are FP16, from the largest sizes of every plane's entries of main,
// x, y and z: a mask for each plane, of the bits 1, 2 and 4 for x, y and z, and the number of planes that have each bit.
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
