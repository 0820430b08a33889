package fourier

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
	"thermsim/powermap"
)

// Load is heat with one lateral shape that enters planes: plane First+i takes Shares[i] of the watts that the drawing
// has in its column.
type Load struct {
	powermap.Drawing // the same Outline pointer is the same shape from call to call
	First            int
	Shares           []float64
}

// Modes are a state in coefficients of the basis functions, NX*NY*NZ of FP64 on a device. The layout is the device's
// own.
type Modes interface {
	Bytes() int64
}

// Norms are those of a residual.
type Norms struct {
	ops.Norms
	Max float64 // largest absolute value of the residual in a mean cell's area, W
}

// Operations are those of the method on a device. They return no errors: as with ops.Space, the first failure is kept
// in Err, and what follows does nothing.
type Operations interface {
	// Reducer takes the vectors that NewPlanes makes for all planes of a state.
	reduction.Reducer
	// NewModes makes a state of zeros.
	NewModes() (Modes, error)
	// NewPlanes makes room for n planes of a state in space: an FP64 vector, x fastest.
	NewPlanes(n int) (ops.Vector, error)
	// SetLoads makes the loads the right-hand side b. Spectra of footprints are products of two one-dimensional
	// transforms; planes take the two-dimensional one. What was made for an Outline that the last call had too is kept.
	SetLoads(loads []Load)
	// Solve sets x = (A + C/dt)^-1 (b + C/dt old), steps times in a row, each time with x as old. In a steady state old
	// is nil and steps is 1. x may be old.
	Solve(x, old Modes, steps int)
	// Combine sets dst = a x + b y. dst may be x or y.
	Combine(dst Modes, a float64, x Modes, b float64, y Modes)
	// Inverse sets plane at+i of dst to plane first+i of m in space, i = 0..n-1.
	Inverse(dst ops.Vector, at int, m Modes, first, n int)
	// Forward is the reverse: it replaces planes first to first+n-1 of m by src.
	Forward(m Modes, first, n int, src ops.Vector)
	// Precondition sets z = A^-1 r for FP32 vectors of a whole grid in the layout of ops.Space.
	Precondition(z, r ops.Vector)
	// Refresh takes the conductances and capacities of the Layered that the operations were made for, which have
	// changed.
	Refresh()
	// Sum is the sum of plane k of m over its cells, each times wx[i] wy[j]: means of footprints, and the heat through
	// faces.
	Sum(m Modes, k int, wx, wy []float64) float64
	// Max is the largest value of the n planes from p's plane at on in the rows of this rank, NaN where any is NaN.
	Max(p ops.Vector, at, n int) float64
	// Largest is that of a number of all ranks, which all ask for it, NaN where any is NaN.
	Largest(mine float64) float64
	// Read copies plane i of p to the host, Write the other way.
	Read(p ops.Vector, i int, dst []float64)
	Write(p ops.Vector, i int, src []float64)
	// ReadModes copies the coefficients of m to the host, in the layout of the device, WriteModes the other way: a
	// state comes back bit by bit.
	ReadModes(m Modes, dst []float64)
	WriteModes(m Modes, src []float64)
	// Residual is that of x in space, b + C/dt old - (A + C/dt) x, computed from planes in FP64; old is nil in a steady
	// state. Where p is not nil it holds all planes of x already, as Inverse makes them; otherwise the device makes
	// them, as many at a time as it has room for.
	Residual(x, old Modes, p ops.Vector) Norms
	Err() error
	// Close gives back all that was made.
	Close()
}
