package ops

// Mixing holds the operations on FP64 vectors that a fixed-point iteration needs, with Anderson's acceleration. All operators have them.
type Mixing interface {
	Space
	// Combine sets dst = a x + b y. dst may be x or y.
	Combine(dst Vector, a float64, x Vector, b float64, y Vector)
	// Inner returns x.y, and the largest |x|.
	Inner(x, y Vector) (product, largest float64)
}
