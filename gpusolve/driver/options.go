package driver

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/solution"
	"thermsim/internal/timeline"
	"thermsim/mesh"
	"thermsim/powermap"
)

// DefaultTol is the largest temperature error in K that a solve may leave by default.
const DefaultTol = 1e-4

// Options of a solve. The zero value selects the defaults.
type Options struct {
	Device string // "auto" (default), "cpu", "gpu", "gpu:N"
	// one of methods.Names(), with settings as in "chebyshev:degree=30"; by default the first, and others where it
	// stalls
	Preconditioner string
	Tol            float64        // K, stop when the estimated largest error is below it; default DefaultTol
	RTol           float64        // stop on ||b - A x|| / ||b|| instead, when positive
	ATol           float64        // stop on ||b - A x||2 in W instead, when positive
	MaxIter        int            // per linear system; default 200 with multigrid, 50000 otherwise
	Progress       func(Progress) // may be nil
	// FromPrevious starts every time step from the previous one, instead of an extrapolation; for comparison
	FromPrevious bool
	// Near gathers steady states of similar stacks, or has some to start from. May be nil.
	Near *Near
	// Executor solves in place of a device of the given name, if not nil. It is closed with the Solution.
	Executor ops.Device
	// Ahead is a GPU that OpenAhead is opening already, for use where a GPU solves. May be nil.
	Ahead *device.Opening
	// Driver opens GPUs in place of the system's CUDA driver, if not nil.
	Driver cudriver.Driver
	// Power supplies the powers of time steps, where a client sets them during the run: Controls of the mesh's power
	// map. nil selects those of the stack.
	Power *powermap.Controls
	// Notice receives messages for the user at once, for example that "auto" continues without a GPU that failed. May
	// be nil.
	Notice func(text string)
	// Ranks solve together where it is not nil: Steady or Transient is called on each with the same mesh and options,
	// Ranks and Device aside. Each has a slab of the grid's rows. Rank 0 has the solution and reports steps. The others
	// return when it has closed the solution, with a field that must not be read.
	Ranks ranks.Group

	// Timeline notes the parts of opening a GPU, and the longer calls of its driver. May be nil.
	Timeline *timeline.Log
}

// Near are steady states that steady solves of similar stacks on the same grid start from. It applies to conjugate
// gradients on a processor and to constant properties.
type Near struct {
	// Gathering adds the states of solves; none starts from them before it ends.
	Gathering bool
	States    [][]float32     // K above the ambient, padded as vectors are
	Seen      krylov.Estimate // in their solves
}

// Job is a solve: its options, and internal settings.
type Job struct {
	Options
	States int64      // of adaptive time steps
	Solves int        // that "auto" weighs, where there are several
	Team   *team.Team // of Ranks
}

// Watch follows a running solve; may be nil.
type Watch = func(iteration int, errorK float64)

type Progress struct {
	Step, Steps int // transient: current step and total; 0 in a steady solve
	Iteration   int
	ErrorK      float64 // current estimate, NaN where there is none
	Time        float64 // s, simulated
	Until       float64 // s, with adaptive time steps: the end of the run, which may be infinite
	Period      int     // of a periodic state, from 1; 0 otherwise
}

// Opening returns the options that select and open the device.
func (o *Options) Opening() *device.Options {
	d := &device.Options{Device: o.Device, Executor: o.Executor, Ahead: o.Ahead, Driver: o.Driver, Notice: o.Notice,
		Timeline: o.Timeline}
	if p, ok := o.Ranks.(interface{ InProcess() int }); ok {
		d.Sharing = p.InProcess()
	}
	return d
}

// Supply is the source of the powers of a time stepper; nil in a steady state.
func (o *Options) Supply(m *mesh.Mesh, dt float64) powermap.Supply {
	switch {
	case dt == 0:
		return nil
	case o.Power != nil:
		return o.Power
	}
	return m.Power.Sequence()
}

// Rule of a solve of n systems in sequence, whose errors may add up.
func (o *Options) Rule(m precond.Preconditioner, systems int) krylov.Rule {
	r := krylov.Rule{ATol: o.ATol, RTol: o.RTol, Tol: o.Tolerance() / float64(systems), MaxIter: o.MaxIter}
	if r.MaxIter <= 0 {
		r.MaxIter = 50000
		if m.Name() == methods.All()[0].Name {
			r.MaxIter = 200
		}
	}
	return r
}

