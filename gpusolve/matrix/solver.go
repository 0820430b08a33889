package matrix

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"thermsim/gpusolve/device"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/solution"
)

// Solution is the outcome of Solve.
type Solution struct {
	solution.Vector
	Outcome krylov.Outcome
}

// Solve solves A x = b from x = 0. It stops on Options.ATol, in the units of b, or on Options.RTol, by default
// 1e-8; there are no kelvins to judge by. A solve that ends short of its rule is not an error: see Status. The error is
// an ErrMatrix, an ErrOption (a method that does not suit the matrix), an ErrDevice, or that of the context, which
// comes with what was found so far.
func Solve(ctx context.Context, a *Matrix, b []float64, o driver.Options) (*Solution, error) {
	s, err := SolveColumns(ctx, a, [][]float64{b}, o)
	if len(s) == 0 {
		return nil, err
	}
	return s[0], err
}

// SolveColumns is Solve for several right-hand sides, with one setup. On an error it returns the solutions so far.
func SolveColumns(ctx context.Context, a *Matrix, b [][]float64, o driver.Options) (s []*Solution, err error) {
	if err := CheckColumns(a, b); err != nil {
		return nil, err
	}
	m, err := Open(a, o)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	for c, source := range b {
		x, err := m.Solve(ctx, source, o)
		if x != nil {
			s = append(s, x)
		}
		if err != nil {
			return s, inColumn(c, len(b), err)
		}
	}
	return s, nil
}

// CheckColumns refuses right-hand sides of another size, with values that are not finite, or without a solution.
func CheckColumns(a *Matrix, b [][]float64) error {
	for c, source := range b {
		if err := checkSource(a, source); err != nil {
			return inColumn(c, len(b), err)
		}
	}
	return nil
}

// inColumn names the right-hand side of an error where there are several.
func inColumn(c, columns int, err error) error {
	if columns == 1 {
		return err
	}
	return fmt.Errorf("column %d: %w", c+1, err)
}

// Solver is a matrix on a device with its method set up, for any number of right-hand sides. It is for one goroutine
// at a time.
type Solver struct {
	*driver.Driver
	given *Matrix
	a     *Matrix // given without the power of two
	power int     // of two, that was taken out of the entries
	b     ops.Vector
}

// Open opens a device and sets the method of the options up on it. The errors are those of Solve. Close
// gives the device back.
func Open(a *Matrix, o driver.Options) (*Solver, error) {
	if err := checkMatrix(a, o); err != nil {
		return nil, err
	}
	if o.Preconditioner == "" {
		o.Preconditioner = Preconditioner(a)
	}
	m := &Solver{given: a}
	m.a, m.power = a.moderate()
	need := device.Demand{Cells: a.N(), Memory: func(multiprocessors int64) int64 {
		return needOf(a, o.Preconditioner, true, multiprocessors).Peak()
	}}
	_, err := (&driver.Job{Options: o}).Open(need, func(d *driver.Driver) error {
		return d.Setup(o.Preconditioner, func(dev ops.Device) (ops.Operator, error) {
			op, err := load(dev, m.a)
			if err == nil {
				m.b, err = op.New64()
			}
			return op, err
		})
	}, func(d *driver.Driver) error {
		m.Driver = d
		return d.Prepare(matrixRule(o, d.Pre))
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// checkWithoutKelvin refuses options that no rule for a matrix can be made of.
func checkWithoutKelvin(o driver.Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	if o.Tol > 0 {
		return fmt.Errorf("%w: a tolerance in K says nothing of a matrix; give RTol or ATol", solution.ErrOption)
	}
	return nil
}

// checkMatrix refuses what cannot be solved before a device is opened.
func checkMatrix(a *Matrix, o driver.Options) error {
	if err := checkWithoutKelvin(o); err != nil {
		return err
	}
	if a.Symmetric {
		return nil
	}
	general := methods.GeneralMethods()
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
		return fmt.Errorf("%w: the right-hand side has %d values, the matrix %d rows", ErrMatrix, len(b), a.N())
	}
	for i, v := range b {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: value %d of the right-hand side is %g; every value must be a finite number",
				ErrMatrix, i+1, v)
		}
	}
	if a.Free != nil {
		if err := a.Free.Consistent(b); err != nil {
			return fmt.Errorf("%w: %w", ErrMatrix, err)
		}
	}
	return nil
}

