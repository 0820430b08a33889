package mixed

import (
	"fmt"
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/method"
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

func (p Precision) Bytes() int64 { return []int64{8, 4, 2}[p] }

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
	// Promoted counts the planes in which the diagonals at the offsets 1, nx and nx ny are multiplied in FP32 when
	// entries are FP16.
	Promoted() [3]int
	// Release gives the memory back.
	Release()
}

// Operations are those of conjugate gradients in chosen precisions, on a workspace: products with a matrix, and the
// operations on vectors between them. A matrix of seven diagonals is kept as four, main, x, y and z of ops.Diagonals,
// without padding ("Quad-Diag" of Wang et al.); a matrix by rows as CSR.
//
// Vectors come from NewVector. A product takes one of these pairs of precisions, of the entries and of the vectors:
//
//	fp64, fp64    all in FP64
//	fp32, fp64    FP32 entries, arithmetic in FP64
//	fp32, fp32    all in FP32
//	fp16, fp32    FP16 entries, diagonals only. The main diagonal and the promoted ones are multiplied in FP32, the
//	              others in FP16 with x rounded to FP16. All are added in FP32.
//	fp16, fp16    diagonals only; sums in FP32, the result rounded to FP16.
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

// Mode says in which precisions Solver iterates.
type Mode int

// The modes.
const (
	// Adaptive begins with FP32 entries and FP64 arithmetic and continues with FP64 entries when the residual asks for
	// it; the preconditioner works in FP32. Everything else is FP64.
	Adaptive Mode = iota
	// FixedDouble, FixedSingle and FixedHalf keep matrix, vectors and preconditioner in one precision.
	FixedDouble
	FixedSingle
	FixedHalf
)

// modeNames are how users write the modes.
var modeNames = [...]string{"adaptive", "fixed-fp64", "fixed-fp32", "fixed-fp16"}

func (m Mode) String() string { return modeNames[m] }

// Modes lists the names of all modes.
func Modes() []string { return modeNames[:] }

// Auto is the mode that suits the device: Adaptive on a GPU, FixedDouble on a processor, which has no FP16.
const Auto = "auto"

// ModeOf finds a mode by its name.
func ModeOf(name string, gpu bool) (Mode, error) {
	switch {
	case name == Auto && gpu:
		return Adaptive, nil
	case name == Auto:
		return FixedDouble, nil
	}
	for i, n := range modeNames {
		if n == name {
			return Mode(i), nil
		}
	}
	return 0, fmt.Errorf("precision %q is unknown", name)
}

// Vectors is the precision of the iteration's vectors, Inner that of the preconditioner's.
func (m Mode) Vectors() Precision {
	return []Precision{Double, Double, Single, Half}[m]
}

// Inner is the precision of the vectors that the preconditioner takes and gives.
func (m Mode) Inner() Precision {
	return []Precision{Single, Double, Single, Half}[m]
}

// Copies of the matrix that the iteration multiplies with.
func (m Mode) Copies() Copies {
	return Copies{Double: m <= FixedDouble, Single: m == Adaptive || m == FixedSingle, Half: m == FixedHalf}
}

// Formats of the matrix that Solver and its preconditioners multiply with.
const (
	QuadDiag = "quaddiag"
	RowWise  = "csr"
)

// Keys are the settings of methods that Solver solves with; standard is the default mode.
func Keys(standard string, more ...string) []precond.Key {
	return []precond.Key{
		{Name: "precision", Kind: precond.Word, Default: standard, Words: append(more, Modes()...),
			Doc: "Precisions of the solve; the fixed ones are for comparison."},
		{Name: "format", Kind: precond.Word, Default: QuadDiag, Words: []string{QuadDiag, RowWise},
			Doc: "Storage of the matrix; csr, for comparison and for matrices without a grid, has no FP16."},
	}
}

// Most is how many unknowns methods take with their settings: the columns of rows are numbers of 32 bits.
func Most(set precond.Settings) int64 {
	if set.Text("format") == RowWise {
		return math.MaxInt32
	}
	return 0
}

