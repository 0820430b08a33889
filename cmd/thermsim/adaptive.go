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
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// followOptions are the flags of steps that follow the temperatures.
type followOptions struct {
	until    flags.Quantity
	dtTol    flags.Quantity
	toSteady flags.Quantity
	every    flags.Quantity
	at       moments
	periodic bool
}

func newFollowOptions() followOptions {
	return followOptions{until: flags.Duration(), dtTol: flags.TemperatureRise(), toSteady: flags.TemperatureRise(),
		every: flags.Duration()}
}

func (o *followOptions) addFlags(f *pflag.FlagSet) {
	f.Var(&o.until, "until", "end at this time; without a time step, steps follow the temperatures")
	f.Var(&o.dtTol, "dt-tol", "largest error of a step in time, in place of --dt (default 0.01 K)")
	f.Var(&o.toSteady, "to-steady", "end once no cell is further than this from the steady state")
	f.Var(&o.every, "every", "write the temperatures after every such time, not of every step")
	f.Var(&o.at, "at", "write the temperatures at these times, with commas between")
	f.BoolVar(&o.periodic, "periodic", false, "the state that repeating power traces lead to, over one period")
}

// moments are times in s, ascending.
type moments struct {
	at   []float64
	text string
}

func (m *moments) Set(text string) error {
	m.at, m.text = nil, text
	for _, word := range strings.Split(text, ",") {
		t, err := stackfile.ParseTime(strings.TrimSpace(word))
		switch {
		case err != nil:
			return err
		case !(t > 0) || math.IsInf(t, 0):
			return errors.New("times must be positive and finite")
		case len(m.at) > 0 && t <= m.at[len(m.at)-1]:
			return fmt.Errorf("times must ascend, and %s comes after a later one or itself", word)
		}
		m.at = append(m.at, t)
	}
	if len(m.at) == 0 {
		return errors.New(`write times such as "1 ms,10 ms,0.1 s"`)
	}
	return nil
}

func (m *moments) String() string { return m.text }
func (m *moments) Type() string   { return "LIST" }

// needed says that a flag asks for steps that follow the temperatures.
func (o *followOptions) needed() bool {
	return o.dtTol.Value > 0 || o.toSteady.Value > 0 || o.every.Value > 0 || len(o.at.at) > 0 || o.periodic
}

// check finds contradictions between flags.
func (o *transientOptions) checkTimes() error {
	f := &o.follow
	oneLength := o.dt.Value > 0 || o.steps > 0
	switch {
	case oneLength && f.needed():
		return exit.Usagef("--dt and --steps give all steps one length; --dt-tol, --to-steady, --every, --at and " +
			"--periodic go with steps that follow the temperatures: leave the one or the other away")
	case o.dt.Value > 0 && o.steps > 0 && f.until.Value > 0:
		return exit.Usagef("--until, --steps and --dt are one too many; leave one of them away")
	case f.every.Value > 0 && len(f.at.at) > 0:
		return exit.Usagef("--at and --every are two ways to say when the temperatures are written; give one of them")
	case f.periodic && (f.until.Value > 0 || f.toSteady.Value > 0):
		return exit.Usagef("--periodic shows one period; leave --until and --to-steady away")
	case f.periodic && o.initial.Text != "":
		return exit.Usagef("--periodic finds the state to start from; leave --initial away")
	}
	return nil
}

// applyTimes puts the flags in place of what the stack file wishes for, and the times of power traces where neither
// gives any. It says whether steps follow the temperatures.
func (o *transientOptions) applyTimes(s *stack.Stack) (follows bool) {
	f, t := &o.follow, &s.Transient
	if f.needed() {
		t.Dt = 0
	}
	if o.dt.Value > 0 || o.steps > 0 { // one length
		t.DtTol, t.ToSteady, t.Every, t.At, t.Periodic = 0, 0, 0, nil, false
	}
	if f.until.Value > 0 {
		t.Until, t.Steps, t.Periodic = f.until.Value, 0, false // a stack with both ends would not be read again
	}
	if f.dtTol.Value > 0 {
		t.DtTol = f.dtTol.Value
	}
	if f.toSteady.Value > 0 {
		t.ToSteady, t.Periodic = f.toSteady.Value, false
	}
	if f.every.Value > 0 || len(f.at.at) > 0 {
		t.Every, t.At = f.every.Value, f.at.at
	}
	if f.periodic {
		t.Periodic, t.Until, t.ToSteady = true, 0, 0
	}
	followTraces(s, o.dt.Value > 0, o.steps > 0)
	if o.dt.Value > 0 || o.steps > 0 || t.Dt > 0 {
		return false
	}
	return t.Follows() || t.Until > 0
}

// followTraces steps a stack by its power traces where the file and the flags dt and steps leave it open: by the rows,
// where all of them are of one length, and to the end. Beyond it, the last row would hold.
func followTraces(s *stack.Stack, dt, steps bool) {
	t := &s.Transient
	interval, end := s.TraceSpan()
	if end == 0 || t.Until > 0 || t.Follows() {
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

// following plans steps that follow the temperatures.
func following(m *mesh.Mesh, t *stack.Transient, wasDt float64) (gpusolve.AdaptiveOptions, error) {
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
		return a, exit.Usagef("steps that follow the temperatures need an end: give --until TIME, --to-steady K or " +
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

// follow runs with steps that follow the temperatures, from the state that is asked for.
func (p *project) follow(ctx context.Context, m *mesh.Mesh, o gpusolve.Options, a gpusolve.AdaptiveOptions,
	t *stack.Transient, start *beginning) (*solution.Solution, error) {
	switch {
	case p.network() != nil:
		return nil, exit.Usagef("networks that stand in for a simulator's own step by backward Euler alone; leave " +
			"--dt-tol, --until without --dt, --to-steady, --every, --at and --periodic away, or --compat")
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