// matrixRTol is the rule for matrices, where the user asks for none.
const matrixRTol = 1e-8

// matrixRule is when to stop, where there are no kelvins.
func matrixRule(o driver.Options, m precond.Preconditioner) krylov.Rule {
	if o.RTol <= 0 && o.ATol <= 0 {
		o.RTol = matrixRTol
	}
	return o.Rule(m, 1)
}

// Solve solves for a right-hand side, from x = 0. Of the options, those that say when to stop and Progress count. For
// a singular matrix (Matrix.Free) an inconsistent right-hand side is an ErrMatrix, and the solution has the mean zero
// on each of its components.
func (m *Solver) Solve(ctx context.Context, b []float64, o driver.Options) (*Solution, error) {
	if err := checkWithoutKelvin(o); err != nil {
		return nil, err
	}
	if err := checkSource(m.given, b); err != nil {
		return nil, err
	}
	if m.given.Free == nil {
		return m.solve(ctx, b, nil, o)
	}
	b = m.given.Free.Project(b)
	s, err := m.solve(ctx, b, nil, o)
	if err == nil {
		err = m.center(ctx, s, b, o)
	}
	return s, err
}

// SolveFrom is Solve from a given x, such as the solution of the previous time step, for a matrix that is not singular.
func (m *Solver) SolveFrom(ctx context.Context, b, x []float64, o driver.Options) (*Solution, error) {
	if err := checkSource(m.given, b); err != nil {
		return nil, err
	}
	return m.solve(ctx, b, x, o)
}

// mostCorrections bounds the solves that correct a solution of a singular matrix.
const mostCorrections = 5

// center removes the constant part of a solution from each component of a singular matrix. It then solves for
// corrections until the residual of this matrix meets the rule: the residual of the stored matrix does not contain the
// additions times the solution.
func (m *Solver) center(ctx context.Context, s *Solution, b []float64, o driver.Options) error {
	st, r, source := &s.Status, make([]float64, len(b)), norm(b)
	target := o.ATol
	if target <= 0 {
		target = matrixRule(o, m.Pre).RTol * source
	}
	for rule, n := target, 0; ; n++ {
		s.X = m.given.Free.Project(s.X)
		m.given.Multiply(r, s.X)
		for i := range r {
			r[i] = b[i] - r[i]
		}
		if st.ResidualW = norm(r); source > 0 {
			st.RelativeResidual = st.ResidualW / source
		}
		if !st.Converged || st.Reason == solution.ReasonAttainable || st.ResidualW <= target {
			return nil
		}
		if n == mostCorrections {
			st.Converged, st.Reason = false, solution.ReasonStagnation
			return nil
		}
		rule *= math.Max(0.01, target/(2*st.ResidualW)) // by as much as the last one was missed
		o.RTol, o.ATol = 0, rule
		more, err := m.solve(ctx, m.given.Free.Project(r), nil, o)
		if err != nil {
			return err
		}
		for i, x := range more.X {
			s.X[i] += x
		}
		st.Iterations, st.IterationsTotal = st.Iterations+more.Status.Iterations,
			st.IterationsTotal+more.Status.IterationsTotal
		st.Converged, st.Reason = more.Status.Converged, more.Status.Reason
		s.Timing.Solve += more.Timing.Solve
	}
}

// norm is the Euclidean norm, in which no square overflows.
func norm(v []float64) (sum float64) {
	for _, x := range v {
		sum = math.Hypot(sum, x)
	}
	return sum
}

