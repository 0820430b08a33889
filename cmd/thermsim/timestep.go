package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

const (
	defaultSteps = 50
	// stepsPerTimeConstant is how many default steps make the slowest time constant of the stack.
	stepsPerTimeConstant = 50
	// coarseSide is the grid on which that time constant is found: the slowest mode is smooth.
	coarseSide = 48
)

// planSteps settles the number and length of the steps and the initial temperature.
func planSteps(ctx context.Context, g *session.Session, s *stack.Stack, o *transientOptions) (gpusolve.TransientOptions,
	error) {
	plan := gpusolve.TransientOptions{Steps: defaultSteps, Dt: s.Transient.Dt}
	if s.Transient.Steps > 0 {
		plan.Steps = s.Transient.Steps
	}
	if o.steps > 0 {
		plan.Steps = o.steps
	}
	if o.initial.kelvin > 0 {
		s.Transient.Initial = o.initial.kelvin
	}
	if o.dt > 0 {
		plan.Dt, s.Transient.Dt = o.dt, o.dt
	}
	if until := s.Transient.Until; until > 0 {
		if o.steps > 0 && o.dt == 0 {
			plan.Dt = until / float64(plan.Steps)
		} else if o.steps == 0 && plan.Dt > 0 {
			plan.Steps = stepsUntil(until, plan.Dt)
		}
	}
	if plan.Dt > 0 {
		return plan, nil
	}
	var err error
	plan.Dt, err = chosenStep(ctx, g, s)
	return plan, err
}

// chosenStep is a part of the stack's slowest time constant, which the user hears of.
func chosenStep(ctx context.Context, g *session.Session, s *stack.Stack) (float64, error) {
	tau, err := slowestTimeConstant(ctx, s)
	switch {
	case err != nil:
		return 0, err
	case math.IsInf(tau, 0):
		return 0, exit.Usagef("the stack has no heat-flow path to ambient, hence no time constant to choose a " +
			"step from. Fix: give --dt or dt in [transient]")
	}
	dt := tau / stepsPerTimeConstant
	noteStep(g, dt, tau)
	return dt, nil
}

func noteStep(g *session.Session, dt, tau float64) {
	g.Note("steps of %s, a fiftieth of the slowest time constant (%s); --dt or dt in [transient] override it",
		terminal.Seconds(dt), terminal.Seconds(tau))
}

// stepsUntil is how many steps of dt end there or just beyond.
func stepsUntil(until, dt float64) int {
	return int(math.Min(math.Ceil(until/dt*(1-1e-12)), math.MaxInt32))
}

// slowestTimeConstant estimates it in s on a coarse mesh of the stack.
func slowestTimeConstant(ctx context.Context, s *stack.Stack) (float64, error) {
	coarse := *s
	coarse.Grid = stack.Grid{X: stack.Axis{Cells: min(coarseSide, s.Grid.X.Cells)},
		Y: stack.Axis{Cells: min(coarseSide, s.Grid.Y.Cells)}}
	m, err := mesh.Build(&coarse)
	if err != nil {
		return 0, exit.With(exit.Input, err)
	}
	return stepping.SlowestTimeConstant(ctx, m)
}

// adaptiveOptions are the flags of adaptive time steps.
type adaptiveOptions struct {
	until    float64
	dtTol    float64
	toSteady float64
	every    float64
	at       []float64 // s, ascending
	periodic bool
}

func (o *adaptiveOptions) addFlags(f *pflag.FlagSet) {
	flags.Duration.Var(f, &o.until, "until", "end at this time; without a time step, steps are adaptive")
	flags.Rise.Var(f, &o.dtTol, "dt-tol", "maximum error per adaptive time step, instead of --dt (default 0.01 K)")
	flags.Rise.Var(f, &o.toSteady, "to-steady", "end once no cell is further than this from the steady state")
	flags.Duration.Var(f, &o.every, "every", "write the temperatures at this interval instead of at every step")
	flags.Var(f, &o.at, "at", "LIST", "write the temperatures at these comma-separated times", parseMoments)
	f.BoolVar(&o.periodic, "periodic", false, "the state that repeating power traces lead to, over one period")
}