// StepRule is the rule of each of a number of time steps.
func (o *Options) StepRule(m precond.Preconditioner, steps int) krylov.Rule {
	r := o.Rule(m, steps)
	r.InTime = true
	return r
}

func (o *Options) Tolerance() float64 {
	if o.Tol > 0 {
		return o.Tol
	}
	return DefaultTol
}

// Check refuses invalid tolerances, limits and preconditioners.
func (o *Options) Check() error {
	for name, v := range map[string]float64{"tolerance in K": o.Tol, "relative tolerance": o.RTol,
		"absolute tolerance": o.ATol} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: %s is %g; give a positive number, or 0 for the default", solution.ErrOption, name, v)
		}
	}
	if err := methods.Check(o.Preconditioner); err != nil {
		return methods.Refused(err)
	}
	if o.MaxIter < 0 {
		return fmt.Errorf("%w: limit of %d iterations; give a positive number, or 0 for the default",
			solution.ErrOption,
			o.MaxIter)
	}
	return nil
}

// CheckEstimate refuses a rule in K for a solver that cannot estimate its error in K.
func (o *Options) CheckEstimate(s krylov.Solver, cooled bool) error {
	if _, ok := s.(*krylov.BiCGSTAB); !ok || o.RTol > 0 || o.ATol > 0 {
		return nil
	}
	if name := methods.All()[0].Name; cooled {
		return methods.Refused(fmt.Errorf("%s gives no estimate of the error in K with coolant; give --rtol or "+
			"--atol, or choose %s, which does", o.Preconditioner, name))
	}
	return methods.Refused(errors.New("solver=bicgstab gives no estimate of the error in K; give --rtol or " +
		"--atol, or omit solver=bicgstab"))
}

// CheckCoolant refuses methods that cannot solve for stacks with coolant, whose operator is not symmetric.
func (o *Options) CheckCoolant(m *mesh.Mesh) error {
	if !m.Cooled() {
		return nil
	}
	able := []string{methods.All()[0].Name, "ddilu", "ilu"} // jacobi supports couplings only
	name, _ := precond.Split(o.Preconditioner)
	switch {
	case name != "" && !slices.Contains(able, name):
		return fmt.Errorf("%w: preconditioner %s cannot solve a stack with coolant, whose matrix is not symmetric; "+
			"choose %s, or leave it to auto",
			solution.ErrOption, name, strings.Join(able, ", "))
	case o.OnProcessorOnly(m) && (strings.HasPrefix(o.Device, "gpu") || o.Executor != nil && o.Executor.Threads() == 0):
		return fmt.Errorf("%w: preconditioner %s solves stacks with coolant on the CPU; choose "+
			"--device cpu, or %s", solution.ErrOption, name, methods.All()[0].Name)
	}
	return nil
}

// OnProcessorOnly says whether the method asked for has no kernels for the coolant of a mesh.
func (o *Options) OnProcessorOnly(m *mesh.Mesh) bool {
	name, _ := precond.Split(o.Preconditioner)
	return m.Cooled() && (name == "ilu" || name == "ddilu")
}

// CheckRanks refuses what several ranks do not solve. Assembly checks whether the grid has rows for all ranks.
func (o *Options) CheckRanks(m *mesh.Mesh) error {
	refuse := func(what string) error {
		return methods.Refused(fmt.Errorf("several ranks do not solve %s; omit --ranks", what))
	}
	switch {
	case m.Cooled():
		return refuse("stacks with coolant")
	case o.Power != nil:
		return refuse("with powers that a client sets between steps")
	case o.Preconditioner == "fourier" && !methods.SolvesDirectly(m, o.Preconditioner):
		_, why := methods.Choice(m, o.Preconditioner)
		return methods.Refused(fmt.Errorf("several ranks solve with --precond fourier only what it solves "+
			"directly, and %s; "+
			"choose %s, or run alone with --ranks 1", why, methods.All()[0].Name))
	case o.Preconditioner == "fourier":
		if err := fourier.CheckRanks(m.NX(), m.NY(), o.Ranks.Size()); err != nil {
			return methods.Refused(err)
		}
	case o.Preconditioner != "" && o.Preconditioner != methods.All()[0].Name:
		return refuse("with --precond " + o.Preconditioner + ", but with " + methods.All()[0].Name +
			", or stacks of uniform layers with fourier")
	}
	return nil
}