// solve solves for a right-hand side with the matrix as stored, from x = 0 where start is nil.
func (m *Solver) solve(ctx context.Context, b, start []float64, o driver.Options) (*Solution, error) {
	defer m.Dev.Bind()()
	s := &Solution{Vector: solution.Vector{Device: m.Info, Timing: m.Timing}}
	m.Timing = solution.Timing{} // paid once
	power := excess(b)
	if power != 0 && o.ATol > 0 {
		o.ATol = math.Max(math.Ldexp(o.ATol, -power), math.SmallestNonzeroFloat64)
	}
	m.Op.Write(m.b, scaleBy(b, -power))
	if start != nil {
		m.Op.Write(m.X, scaleBy(start, m.power-power))
	} else {
		m.Op.Fill(m.X, 0)
		m.Solver.StartFromZero()
	}
	var watch func(int, float64)
	if o.Progress != nil {
		watch = func(n int, _ float64) { o.Progress(driver.Progress{Iteration: n, ErrorK: math.NaN()}) }
	}
	began := time.Now()
	out, failed := m.Improve(ctx, matrixRule(o, m.Pre), m.Op.SourceOf(m.b), watch)
	s.Timing.Solve = time.Since(began)
	s.Status, s.Outcome = methods.Status(out, m.Solver, m.Pre), out
	s.Memory = solution.Memory{DeviceBytes: m.Dev.Allocated()}
	s.X = make([]float64, m.a.N())
	m.Op.Read(m.X, s.X)
	if failed == nil {
		failed = m.Failure()
	}
	if failed != nil {
		return s, failed
	}
	s.discardUseless()
	if err := s.restore(power, m.power); err != nil {
		return s, err
	}
	if out.Reason == krylov.Interrupted {
		return s, ctx.Err()
	}
	return s, nil
}

// useful is the relative residual below which a solution has digits that rounding has not taken. Far above it, the
// matrix is singular in double precision.
const useful = 0.01

// discardUseless replaces a result that is no better than x = 0, from which the solve started: nothing finite, a
// residual above the norm of b, or one that is as large as b for rounding of the matrix times x. The latter grows
// without bounds where the matrix is singular and b is inconsistent.
func (s *Solution) discardUseless() {
	st, n := &s.Status, s.Outcome.Norms
	if st.ResidualW <= n.Source && !(st.RelativeResidual > useful && krylov.FloorFactor*n.Floor > useful*n.Source) {
		return
	}
	clear(s.X)
	st.ResidualW, st.RelativeResidual = n.Source, 1
	if st.Converged {
		st.Converged, st.Reason = false, solution.ReasonStagnation
	}
}

// restore gives the solution and its residual the powers of two that were taken out of the right-hand side and of the
// matrix.
func (s *Solution) restore(source, matrix int) error {
	s.Status.ResidualW = math.Ldexp(s.Status.ResidualW, source)
	if source == matrix {
		return nil
	}
	for i, v := range s.X {
		s.X[i] = math.Ldexp(v, source-matrix)
		if math.IsInf(s.X[i], 0) {
			return fmt.Errorf("%w: value %d of the solution is beyond the range of double precision; scale "+
				"the right-hand side", ErrMatrix, i+1)
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

// Need is the memory that a matrix takes to solve, in the method that suits it where none is named. The processor
// refers to the matrix that the caller has, which therefore does not count there.
func Need(a *Matrix, preconditioner string, gpu bool) memory.Need {
	return needOf(a, preconditioner, gpu, 0)
}

func needOf(a *Matrix, preconditioner string, gpu bool, multiprocessors int64) memory.Need {
	if preconditioner == "" {
		preconditioner = Preconditioner(a)
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
	return memory.Of(s, preconditioner, matrix+2*8*s.Unknowns+memory.Reductions(s))
}
