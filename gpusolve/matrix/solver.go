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
	if err := checkSource(a, b); err != nil {
		return nil, err
	}
	m, err := Open(a, o)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return m.Solve(ctx, b, o)
}

// Solver is a matrix on a device with its method set up, for any number of right-hand sides. It is for one goroutine
// at a time.
type Solver struct {
	*driver.Driver
	a     *Matrix
	power int // of two, that was taken out of the entries
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
	m := &Solver{}
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

// Solve solves for a right-hand side, from x = 0. Of the options, those that say when to stop and Progress count.
func (m *Solver) Solve(ctx context.Context, b []float64, o driver.Options) (*Solution, error) {
	if err := checkWithoutKelvin(o); err != nil {
		return nil, err
	}
	if err := checkSource(m.a, b); err != nil {
		return nil, err
	}
	defer m.Dev.Bind()()
	s := &Solution{Vector: solution.Vector{Device: m.Info, Timing: m.Timing}}
	m.Timing = solution.Timing{} // paid once
	power := excess(b)
	if power != 0 && o.ATol > 0 {
		o.ATol = math.Max(math.Ldexp(o.ATol, -power), math.SmallestNonzeroFloat64)
	}
	m.Op.Write(m.b, scaleBy(b, -power))
	m.Op.Fill(m.X, 0)
	var watch func(int, float64)
	if o.Progress != nil {
		watch = func(n int, _ float64) { o.Progress(driver.Progress{Iteration: n, ErrorK: math.NaN()}) }
	}
	start := time.Now()
	m.Solver.StartFromZero()
	out, failed := m.Improve(ctx, matrixRule(o, m.Pre), m.Op.SourceOf(m.b), watch)
	s.Timing.Solve = time.Since(start)
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
	if err := s.restore(power, m.power, out.Norms.Source); err != nil {
		return s, err
	}
	if out.Reason == krylov.Interrupted {
		return s, ctx.Err()
	}
	return s, nil
}

// restore gives the solution and its residual the powers of two that were taken out of the right-hand side and of the
// matrix. Where nothing finite was found, the solution is zero, from which the solve started, with the residual of
// that.
func (s *Solution) restore(source, matrix int, norm float64) error {
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
