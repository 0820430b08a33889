package multigrid

import (
	"errors"

	"thermsim/gpusolve/ops"
)

// Operations are those of multigrid with exact column solves on the operator A of a mesh: T is A without its couplings between columns, but with its whole
// diagonal, one tridiagonal matrix per column. All vectors are FP32.
type Operations interface {
	// Finest is the level of the system itself.
	Finest() (Level, error)
	// Coarsen builds the next level and the transfer between.
	Coarsen(fine Level, c Coarsening) (Level, error)
	// RefreshLevel computes a level again, after the system was refreshed and the finer levels before.
	RefreshLevel(l Level) error
	// NewVector makes a vector on a level.
	NewVector(l Level) (ops.Vector, error)
	// Start sets x = c T^-1 b.
	Start(l Level, x, b ops.Vector, c float32)
	// Step sets dst = x + a (x - prev) + c T^-1 (b - A x). A nil prev counts as zero. dst may be prev, never x.
	Step(l Level, dst, x, prev, b ops.Vector, a, c float32)
	// Streams sets x in every cell of coolant, and then of the walls between, to the solution of the equations of its line along the flow, the rest of x
	// given. It is nothing where no coolant flows.
	Streams(l Level, x, b ops.Vector)
	// RestrictStart sets bc = P^T (b - A x) where x = omega T^-1 b, which lets it do without the columns' matrices.
	RestrictStart(fine, coarse Level, bc, b, x ops.Vector, omega float32)
	// Restrict sets bc = P^T (b - A x).
	Restrict(fine, coarse Level, bc, b, x ops.Vector)
	// Prolong sets x += P xc.
	Prolong(fine, coarse Level, x, xc ops.Vector)
	// Bottom prepares a V-cycle over the levels of rungs in a single operation, fine to coarse, the last a single column: from the first rung's B to its
	// Z. It returns nil where the executor would gain nothing.
	Bottom(rungs []Rung, s Smoothing) (cycle func(), err error)
	// BottomColumns is the number of columns up to which a level is small enough for Bottom.
	BottomColumns() int
}

// Rung is a level with the vectors of its part in a cycle.
type Rung struct {
	Level   Level
	B, Z, X ops.Vector
}

// Smoothing holds the coefficients of the smoother: a Momentum of 0 is damped line Jacobi with weight First, any other Chebyshev of
// degree 2, x1 = x0 + First T^-1 r0, x2 = x1 + Momentum (x1 - x0) + Second T^-1 r1.
type Smoothing struct{ First, Momentum, Second float32 }

// Level is one grid of the hierarchy.
type Level interface {
	Shape() (nx, ny, nz int)
}

// Coarsening says how a level follows from the finer one.
type Coarsening struct {
	X, Y Pairing
	// Weighted[k] asks for conductance-weighted instead of geometric interpolation in plane k.
	Weighted []bool
}

// Pairing merges the cells of one direction, singly or in pairs. The zero value keeps the direction as it is.
type Pairing struct {
	// Parent[i] is the coarse cell of fine cell i: ascending from 0, each coarse cell having one or two fine ones.
	Parent []int32
	// Far[i] is the geometric weight of the farther of the two coarse cells that fine cell i is interpolated from: the one beyond
	// the side on which i lies in its pair. It is 0 for single cells and at the ends.
	Far []float32
}

// Coarse is the number of coarse cells that n fine ones become.
func (p Pairing) Coarse(n int) int {
	if p.Parent == nil {
		return n
	}
	return int(p.Parent[n-1]) + 1
}

// On gives the operations on a mesh's system.
func On(s ops.System) (Operations, error) {
	if o, ok := onHost(s); ok {
		return o, nil
	}
	if o, ok := cooledOnGPU(s); ok {
		return o, nil
	}
	if o, ok := onGPU(s); ok {
		return o, nil
	}
	return nil, errors.New("this device has no multigrid operations")
}