// parseMoments reads times in s, which ascend.
func parseMoments(text string) (at []float64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		t, err := stackfile.ParseTime(strings.TrimSpace(word))
		switch {
		case err != nil:
			return nil, err
		case !(t > 0) || math.IsInf(t, 0):
			return nil, errors.New("times must be positive and finite")
		case len(at) > 0 && t <= at[len(at)-1]:
			return nil, fmt.Errorf("times must ascend, and %s comes after a later one or itself", word)
		}
		at = append(at, t)
	}
	return at, nil
}

// needed reports whether a flag requires adaptive time steps.
func (o *adaptiveOptions) needed() bool {
	return o.dtTol > 0 || o.toSteady > 0 || o.every > 0 || len(o.at) > 0 || o.periodic
}

// check finds contradictions between flags.
func (o *transientOptions) checkTimes() error {
	f := &o.adaptive
	oneLength := o.dt > 0 || o.steps > 0
	switch {
	case oneLength && f.needed():
		return exit.Usagef("--dt and --steps select fixed time steps; --dt-tol, --to-steady, --every, --at and " +
			"--periodic require adaptive steps. Use one group only")
	case o.dt > 0 && o.steps > 0 && f.until > 0:
		return exit.Usagef("--until, --steps and --dt: give at most two of them")
	case f.every > 0 && len(f.at) > 0:
		return exit.Usagef("--at and --every are two ways to say when the temperatures are written; give one of them")
	case f.periodic && (f.until > 0 || f.toSteady > 0):
		return exit.Usagef("--periodic shows one period; omit --until and --to-steady")
	case f.periodic && o.initial.text != "":
		return exit.Usagef("--periodic finds the initial state; omit --initial")
	}
	return nil
}

// applyTimes overrides the times of the stack file by the flags, and takes those of power traces if neither gives any.
// It reports whether time steps are adaptive.
func (o *transientOptions) applyTimes(s *stack.Stack) (follows bool) {
	f, t := &o.adaptive, &s.Transient
	if f.needed() {
		t.Dt = 0
	}
	if o.dt > 0 || o.steps > 0 { // one length
		t.DtTol, t.ToSteady, t.Every, t.At, t.Periodic = 0, 0, 0, nil, false
	}
	if f.until > 0 {
		t.Until, t.Steps, t.Periodic = f.until, 0, false // a stack with both ends would not be read again
	}
	if f.dtTol > 0 {
		t.DtTol = f.dtTol
	}
	if f.toSteady > 0 {
		t.ToSteady, t.Periodic = f.toSteady, false
	}
	if f.every > 0 || len(f.at) > 0 {
		t.Every, t.At = f.every, f.at
	}
	if f.periodic {
		t.Periodic, t.Until, t.ToSteady = true, 0, 0
	}
	followTraces(s, o.dt > 0, o.steps > 0)
	if o.dt > 0 || o.steps > 0 || t.Dt > 0 {
		return false
	}
	return t.Adaptive() || t.Until > 0
}

// followTraces steps a stack by its power traces where the file and the flags dt and steps leave it open: by the rows,
// where all of them are of one length, and to the end. Beyond it, the last row would hold.
func followTraces(s *stack.Stack, dt, steps bool) {
	t := &s.Transient
	interval, end := s.TraceSpan()
	if end == 0 || t.Until > 0 || t.Adaptive() {
		return
	}
	if !dt && t.Dt == 0 {
		t.Dt = interval
	}
	if !steps && t.Steps == 0 {
		t.Until = end
	}
}

// mostTimes is how many times may be asked for.
const mostTimes = 10_000_000

// expectedTimes is how many steps are expected where every one is written.
const expectedTimes = 400

