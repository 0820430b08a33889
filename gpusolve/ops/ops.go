// Package ops is the narrow waist of the solver: named numerical operations on vectors that live on a device. Solvers and
// preconditioners are written once against these interfaces; executors (package host, later a GPU) implement them.
//
// An operation, not a launch, is the unit: an executor may do it in one pass or several. Vectors are numbered like cells
// (x fastest, then y, then z) and belong to the executor that made them.
package ops

import (
	"errors"

	"thermsim/mesh"
	"thermsim/powermap"
)

// Vector is a field on one grid, held by an executor.
type Vector interface {
	Len() int     // number of values
	Bytes() int64 // memory it takes
}

// Device makes systems. It is not safe for concurrent use.
type Device interface {
	Name() string
	// Threads is the number of workers of a CPU executor, 0 elsewhere.
	Threads() int
	// Bind ties the calling goroutine to the device until unbind is called. Operations belong between the two; calls may nest.
	Bind() (unbind func())
	// Allocated is the memory of all living systems in bytes.
	Allocated() int64
	// Assemble discretises the mesh. A positive dt (s) adds C/dt to the operator, for backward Euler.
	Assemble(m *mesh.Mesh, dt float64) (System, error)
	Close() error
}

// Space makes and moves vectors of one length on a device.
type Space interface {
	New32() (Vector, error) // FP32, zero
	New64() (Vector, error) // FP64, zero
	// NewWork makes a vector in the precision in which the executor keeps residuals and products with A: FP64, or FP32 where
	// memory traffic counts more. Single returns the FP32 vector that Residual and Update keep equal to w: w itself where that is FP32.
	NewWork() (Vector, error)
	Single(w Vector) (Vector, error)
	// Read copies all values of a vector to the host, Write the other way. Levels' vectors too.
	Read(v Vector, dst []float64)
	Write(v Vector, src []float64)
	// Fill sets every value of an FP64 vector.
	Fill(x Vector, value float64)
	// Release gives vectors back before the space goes; nil ones are passed over.
	Release(vectors ...Vector)
	// Scope runs body. What body makes on the space and does not release is given back by close, all at once.
	Scope(body func() error) (close func(), err error)
	// Err is the first failure of the device, nil while all is well. After a failure operations do nothing and scalars are NaN.
	Err() error
	// Free gives back the space, all of its vectors and what else was made on it.
	Free()
}

// Operator is the matrix A of a system A x = b.
type Operator interface {
	Space
	// Symmetric says whether A is its own transpose: what conjugate gradients need.
	Symmetric() bool
	// Apply sets y = A x for FP64 vectors.
	Apply(y, x Vector)
	// Residual computes r = b - A x in FP64, rounds it to r's precision and sets r32 = r. A nil x is zero.
	Residual(r, r32 Vector, b Source, x Vector) Norms
	// SourceOf makes an FP64 vector a right side, which refers to it.
	SourceOf(v Vector) Source
	// NewWorkspace makes what one solve keeps beside its vectors. Solves with workspaces of their own may take turns on one operator.
	NewWorkspace() (Workspace, error)
}

// Source is a right side b. It belongs to the operator that made it and need not be stored densely.
type Source interface {
	// Read writes the values of b to the host.
	Read(dst []float64)
	// Close gives back what the source holds.
	Close()
}

// System is A theta = b of a mesh: A its finite-volume operator, theta the rise over the stack's ambient in K, b the heat in W that enters
// each cell. A is stored as couplings and ground conductances, never as a diagonal:
//
//	(A theta)_c = sum over neighbours n of g_cn (theta_c - theta_n) + (ground_c + C_c/dt) theta_c
type System interface {
	Operator
	Mesh() *mesh.Mesh
	// Refresh discretises the mesh again, whose materials' properties or faces' conditions have changed, with the time step dt, which must be positive
	// where that of Assemble was, and zero where that was. The faces that lead heat to a temperature must be the same. It takes no memory.
	Refresh(dt float64) error
	// RefreshAt discretises the mesh again with the properties that the materials have at the temperatures of the state x. Heat capacities are the means
	// between old and x, with which Stored(x, old) is the change of the heat content; a nil old stands for x. FaceHeat(x) then tells what leaves x
	// through the conductances that A holds. Without a material that follows the temperature there is nothing to do. It takes no memory.
	RefreshAt(x, old Vector) error
	// OutOfRange counts for each material of the stack the cells that the last RefreshAt found outside the range of its properties, a cell with several
	// materials for each of them. It is nil where no material follows the temperature.
	OutOfRange() []int64
	// NewSource makes a right side without power. A driven one includes the heat that the faces' temperatures and fluxes bring in.
	NewSource(driven bool) (HeatSource, error)
	// Extrapolate makes x the continuation of the states (older, old, x), old the former x and older the former old: the start of the next
	// time step. The continuation is linear, 2 x - old, or quadratic, 3 x - 3 old + older. A nil older is not kept; then it is linear.
	Extrapolate(x, old, older Vector, quadratic bool)
	// Plane copies plane k of x to the host.
	Plane(k int, x Vector, dst []float64)
	// Max returns the largest value of x.
	Max(x Vector) float64
	// FaceHeat returns the heat in W that leaves through each face.
	FaceHeat(x Vector) [6]float64
	// Stored returns sum of C/dt (x - old) in W.
	Stored(x, old Vector) float64
}