// Store makes copies of a system's matrix in a format. A matrix that has no such copies is refused.
func Store(s ops.Operator, sys Operations, format string, c Copies) (Stored, error) {
	forms, err := ops.FormsOf(s)
	if err != nil {
		return nil, err
	}
	if format == RowWise {
		if c.Half || c.Scaled {
			return nil, fmt.Errorf("%w: format=csr has neither FP16 nor the scaled form; take format=quaddiag",
				precond.ErrRefused)
		}
		if !s.Symmetric() {
			return nil, fmt.Errorf("%w: conjugate gradients need a symmetric matrix, and this one is not",
				precond.ErrRefused)
		}
		r, err := forms.Rows() // stays: its FP64 entries are multiplied with
		if err != nil {
			return nil, err
		}
		return sys.StoreRows(r, c)
	}
	d, err := forms.Diagonals()
	if err != nil {
		return nil, refused(s, fmt.Errorf("%w, or format=csr", err))
	}
	defer d.Release()
	m, err := sys.StoreDiagonals(d, c)
	return m, refused(s, err)
}

// refused marks an error that is the matrix's fault and not the device's.
func refused(s ops.Operator, err error) error {
	if err == nil || s.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", precond.ErrRefused, err)
}

// LowPrecision is a preconditioner for Solver.
type LowPrecision interface {
	precond.Preconditioner
	// Matrix holds Mode().Copies() of A.
	Matrix() Stored
	// Mode is the iteration's.
	Mode() Mode
}

// MethodSolver is Solver where the method's preconditioner is a LowPrecision, else the Krylov method that suits the
// matrix.
func MethodSolver() method.Solver { return method.Solver{New: newMethodSolver, Memory: methodMemory} }

func newMethodSolver(a ops.Operator, m *precond.Instance, set precond.Settings) (krylov.Solver, error) {
	if low, ok := m.Unwrap().(LowPrecision); ok {
		return NewSolver(a, m, func() Stored { return m.Unwrap().(LowPrecision).Matrix() }, low.Mode())
	}
	return method.Suitable().New(a, m, set)
}

func methodMemory(s precond.Shape, set precond.Settings) int64 {
	if mode, err := ModeOf(set.Text("precision"), s.GPU); err == nil {
		return Memory(s, mode)
	}
	return method.Suitable().Memory(s, set)
}

// Memory is what New takes in a mode.
func Memory(s precond.Shape, m Mode) int64 {
	width := 3*Width(s, m.Vectors()) + Width(s, m.Inner()) + 8 + 4
	if m >= FixedSingle {
		width += Width(s, m.Vectors()) + 8
	}
	if m == Adaptive {
		width += 4
	}
	return VectorMemory(s, width)
}

// VectorMemory is a vector for mixed precision with a number of bytes per value. On a GPU its pads are always as long
// as the grid's rows.
func VectorMemory(s precond.Shape, width int64) int64 {
	if !s.GPU && !s.Assembled {
		return width * s.Unknowns
	}
	return width * precond.Padded(s.Unknowns, s.NX)
}

// Width of a value in bytes; the processor keeps FP16 values in FP32.
func Width(s precond.Shape, p Precision) int64 {
	switch {
	case p == Double:
		return 8
	case p == Single || !s.GPU:
		return 4
	}
	return 2
}

// StoreMemory is what Store takes: the matrix as it is copied from, and the copies.
func StoreMemory(s precond.Shape, format string, c Copies) precond.Need {
	if format == RowWise {
		n := s.Rows()
		if c.Single {
			n.Held += 4 * s.Entries
		}
		n.SetUp = max(n.SetUp, n.Held)
		return n
	}
	var width int64
	for p, wanted := range map[Precision]bool{Double: c.Double, Single: c.Single, Half: c.Half} {
		if wanted {
			width += 4 * Width(s, p)
		}
	}
	if c.Scaled {
		width += 4
	}
	extent := int64(0)
	if s.GPU {
		extent = sizesBytes * partsOfPlane(s.Unknowns/int64(s.NZ)) * int64(s.NZ)
	}
	return precond.Need{SetUp: max(width*s.Unknowns, extent) + s.Diagonals(), Held: width * s.Unknowns}
}

// sizesBytes is the memory for the five sizes that a block finds.
const sizesBytes = 5 * 8

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
// plane's entries of main, x, y and z. It returns a mask for each plane, with the bits 1, 2 and 4 for x, y and z, and
// the number of planes that have each bit.
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
