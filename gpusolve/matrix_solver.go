package gpusolve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/solution"
	"time"
)

// MatrixSolution is the outcome of Solve.
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

// OpenMatrix opens a device and sets the method of the options up on it. The errors are those of Solve. Close
// gives the device back.
func OpenMatrix(a *Matrix, o Options) (*MatrixSolver, error) {
	if err := checkMatrix(a, o); err != nil {
		return nil, err
	}
	if o.Preconditioner == "" {
		o.Preconditioner = MatrixPreconditioner(a)
	}
	m := &MatrixSolver{}
	m.a, m.power = a.moderate()
	need := demand{cells: a.N(), memory: func(multiprocessors int64) int64 {
		return matrixNeed(a, o.Preconditioner, true, multiprocessors).Peak()
	}}
	_, err := (&job{Options: o}).openDriver(need, func(d *driver) error {
		return d.setup(o.Preconditioner, func(dev ops.Device) (ops.Operator, error) {
			op, err := load(dev, m.a)
			if err == nil {
				m.b, err = op.New64()
			}
			return op, err
		})
	}, func(d *driver) error {
		m.driver = d
		return d.prepare(matrixRule(o, d.pre))
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// checkWithoutKelvin refuses options that no rule for a matrix can be made of.
func checkWithoutKelvin(o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.Tol > 0 {
		return fmt.Errorf("%w: a tolerance in K says nothing of a matrix; give RTol or ATol", ErrOption)
	}
	return nil
}

// checkMatrix refuses what cannot be solved before a device is opened.
func checkMatrix(a *Matrix, o Options) error {
	if err := checkWithoutKelvin(o); err != nil {
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
func matrixRule(o Options, m precond.Preconditioner) krylov.Rule {
	if o.RTol <= 0 && o.ATol <= 0 {
		o.RTol = matrixRTol
	}
	return o.rule(m, 1)
}

// Solve solves for a right side, from x = 0. Of the options, those that say when to stop and Progress count.
func (m *MatrixSolver) Solve(ctx context.Context, b []float64, o Options) (*MatrixSolution, error) {
	if err := checkWithoutKelvin(o); err != nil {
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
	out, failed := m.solve(ctx, matrixRule(o, m.pre), m.op.SourceOf(m.b), watch)
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

// MatrixNeed is the memory that a matrix takes to solve, in the method that suits it where none is named. The processor
// refers to the matrix that the caller has, which therefore does not count there.
func MatrixNeed(a *Matrix, preconditioner string, gpu bool) Need {
	return matrixNeed(a, preconditioner, gpu, 0)
}

func matrixNeed(a *Matrix, preconditioner string, gpu bool, multiprocessors int64) Need {
	if preconditioner == "" {
		preconditioner = MatrixPreconditioner(a)
	}
	g := a.Grid()
	s := precond.Shape{NX: g.NX, NY: g.NY, NZ: g.NZ, Unknowns: int64(a.N()), Symmetric: a.Symmetric, GPU: gpu,
		Multiprocessors: multiprocessors}
	var matrix int64
	if a.Rows != nil {
		s.Entries = int64(a.Rows.Entries())
		matrix = 8*(s.Unknowns+1) + 12*s.Entries
	} else {
		s.Entries = precond.GridEntries(g.NX, g.NY, g.NZ)
		matrix = 4 * 8 * s.Unknowns
		if !a.Diagonals.Symmetric() {
			matrix = 7 * 8 * s.Unknowns
		}
	}
	if !gpu {
		matrix = 0
	}
	return needOf(s, preconditioner, matrix+2*8*s.Unknowns+reductions(s))
}