// ErrRefresh refuses to turn a steady operator into that of a time step or back.
var ErrRefresh = errors.New("an operator of time steps cannot become a steady one, nor the other way")

// HeatSource is b of a mesh's system in W: power, what the faces bring in, and C/dt times an old state.
type HeatSource interface {
	Source
	// SetPower sets the watts of each cell column of the layers that are drawn, spread over their planes; other layers get none. The
	// executor may refer to the drawings' outlines and planes until the next call, and takes an outline that it has seen in the last one as
	// unchanged.
	SetPower(layers []powermap.Drawing)
	// SetOld adds C/dt old, old being the state at the start of a time step, to which the source refers. A nil old takes that back.
	SetOld(old Vector)
}

// Dense makes the values of b a right side of a.
func Dense(a Operator, b []float64) (Source, error) {
	v, err := a.New64()
	if err != nil {
		return nil, err
	}
	a.Write(v, b)
	return a.SourceOf(v), nil
}

// Recorder is a Space that repeats a sequence of operations at less cost than asking for each again.
type Recorder interface {
	// Record notes the operations that body asks for, without doing them, and returns a function that does, and one that gives its memory back.
	Record(body func()) (replay, forget func(), err error)
}

// Norms describe a residual in the Euclidean norm.
type Norms struct {
	Residual float64 // ||b - A x||, W
	Source   float64 // ||b||, W
	// Floor is an estimate of the rounding error of the residual: 2^-53 times the norm of |A| |x| + |b|.
	Floor float64
}

// Workspace is what one solve keeps: the scalars of its iteration and the buffers of its fused operations, those of conjugate gradients.
// Operations of further methods work on it too: executors lend methods its scalars.
type Workspace interface {
	Krylov
	// NewDirection makes the FP32 vector that DirectionApply and Update take as p. A workspace has one.
	NewDirection() (Vector, error)
	// Close gives the memory back, that of the direction too.
	Close()
}

// Krylov holds the operations of conjugate gradients. Scalars stay on the device under fixed names.
type Krylov interface {
	// Dot sets RZ = r32.z, MaxZ = max|z| and Beta = RZ/previous RZ, or 0 when first is true.
	Dot(r32, z Vector, first bool)
	// DirectionApply sets q = A d, PQ = d.q and Alpha = RZ/PQ (0 where that is not a number or PQ not positive) for the new direction
	// d = z + Beta p. Between this and Update, p may hold either.
	DirectionApply(p, z, q Vector)
	// Update sets p = d, x += Alpha d, r -= Alpha q, r32 = r and RR = r.r.
	Update(x, r, r32, p, z, q Vector)
	// Scalars waits for the device and reads them.
	Scalars() Scalars
}

// Scalars of an iteration.
type Scalars struct{ RZ, PQ, RR, MaxZ float64 }

// Diagonal holds the operations of the jacobi and none preconditioners.
type Diagonal interface {
	// InverseDiagonal fills an FP32 vector with 1/diag(A).
	InverseDiagonal(d Vector)
	// Scale sets z = d r, or z = r where d is nil.
	Scale(z, d, r Vector)
}

// Lines holds the operations of multigrid with exact column solves: T is A without its couplings between columns, but with its whole
// diagonal, one tridiagonal matrix per column. All vectors are FP32.
type Lines interface {
	// Finest is the level of the system itself.
	Finest() (Level, error)
	// Coarsen builds the next level and the transfer between.
	Coarsen(fine Level, c Coarsening) (Level, error)
	// RefreshLevel computes a level again, after the system was refreshed and the finer levels before.
	RefreshLevel(l Level) error
	// NewVector makes a vector on a level.
	NewVector(l Level) (Vector, error)
	// Start sets x = c T^-1 b.
	Start(l Level, x, b Vector, c float32)
	// Step sets dst = x + a (x - prev) + c T^-1 (b - A x). A nil prev counts as zero. dst may be prev, never x.
	Step(l Level, dst, x, prev, b Vector, a, c float32)
	// RestrictStart sets bc = P^T (b - A x) where x = omega T^-1 b, which lets it do without the columns' matrices.
	RestrictStart(fine, coarse Level, bc, b, x Vector, omega float32)
	// Restrict sets bc = P^T (b - A x).
	Restrict(fine, coarse Level, bc, b, x Vector)
	// Prolong sets x += P xc.
	Prolong(fine, coarse Level, x, xc Vector)
}

// Bottom is a Lines that can cycle over small levels in a single operation.
type Bottom interface {
	// Bottom prepares a V-cycle over the levels of rungs, fine to coarse, the last a single column: from the first rung's B to its Z. It
	// returns nil where the executor would gain nothing.
	Bottom(rungs []Rung, s Smoothing) (cycle func(), err error)
	// BottomColumns is the number of columns up to which a level is small.
	BottomColumns() int
}

// Rung is a level with the vectors of its part in a cycle.
type Rung struct {
	Level   Level
	B, Z, X Vector
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
