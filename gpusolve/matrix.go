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
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/sparse"
)

// ErrMatrix marks systems that no method here can solve: not square, not finite, or visibly not positive definite.
var ErrMatrix = errors.New("the system cannot be solved")

// Matrix is a square matrix that has been looked at: by the seven diagonals of a grid where its entries allow it, by
// rows otherwise.
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

// NewMatrix checks a matrix and chooses how to store it. A grid that is given must fit the entries; without one, grids
// are recognised. The error is an ErrMatrix, and names rows and columns from 1.
func NewMatrix(a *sparse.CSR, grid Shape) (*Matrix, error) {
	if a == nil || a.N() < 1 {
		return nil, fmt.Errorf("%w: the matrix is empty", ErrMatrix)
	}
	for _, check := range []func() error{a.CheckStructure, a.CheckFinite} {
		if err := check(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMatrix, err)
		}
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

// diagonal of the matrix.
func (m *Matrix) diagonal() []float64 {
	if m.Diagonals != nil {
		return m.Diagonals.Main
	}
	d := make([]float64, m.Rows.N())
	for i := range d {
		for at := m.Rows.RowPtr[i]; at < m.Rows.RowPtr[i+1]; at++ {
			if int(m.Rows.Col[at]) == i {
				d[i] = m.Rows.Val[at]
			}
		}
	}
	return d
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
		if m.General {
			names = append(names, m.Name)
		}
	}
	return names
}

// MatrixSolution is the outcome of SolveMatrix.
type MatrixSolution struct {
	solution.Vector
	outcome krylov.Outcome
}

// SolveMatrix solves A x = b from x = 0. It stops on Options.ATol, in the units of b, or on Options.RTol, by default
// 1e-8; there are no kelvins to judge by. A solve that ends short of its rule is not an error: see Status. The error is
// an ErrMatrix, an ErrOption (a method that does not suit the matrix), an ErrDevice, or that of the context, which
// comes with what was found so far.
func SolveMatrix(ctx context.Context, a *Matrix, b []float64, o Options) (*MatrixSolution, error) {
	if err := checkSource(a, b); err != nil {
		return nil, err
	}
	m, err := OpenMatrix(a, o)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return m.Solve(ctx, b, o)
}

// MatrixSolver is a matrix on a device with its method set up, for any number of right sides. It is for one goroutine
// at a time.
type MatrixSolver struct {
	*driver
	a     *Matrix
	power int // of two, that was taken out of the entries
	b     ops.Vector
}

