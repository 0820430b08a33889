package mixed

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

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
	// PromotePlanes decides for every plane which of the off-diagonals are large and therefore multiplied in FP32 when
	// entries are FP16. Otherwise the coupling of planes always is, and the couplings in planes never are.
	PromotePlanes bool
}

// Stored is a matrix in one or several precisions on a device.
type Stored interface {
	// Bytes of device memory.
	Bytes() int64
	// Promoted counts the planes in which the diagonals at the offsets 1, nx and nx ny are multiplied in FP32 when
	// entries are FP16.
	Promoted() [3]int
	// Release gives the memory back.
	Release()
}

// Operations are those of conjugate gradients in chosen precisions, on a workspace: products with a matrix, and what
// goes on between them. A matrix of seven diagonals is kept as four, main, x, y and z of ops.Diagonals, without padding
// ("Quad-Diag" of Wang et al.); a matrix by rows as CSR.
//
// Vectors come from NewVector. A product takes one of these pairs of precisions, of the entries and of the vectors:
//
//	fp64, fp64    all in FP64
//	fp32, fp64    FP32 entries, arithmetic in FP64
//	fp32, fp32    all in FP32
//	fp16, fp32    FP16 entries; the main diagonal and the promoted ones are multiplied in FP32, the others in FP16
//	              with x rounded to FP16, and all are added in FP32. Diagonals only.
//	fp16, fp16    sums in FP32, the result rounded to FP16. Diagonals only.
//
// FP16 entries are kept times a power of two that brings the largest to [8, 16); products undo it.
type Operations interface {
	ops.Space
	// StoreDiagonals copies a symmetric matrix. It fails where a main diagonal is not positive.
	StoreDiagonals(d ops.Diagonals, c Copies) (Stored, error)
	// StoreRows copies a matrix in CSR form, unscaled, without Half. FP64 entries are referred to: r must stay.
	StoreRows(r ops.Rows, c Copies) (Stored, error)
	// NewVector makes a zero vector whose neighbours in a matrix's grid can be read.
	NewVector(a Stored, p Precision) (ops.Vector, error)

	// Multiply sets y = A x.
	Multiply(a Stored, entries Precision, y, x ops.Vector)
	// Curve sets q = A p, PQ = p.q and Alpha = RZ/PQ (0 where that is not a number or PQ not positive).
	Curve(a Stored, entries Precision, q, p ops.Vector)
	// Dot sets RZ = r.z, MaxZ and Beta like that of ops.Workspace. z may be less precise than r.
	Dot(r, z ops.Vector, first bool)
	// Turn sets p = z + Beta p. z may be less precise than p.
	Turn(p, z ops.Vector)
	// Update sets x += Alpha p (not where Alpha is 0), r -= Alpha q, RR = r.r and, where r32 is not nil, r32 = r. All
	// others have one precision.
	Update(x, r, r32, p, q ops.Vector)
	// Gap returns ||a - b|| of FP64 vectors.
	Gap(a, b ops.Vector) float64
	// Convert sets dst = factor src, rounded.
	Convert(dst, src ops.Vector, factor float64)
	// Scale sets z = d r with an FP32 vector d, or z = r where d is nil.
	Scale(z, d, r ops.Vector)
	// Scalars waits for the device and reads them.
	Scalars() ops.Scalars
}

// On gives the operations of a workspace.
func On(w ops.Workspace) (Operations, error) { return precond.On(w, "mixed precision", onHost, onGPU) }