// planAdaptive plans adaptive time steps.
func planAdaptive(m *mesh.Mesh, t *stack.Transient, wasDt float64) (gpusolve.AdaptiveOptions, error) {
	a := gpusolve.AdaptiveOptions{Tol: t.DtTol, Until: t.Until, ToSteady: t.ToSteady, At: t.At}
	switch {
	case t.Periodic:
		if a.Until = m.Power.Period(); a.Until == 0 {
			return a, exit.Usagef("%w; power = { ..., repeat = true } repeats a trace", gpusolve.ErrPeriod)
		}
	case a.Until > 0:
	case t.ToSteady > 0:
		a.Until = math.Inf(1)
	case len(t.At) > 0:
		a.Until = t.At[len(t.At)-1]
	case wasDt > 0 && t.Steps > 0:
		a.Until = float64(t.Steps) * wasDt
	default:
		return a, exit.Usagef("adaptive time steps need an end. Fix: give --until TIME, --to-steady K or " +
			"--periodic, or their keys in [transient]")
	}
	if n := len(a.At); n > 0 && a.At[n-1] > a.Until*(1+1e-9) {
		remedy := ", or give a later --until"
		if t.Periodic {
			remedy = " of the period"
		}
		return a, exit.Usagef("the temperatures are asked for at %s, after the end at %s; ask for earlier ones%s",
			terminal.Seconds(a.At[n-1]), terminal.Seconds(a.Until), remedy)
	}
	if t.Every > 0 {
		if math.IsInf(a.Until, 1) {
			return a, exit.Usagef("--every with --to-steady needs --until too: the latest time at which the run may " +
				"end")
		}
		n := math.Floor(a.Until / t.Every * (1 + 1e-12))
		if n > mostTimes {
			return a, exit.Usagef("%s until %s are more than %d times; ask for fewer", terminal.Seconds(t.Every),
				terminal.Seconds(a.Until), mostTimes)
		}
		for i := 1.0; i <= n; i++ {
			a.At = append(a.At, math.Min(i*t.Every, a.Until))
		}
		if n == 0 {
			a.At = []float64{a.Until}
		}
	}
	return a, nil
}

// adaptive runs with adaptive time steps, from the requested initial state.
func (p *project) adaptive(ctx context.Context, m *mesh.Mesh, o gpusolve.Options, a gpusolve.AdaptiveOptions,
	t *stack.Transient, start *initialState) (*solution.Solution, error) {
	switch {
	case p.network() != nil:
		return nil, exit.Usagef("networks of nodes (--compat) step by backward Euler only. Fix: omit --dt-tol, " +
			"--until " +
			"without --dt, --to-steady, --every, --at and --periodic, or omit --compat")
	case t.Periodic:
		return gpusolve.Periodic(ctx, m, o, gpusolve.PeriodicOptions{StepTol: a.Tol, At: a.At, OnStep: a.OnStep,
			Regions: a.Regions})
	case a.Checkpoints != nil && a.Checkpoints.From != nil: // it has the state
	default:
		field, done, err := p.startField(ctx, m, o, a.Initial, start)
		if err != nil {
			return nil, err
		}
		defer done()
		a.Initial = field
	}
	return gpusolve.Adaptive(ctx, m, o, a)
}

// Of adaptive steps: each takes two solves and part of a setup, in all the time of this many steady solves.
// After a change of power they begin with firstStep and grow; a decade of time takes stepsPerDecade of them at an error
// of usualStepError. Three runs, two templates and a duty cycle, took 0.96 to 1 times as many.
const (
	steadySolvesPerStep = 2.9
	firstStep           = 3e-6 // s
	stepsPerDecade      = 10
	usualStepError      = 0.01 // K
	// periodsStepped to a periodic state and through it: 7 and 1 in runs of a duty cycle of 40 ms, one of 10 s and a
	// trace of 200 ms.
	periodsStepped = 8
)

// adaptiveSteps is about how many steps a run until its end takes, 0 where the end is not known before.
func adaptiveSteps(m *mesh.Mesh, t *stack.Transient) int {
	const mostChanges = 1000 // beyond, the changes of power before are typical
	if t.Until == 0 || t.ToSteady > 0 {
		return 0
	}
	steps, at := 0.0, 0.0
	for changes := 0; at < t.Until && changes < mostChanges; changes++ {
		next := math.Min(m.Power.NextChange(at), t.Until)
		steps += math.Max(1, stepsPerDecade*math.Log10((next-at)/firstStep))
		at = next
	}
	steps *= t.Until / at
	if t.DtTol > 0 {
		steps *= math.Cbrt(usualStepError / t.DtTol)
	}
	return int(twoDigits(math.Max(10, steps)))
}
