// Package ops is the narrow waist of the solver: named numerical operations on vectors that live on a device. Solvers
// and preconditioners are written once against these interfaces; executors (package host, later a GPU) implement them.
//
// An operation, not a launch, is the unit: an executor may do it in one pass or several. Vectors are numbered like
// cells (x fastest, then y, then z) and belong to the executor that made them.
package ops

import (
	"errors"

	"thermsim/gpusolve/sparse"
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
	// Bind ties the calling goroutine to the device until unbind is called. Operations belong between the two; calls
	// may nest.
	Bind() (unbind func())
	// Allocated is the memory of all living systems in bytes.
	Allocated() int64
	// Assemble discretises the mesh. A positive dt (s) adds C/dt to the operator, for backward Euler.
	Assemble(m *mesh.Mesh, dt float64) (System, error)
	// LoadDiagonals and LoadCSR take matrices as they are, without a mesh. Their vectors are numbered like the rows.
	// The matrix must stay as it is.
	LoadDiagonals(a *sparse.Diagonals) (Operator, error)
	LoadCSR(a *sparse.CSR) (Operator, error)
	Close() error
}

// Innermost is the device within others that lend it.
func Innermost(d Device) Device {
	for {
		outer, ok := d.(interface{ Unwrap() Device })
		if !ok {
			return d
		}
		d = outer.Unwrap()
	}
}

// Space makes and moves vectors of one length on a device.
type Space interface {
	New32() (Vector, error) // FP32, zero
	New64() (Vector, error) // FP64, zero
	// NewWork makes a vector in the precision in which the executor keeps residuals and products with A: FP64, or FP32
	// where memory traffic counts more. Single returns the FP32 vector that Residual and Update keep equal to w: w
	// itself where that is FP32.
	NewWork() (Vector, error)
	Single(w Vector) (Vector, error)
	// Read copies all values of a vector to the host, Write the other way. Levels' vectors too.
	Read(v Vector, dst []float64)
	Write(v Vector, src []float64)
	// Fill sets every value of an FP64 vector.
	Fill(x Vector, value float64)
	// Release gives vectors back before the space goes; nil ones are passed over.
	Release(vectors ...Vector)
	// Scope runs body. What body makes on the space and does not release belongs to the scope, which must be closed
	// also after an error.
	Scope(body func() error) (Scope, error)
	// Err is the first failure of the device, nil while all is well. After a failure operations do nothing and scalars
	// are NaN.
	Err() error
	// Free gives back the space, all of its vectors and what else was made on it.
	Free()
}

// Scope is what was made on a space together.
type Scope interface {
	// Remake runs body as Scope did, in place of what the scope holds, which must not be used any more. Body finds that
	// memory, zeroed, where it asks for as much as was asked for before; what else it needs is taken again, and what is
	// left over at its end is given back. At no time more is taken than when a new scope would have been made after
	// this one was closed.
	Remake(body func() error) error
	// Close gives all of it back at once.
	Close()
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
	// SourceOf makes an FP64 vector a right-hand side, which refers to it.
	SourceOf(v Vector) Source
	// NewWorkspace makes what one solve keeps in addition to its vectors. Solves with different workspaces may take
	// turns on one operator.
	NewWorkspace() (Workspace, error)
}

// Source is a right-hand side b. It belongs to the operator that made it and need not be stored densely.
type Source interface {
	// Read writes the values of b to the host.
	Read(dst []float64)
	// Close gives back what the source holds.
	Close()
}

// System is A theta = b of a mesh: A its finite-volume operator, theta the rise over the stack's ambient in K, b the
// heat in W that enters each cell. A is stored as couplings and ground conductances, never as a diagonal:
//
//	(A theta)_c = sum over neighbours n of g_cn (theta_c - theta_n) + (ground_c + C_c/dt) theta_c
type System interface {
	Operator
	Mesh() *mesh.Mesh
	// TimeStep is the dt that the operator was made with, or refreshed with since, 0 in a steady state.
	TimeStep() float64
	// Refresh discretises the mesh again, whose materials' properties or faces' conditions have changed, with the time
	// step dt, which must be positive where that of Assemble was, and zero where that was. The faces that lead heat to
	// a temperature must be the same. It takes no memory.
	Refresh(dt float64) error
	// RefreshAt discretises the mesh again with the properties that the materials have at the temperatures of the state
	// x. Faces with temperature-dependent heat transfer coefficients are linearised there: see mesh.FaceTerm. Heat
	// capacities are the means between old and x, so that Stored(x, old) is the change of the heat content. A nil old
	// means x. FaceHeat(x) is then what leaves x through the conductances that A holds. Without temperature-dependent
	// materials or faces there is nothing to do. It takes no memory.
	RefreshAt(x, old Vector) error
	// OutOfRange counts for each material of the stack the cells that the last RefreshAt found outside the range of its
	// properties, a cell with several materials for each of them. It is nil where no material is temperature-dependent.
	OutOfRange() []int64
	// NewSource makes a right-hand side without power. A driven one includes the heat that the faces' temperatures and
	// fluxes bring in.
	NewSource(driven bool) (HeatSource, error)
	// Differences returns the inner products of d0 = x - old, rounded to FP32, with itself and with the differences of
	// states before it, FP32 vectors.
	Differences(x, old Vector, past [4]Vector) [5]float64
	// Extrapolate adds weights[0] d0 + weights[1] past[0] + weights[2] past[1] + weights[3] past[2] to x. Then old is
	// the former x and past[3] the former d0, rounded. Without past, which may be nil together, it is weights[0] d0.
	// What has no weight may be no number.
	Extrapolate(x, old Vector, past [4]Vector, weights [4]float64)
	// Plane copies plane k of x to the host.
	Plane(k int, x Vector, dst []float64)
	// Max returns the largest value of x, NaN where any is NaN.
	Max(x Vector) float64
	// FaceHeat returns the heat in W that leaves through each face.
	FaceHeat(x Vector) [6]float64
	// CoolantHeat returns the heat in W that the coolant of each cavity carries out, above what it brings in; nil
	// without any.
	CoolantHeat(x Vector) []float64
	// Stored returns sum of C/dt (x - old) in W.
	Stored(x, old Vector) float64
	// Combine sets dst = a x + b y for FP64 vectors. dst may be x or y.
	Combine(dst Vector, a float64, x Vector, b float64, y Vector)
	// Inner returns x.y, and the largest |x|.
	Inner(x, y Vector) (product, largest float64)
	// Leak puts the mesh's leakage into A and driven sources, linear around the state x and times a scale: the
	// derivative is taken off the diagonal. Outside the range of a law the derivative is zero, or with ends that at the
	// end. RefreshAt takes the leakage out.
	Leak(x Vector, scale float64, ends bool) error
	// Unleak takes it out.
	Unleak() error
}

