package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/sparse"
)

// ErrMatrix marks systems that no method here can solve: not square, not finite, or visibly not positive definite.
var ErrMatrix = errors.New("the system cannot be solved")

// Matrix is a square matrix that has been looked at: by the seven diagonals of a grid where its entries allow it, by rows otherwise.
type Matrix struct {
	Diagonals *sparse.Diagonals // one of the two
	Rows      *sparse.CSR
	Symmetric bool // to rounding
	Dominant  bool // by its diagonal: sums of the sizes of a row's other entries do not exceed it
	Entries   int
	// Asymmetry is the entry that differs most from its mirror image, where the matrix is not symmetric.
	Asymmetry sparse.Asymmetry
}

// Shape of a grid; the zero value stands for none.
type Shape struct{ NX, NY, NZ int }

func (s Shape) String() string { return fmt.Sprintf("%dx%dx%d", s.NX, s.NY, s.NZ) }

// NewMatrix checks a matrix and chooses how to store it. A grid that is given must fit the entries; without one, grids are recognised. The error is
// an ErrMatrix, and names rows and columns from 1.
func NewMatrix(a *sparse.CSR, grid Shape) (*Matrix, error) {
	if a.N() < 1 {
		return nil, fmt.Errorf("%w: the matrix is empty", ErrMatrix)
	}
	if err := a.CheckFinite(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMatrix, err)
	}
	m := &Matrix{Rows: a, Entries: a.Entries()}
	m.Dominant = a.Dominant()
	worst, asymmetric := a.Asymmetric()
	m.Asymmetry, m.Symmetric = worst, !asymmetric
	check := a.CheckDefinite
	if asymmetric {
		check = a.CheckDiagonal
	}
	if err := check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMatrix, err)
	}
	if grid == (Shape{}) {
		nx, ny, nz, ok := a.Shape()
		if !ok {
			return m, nil
		}
		grid = Shape{nx, ny, nz}
	}
	d, err := a.Diagonals(grid.NX, grid.NY, grid.NZ)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMatrix, err)
	}
	m.Diagonals, m.Rows = d, nil
	return m, nil
}

// N is the number of rows.
func (m *Matrix) N() int {
	if m.Diagonals != nil {
		return m.Diagonals.N()
	}
	return m.Rows.N()
}

// Grid is the shape of the grid, zero where the matrix is stored by rows.
func (m *Matrix) Grid() Shape {
	if m.Diagonals == nil {
		return Shape{}
	}
	return Shape{m.Diagonals.NX, m.Diagonals.NY, m.Diagonals.NZ}
}

// Multiply sets y = A x on the host.
func (m *Matrix) Multiply(y, x []float64) {
	if m.Diagonals != nil {
		m.Diagonals.Multiply(y, x)
		return
	}
	m.Rows.Multiply(y, x)
}

// MatrixPreconditioner is the method that SolveMatrix takes for a matrix unless told otherwise.
func MatrixPreconditioner(m *Matrix) string {
	wanted := []string{"cmg", "jacobi"}
	switch {
	case !m.Symmetric:
		wanted = generalMethods()
	case !m.Dominant:
		wanted = wanted[1:]
	}
	for _, spec := range wanted {
		if CheckPreconditioner(spec) == nil {
			return spec
		}
	}
	return ""
}

// generalMethods are those for matrices that are not symmetric.
func generalMethods() []string {
	var names []string
	for _, m := range methods() {
		if m.general {
			names = append(names, m.name)
		}
	}
	return names
}

// MatrixSolution is the outcome of SolveMatrix.
type MatrixSolution struct {
	X      []float64 // the best found, also when the solve did not converge
	Status Status    // residuals in the units of b
	Device DeviceInfo
	Timing Timing
	Memory Memory
}

