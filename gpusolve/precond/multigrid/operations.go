package multigrid

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Operations are those of multigrid with exact column solves on the operator A of a mesh: T is A without its couplings
// between columns, but with its whole diagonal, one tridiagonal matrix per column. All vectors are FP32.
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
	Step(l Level, dst, x, prev, b ops.Vector, w Relaxation)
	// Streams sets x in every cell of coolant, and then of the walls between, to the solution of the equations of its
	// line along the flow, the rest of x given. It is nothing where no coolant flows.
	Streams(l Level, x, b ops.Vector)
	// RestrictStart sets bc = P^T (b - A x) where x = omega T^-1 b, which lets it do without the columns' matrices.
	RestrictStart(fine, coarse Level, bc, b, x ops.Vector, omega float32)
	// Before smooths from zero in two steps. The result is in z or in x.
	Before(l Level, z, x, b ops.Vector, s Smoothing) Smoothed
	// Restrict sets bc = P^T (b - A v.At).
	Restrict(fine, coarse Level, bc, b ops.Vector, v Smoothed)
	// After smooths the result of Before in two steps, after a correction of it, and leaves the new one in z.
	After(l Level, z, x, b ops.Vector, s Smoothing)
	// Prolong sets x += P xc.
	Prolong(fine, coarse Level, x, xc ops.Vector)
	// Bottom prepares a V-cycle over the levels of rungs in a single operation, fine to coarse, the last a single
	// column: from the first rung's B to its Z. It returns nil where the executor would gain nothing.
	Bottom(rungs []Rung, s Smoothing) (cycle func(), err error)
	// BottomColumns is the number of columns up to which a level is small enough for Bottom.
	BottomColumns() int
}

// steps are operations of one step of the smoother.
type steps interface {
	Start(l Level, x, b ops.Vector, c float32)
	Step(l Level, dst, x, prev, b ops.Vector, w Relaxation)
	Streams(l Level, x, b ops.Vector)
}

// before is Before in single operations.
func before(o steps, l Level, z, x, b ops.Vector, s Smoothing) Smoothed {
	o.Start(l, x, b, s.First)
	o.Step(l, z, x, nil, b, Relaxation{s.Momentum, s.Second})
	o.Streams(l, z, b)
	return Smoothed{At: z, Beside: x, By: s}
}

// after is After of z in single operations.
func after(o steps, l Level, z, x, b ops.Vector, s Smoothing) {
	o.Streams(l, z, b)
	o.Step(l, x, z, nil, b, Relaxation{0, s.First})
	o.Step(l, z, x, z, b, Relaxation{s.Momentum, s.Second})
}

// noBottom is for devices on which an operation costs no more than its work.
type noBottom struct{}

func (noBottom) Bottom([]Rung, Smoothing) (cycle func(), err error) { return nil, nil }
func (noBottom) BottomColumns() int                                 { return 0 }

// noStreams is for operations on systems without coolant.
type noStreams struct{}

func (noStreams) Streams(Level, ops.Vector, ops.Vector) {}

// SlabOperations are those of a rank that holds a slab of the rows. They work on the rows it holds; across has what
// passes between ranks.
type SlabOperations interface {
	Operations
	// Whole makes a level with all rows of a grid, of which l holds a slab. Its couplings and whatever else
	// Coefficients lists are to be set.
	Whole(l Level, rows int) (Level, error)
	// Coefficients are what a level is made of. Those of the whole level and of its slab are of the same kinds, in the
	// same order.
	Coefficients(l Level) []Coefficient
}

// Coefficient is a field of a level: conductances, ground, the pivots of its columns. A vector has a whole number of
// planes of the level's rows.
type Coefficient struct {
	Vector ops.Vector
	// Between says that row j couples rows j and j+1. The last row of a slab is 0 then, and stays so.
	Between bool
}

// Rung is a level with the vectors of its part in a cycle.
type Rung struct {
	Level   Level
	B, Z, X ops.Vector
}

// Smoothing holds the coefficients of the smoother: a Momentum of 0 is damped line Jacobi with weight First, any other
// Chebyshev of degree 2, x1 = x0 + First T^-1 r0, x2 = x1 + Momentum (x1 - x0) + Second T^-1 r1.
type Smoothing struct{ First, Momentum, Second float32 }

// Smoothed is what Before has made of zero. Beside is what Restrict needs besides, until the next operation on it.
type Smoothed struct {
	At, Beside ops.Vector
	By         Smoothing
}

// Relaxation is the weights of a step of the smoother.
type Relaxation struct{ A, C float32 }

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

// directions is how many of x and y are coarsened.
func (c Coarsening) directions() (n int64) {
	for _, p := range []Pairing{c.X, c.Y} {
		if p.Parent != nil {
			n++
		}
	}
	return n
}

// Pairing merges the cells of one direction, singly or in pairs. The zero value keeps the direction as it is.
type Pairing struct {
	// Parent[i] is the coarse cell of fine cell i: ascending from 0, each coarse cell having one or two fine ones.
	Parent []int32
	// Far[i] is the geometric weight of the farther of the two coarse cells that fine cell i is interpolated from: the
	// one beyond the side on which i lies in its pair. It is 0 for single cells and at the ends.
	Far []float32
	// Cells is the number of coarse cells of a slab, of which those at its ends may have no fine cell in it; 0 means
	// that Parent gives it.
	Cells int
}

// Coarse is the number of coarse cells that n fine ones become.
func (p Pairing) Coarse(n int) int {
	switch {
	case p.Parent == nil:
		return n
	case p.Cells > 0:
		return p.Cells
	}
	return int(p.Parent[n-1]) + 1
}

// merge adds up the sizes of the cells of each coarse one.
func (p Pairing) merge(size []float64) []float64 {
	merged := make([]float64, p.Coarse(len(size)))
	for i, v := range size {
		merged[p.parent(i)] += v
	}
	return merged
}

// firsts are the first of n fine cells of every coarse one, and n as the last entry. A coarse cell without fine ones
// begins where the next does.
func (p Pairing) firsts(n int) []int32 {
	first := make([]int32, p.Coarse(n)+1)
	for c := range first {
		first[c] = int32(n)
	}
	for i := n - 1; i >= 0; i-- {
		first[p.Parent[i]] = int32(i)
	}
	for c := len(first) - 2; c >= 0; c-- {
		first[c] = min(first[c], first[c+1])
	}
	return first
}

// On gives the operations on a mesh's system.
func On(s ops.System) (Operations, error) {
	return precond.On(s, "multigrid", onRanks, onHost, cooledOnGPU, onGPU)
}