// OpenMatrix opens a device and sets the method of the options up on it. The errors are those of SolveMatrix. Close
// gives the device back.
func OpenMatrix(a *Matrix, o Options) (*MatrixSolver, error) {
	if err := o.checkMatrix(a); err != nil {
		return nil, err
	}
	if o.Preconditioner == "" {
		o.Preconditioner = MatrixPreconditioner(a)
	}
	m := &MatrixSolver{}
	m.a, m.power = a.moderate()
	need := demand{cells: a.N(), need: func(gpu bool, multiprocessors int64) Need {
		return matrixNeed(a, o.Preconditioner, gpu, multiprocessors)
	}}
	_, err := o.openDriver(need, func(d *driver) error {
		return d.setup(o.Preconditioner, func(dev ops.Device) (ops.Operator, error) {
			op, err := load(dev, m.a)
			if err == nil {
				m.b, err = op.New64()
			}
			return op, err
		})
	}, func(d *driver) error {
		m.driver = d
		return d.prepare(o.matrixRule(d.pre))
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Close gives the device back.
func (m *MatrixSolver) Close() { m.close() }

// checkWithoutKelvin refuses options that no rule for a matrix can be made of.
func (o *Options) checkWithoutKelvin() error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Tol > 0 {
		return fmt.Errorf("%w: a tolerance in K says nothing of a matrix; give RTol or ATol", ErrOption)
	}
	return nil
}

// checkMatrix refuses what cannot be solved before a device is opened.
func (o *Options) checkMatrix(a *Matrix) error {
	if err := o.checkWithoutKelvin(); err != nil {
		return err
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
	return fmt.Errorf("%w: the matrix is not symmetric: entry (%d, %d) is %.10g, entry (%d, %d) is %.10g; %s. If it "+
		"is meant to be symmetric, write it with more digits or one triangle only",
		ErrMatrix, w.Row+1, w.Col+1, w.Entry, w.Col+1, w.Row+1, w.Mirror, able)
}

func checkSource(a *Matrix, b []float64) error {
	if len(b) != a.N() {
		return fmt.Errorf("%w: the right side has %d values, the matrix %d rows", ErrMatrix, len(b), a.N())
	}
	for i, v := range b {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: value %d of the right side is %g; every value must be a finite number", ErrMatrix,
				i+1, v)
		}
	}
	return nil
}

// matrixRTol is the rule for matrices, where the user asks for none.
const matrixRTol = 1e-8

// matrixRule is when to stop, where there are no kelvins.
func (o Options) matrixRule(m precond.Preconditioner) krylov.Rule {
	if o.RTol <= 0 && o.ATol <= 0 {
		o.RTol = matrixRTol
	}
	return o.rule(m, 1)
}

// Solve solves for a right side, from x = 0. Of the options, those that say when to stop and Progress count.
func (m *MatrixSolver) Solve(ctx context.Context, b []float64, o Options) (*MatrixSolution, error) {
	if err := o.checkWithoutKelvin(); err != nil {
		return nil, err
	}
	if err := checkSource(m.a, b); err != nil {
		return nil, err
	}
	defer m.dev.Bind()()
	s := &MatrixSolution{Vector: solution.Vector{Device: m.info, Timing: m.timing}}
	m.timing = Timing{} // paid once
	power := excess(b)
	if power != 0 && o.ATol > 0 {
		o.ATol = math.Max(math.Ldexp(o.ATol, -power), math.SmallestNonzeroFloat64)
	}
	m.op.Write(m.b, scaleBy(b, -power))
	m.op.Fill(m.x, 0)
	var watch func(int, float64)
	if o.Progress != nil {
		watch = func(n int, _ float64) { o.Progress(Progress{Iteration: n, ErrorK: math.NaN()}) }
	}
	start := time.Now()
	m.solver.StartFromZero()
	out, failed := m.solve(ctx, o.matrixRule(m.pre), m.op.SourceOf(m.b), watch)
	s.Timing.Solve = time.Since(start)
	s.Status, s.outcome = status(out, m.solver, m.pre), out
	s.Memory = Memory{DeviceBytes: m.dev.Allocated()}
	s.X = make([]float64, m.a.N())
	m.op.Read(m.x, s.X)
	if failed == nil {
		failed = m.failure()
	}
	if failed != nil {
		return s, failed
	}
	if err := s.restore(power, m.power, out.Norms.Source); err != nil {
		return s, err
	}
	if out.Reason == krylov.Interrupted {
		return s, ctx.Err()
	}
	return s, nil
}

// restore gives the solution and its residual the powers of two that were taken out of the right side and of the
// matrix. Where nothing finite was found, the solution is zero, from which the solve started, with the residual of
// that.
func (s *MatrixSolution) restore(source, matrix int, norm float64) error {
	st := &s.Status
	if math.IsNaN(st.ResidualW) || math.IsInf(st.ResidualW, 0) {
		clear(s.X)
		st.ResidualW, st.RelativeResidual = norm, 1
	}
	st.ResidualW = math.Ldexp(st.ResidualW, source)
	if source == matrix {
		return nil
	}
	for i, v := range s.X {
		s.X[i] = math.Ldexp(v, source-matrix)
		if math.IsInf(s.X[i], 0) {
			return fmt.Errorf("%w: value %d of the solution is beyond the range of double precision; scale "+
				"the right side", ErrMatrix, i+1)
		}
	}
	return nil
}

func load(dev ops.Device, a *Matrix) (ops.Operator, error) {
	if a.Diagonals != nil {
		return dev.LoadDiagonals(a.Diagonals)
	}
	return dev.LoadCSR(a.Rows)
}
