package mixed

import "fmt"

// Mode says in which precisions Solver iterates.
type Mode int

// The modes.
const (
	// Adaptive begins with FP32 entries and FP64 arithmetic and goes on with FP64 entries when the residual asks for
	// it; the preconditioner works in FP32. Everything else is FP64.
	Adaptive Mode = iota
	// FixedDouble, FixedSingle and FixedHalf keep matrix, vectors and preconditioner in one precision.
	FixedDouble
	FixedSingle
	FixedHalf
)

// modeNames are how users write the modes.
var modeNames = [...]string{"adaptive", "fixed-fp64", "fixed-fp32", "fixed-fp16"}

// String is the mode's name.
func (m Mode) String() string { return modeNames[m] }

// Modes lists the names of all modes.
func Modes() []string { return modeNames[:] }

// ModeOf finds a mode by its name.
func ModeOf(name string) (Mode, error) {
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