// SolveMatrix solves A x = b from x = 0. It stops on Options.ATol, in the units of b, or on Options.RTol, by default 1e-8; there are no kelvins to
// judge by. A solve that ends short of its rule is not an error: see Status. The error is an ErrMatrix, an ErrOption (a method that does not suit the
// matrix), an ErrDevice, or that of the context, which comes with what was found so far.
func SolveMatrix(ctx context.Context, a *Matrix, b []float64, o Options) (*MatrixSolution, error) {
	if err := o.checkMatrix(a, b); err != nil {
		return nil, err
	}
	if o.Preconditioner == "" {
		o.Preconditioner = MatrixPreconditioner(a)
	}
	start := time.Now()
	dev, info, err := o.openFor(demand{cells: a.N(), bytes: matrixBytes(a)})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	s := &MatrixSolution{Device: info, Timing: Timing{Device: time.Since(start)}}
	defer dev.Bind()()
	return s, s.solve(ctx, dev, a, b, o)
}

// checkMatrix refuses what cannot be solved before a device is opened.
func (o *Options) checkMatrix(a *Matrix, b []float64) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Tol > 0 {
		return fmt.Errorf("%w: a tolerance in K says nothing of a matrix; give RTol or ATol", ErrOption)
	}
	if len(b) != a.N() {
		return fmt.Errorf("%w: the right side has %d values, the matrix %d rows", ErrMatrix, len(b), a.N())
	}
	for i, v := range b {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: value %d of the right side is %g; every value must be a finite number", ErrMatrix, i+1, v)
		}
	}
	if a.Symmetric {
		return nil
	}
	general := generalMethods()
	if name, _ := precond.Split(o.Preconditioner); slices.Contains(general, name) || name == "" && len(general) > 0 {
		return nil
	}
	able := "this build has no method for such matrices"
	if len(general) > 0 {
		able = "methods for such matrices are " + strings.Join(general, ", ")
	}
	w := a.Asymmetry
	return fmt.Errorf("%w: the matrix is not symmetric: entry (%d, %d) is %.10g, entry (%d, %d) is %.10g; %s. If it is meant to be symmetric, write it with more digits or one triangle only",
		ErrMatrix, w.Row+1, w.Col+1, w.Entry, w.Col+1, w.Row+1, w.Mirror, able)
}

// matrixBytes is the least memory that a solve takes: the matrix, b, three vectors in FP64 and three in FP32.
func matrixBytes(a *Matrix) int64 {
	n := int64(a.N())
	vectors := 44 * n
	switch {
	case a.Diagonals == nil:
		return vectors + 8*n + 12*int64(a.Rows.Entries())
	case a.Diagonals.Symmetric():
		return vectors + 32*n
	}
	return vectors + 56*n
}

func (s *MatrixSolution) solve(ctx context.Context, dev ops.Device, a *Matrix, b []float64, o Options) error {
	start := time.Now()
	sys, err := load(dev, a)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
	defer sys.Free()
	sys.SetSource(b)
	solver, pre, err := newSolver(sys, o.Preconditioner)
	if err != nil {
		return blame(err)
	}
	x, err := sys.New64()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
	if o.RTol <= 0 && o.ATol <= 0 {
		o.RTol = fallbackRTol
	}
	rule := o.rule(pre, 1)
	solver.Prepare(rule, x)
	if err := sys.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
	s.Timing.Setup = time.Since(start)
	if o.Progress != nil {
		solver.Watch(func(n int, _ float64) { o.Progress(Progress{Iteration: n, ErrorK: math.NaN()}) })
	}
	start = time.Now()
	solver.StartFromZero()
	out := solver.Solve(ctx, rule, x, nil)
	s.Timing.Solve = time.Since(start)
	s.Status = status(out, solver, pre)
	s.Memory = Memory{DeviceBytes: dev.Allocated()}
	s.X = make([]float64, a.N())
	sys.Read(x, s.X)
	if err := sys.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
	if out.Reason == krylov.Interrupted {
		return ctx.Err()
	}
	return nil
}

func load(dev ops.Device, a *Matrix) (ops.Algebraic, error) {
	d, ok := dev.(ops.Matrices)
	switch {
	case !ok:
		return nil, errors.New("this device takes no matrices")
	case a.Diagonals != nil:
		return d.LoadDiagonals(a.Diagonals)
	}
	return d.LoadCSR(a.Rows)
}