// ErrRefresh refuses to turn a steady operator into that of a time step or back.
var ErrRefresh = errors.New("an operator of time steps cannot become a steady one, nor the other way")

// HeatSource is b of a mesh's system in W: power, what the faces bring in, and C/dt times an old state.
type HeatSource interface {
	Source
	// SetPower sets the watts of each cell column of the layers that are drawn, spread over their planes; other layers
	// get none. The executor may refer to the drawings' outlines and planes until the next call, and takes an outline
	// that it has seen in the last one as unchanged.
	SetPower(layers []powermap.Drawing)
	// SetOld adds C/dt old, old being the state at the start of a time step, to which the source refers. A nil old
	// takes that back.
	SetOld(old Vector)
}

// Norms describe a residual in the Euclidean norm.
type Norms struct {
	Residual float64 // ||b - A x||, W
	Source   float64 // ||b||, W
	// Floor is an estimate of the rounding error of the residual: 2^-53 times the norm of |A| |x| + |b|.
	Floor float64
}

// Workspace is what one solve keeps: the scalars of its iteration and the buffers of its fused operations, those of
// conjugate gradients. Operations of further methods work on it too: executors lend methods its scalars, which stay on
// the device under fixed names.
type Workspace interface {
	// NewDirection makes the FP32 vector that DirectionApply and Update take as p. A workspace has one.
	NewDirection() (Vector, error)
	// Dot sets RZ = r32.z, MaxZ = max|z| and Beta = RZ/previous RZ, or 0 when first is true.
	Dot(r32, z Vector, first bool)
	// DirectionApply sets q = A d, PQ = d.q and Alpha = RZ/PQ (0 where that is not a number or PQ not positive) for the
	// new direction d = z + Beta p. Between this and Update, p may hold either.
	DirectionApply(p, z, q Vector)
	// Update sets p = d, x += Alpha d, r -= Alpha q, r32 = r and RR = r.r. It may keep the step of x back until the
	// next Update or Settle.
	Update(x, r, r32, p, z, q Vector)
	// Settle gives x what the last Update kept back, where it did. Between an Update and Settle x must not be read.
	Settle(x, p Vector)
	// Scalars waits for the device and reads them.
	Scalars() Scalars
	// Close gives the memory back, that of the direction too.
	Close()
}

// Scalars of an iteration.
type Scalars struct{ RZ, PQ, RR, MaxZ float64 }

// Forms is a Space that lays its matrix out on the device for methods that build on entries rather than on couplings.
// Diagonals are summed in FP64. A form lives until Release, or until its Space is freed.
type Forms interface {
	// Diagonals fails where the matrix has entries beside the seven diagonals of a grid.
	Diagonals() (Diagonals, error)
	Rows() (Rows, error)
}

// FormsOf are those of an operator.
func FormsOf(a Operator) (Forms, error) {
	if forms, ok := a.(Forms); ok {
		return forms, nil
	}
	return nil, errors.New("this device does not report the entries of the matrix")
}

// Near is a Space whose matrix may have entries beside the seven diagonals of a grid that a preconditioner can do
// without.
type Near interface {
	// NearDiagonals are the seven diagonals alone, the main one as it is in the matrix, and the number of other
	// entries.
	NearDiagonals() (d Diagonals, beside int64, err error)
}

// NearDiagonals are the seven diagonals of the operator's matrix for a preconditioner: those of Near where the operator
// offers it, else those of Forms, and the number of entries that they leave out.
func NearDiagonals(a Operator) (d Diagonals, beside int64, err error) {
	if near, ok := a.(Near); ok {
		return near.NearDiagonals()
	}
	forms, err := FormsOf(a)
	if err != nil {
		return nil, 0, err
	}
	d, err = forms.Diagonals()
	return d, 0, err
}

// Diagonals is a matrix on a device in the form of sparse.Diagonals, FP64.
type Diagonals interface {
	Shape() (nx, ny, nz int)
	Symmetric() bool
	// Download copies it to the host, for setups that work there. It must not be changed.
	Download() *sparse.Diagonals
	Release()
}

// Rows is a matrix on a device in the form of sparse.CSR: row pointers of 64 bits, columns of 32, values FP64.
type Rows interface {
	Len() int       // rows
	Entries() int64 // stored entries
	// Download copies it to the host, for setups that work there. It must not be changed.
	Download() *sparse.CSR
	Release()
}
