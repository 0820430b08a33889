// Package direct solves the system of a mesh by transforms where these diagonalise it.
package direct

import (
	"context"
	"errors"
	"math"
	"slices"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/guess"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/snapshot"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
)

// System is a mesh's system whose operator transforms diagonalise. States stay in coefficients of the basis functions;
// planes are made where someone reads them.
type System struct {
	*driver.Driver
	mesh    *mesh.Mesh
	layered *fourier.Layered
	fourier fourier.Operations
	faces   *fourier.Faces
	driven  []fourier.Load // what the faces bring in
	Planes  *shownPlanes
	team    *team.Team    // nil where no ranks share the grid
	power   driver.Powers // of a time stepper's steps
	dt      float64       // s, 0 in a steady state
	gain    float64       // K per W of the residual

	X, old *state   // old of a time stepper
	states []*state // of stages, by number; nil where there are none
	// powered marks the planes that heat may enter. Elsewhere no rise exceeds ceiling, a bound from the states before;
	// warmest is the highest rise of a face. unseen says that hottest has not looked at the state of the last step.
	powered          []bool
	ceiling, warmest float64
	unseen           bool
	// reductions are what the device keeps of regions.
	reductions map[*reduction.Regions]reduction.Reduction
	// Exchanged is the heat in W that the faces would exchange with a stack at ambient temperature.
	Exchanged float64
}

// state is in modes. solved counts how often it was solved for.
type state struct {
	fourier.Modes
	solved int
}

// Begin sets a state of the field, or of the stack's uniform rise.
func (s *System) Begin(start solution.Field) error {
	if s.team != nil {
		if done, err := s.beginOnRanks(start); done || err != nil {
			return err
		}
	} else if start != nil {
		return s.Planes.write(s.X, func(k int, plane []float64) error {
			err := fields.ReadRises(s.mesh, start, k, plane)
			s.ceiling = math.Max(s.ceiling, slices.Max(plane))
			return err
		})
	}
	rise := fields.Uniform(s.mesh)
	if rise == 0 {
		return nil
	}
	s.ceiling = math.Max(s.ceiling, rise)
	return s.Planes.write(s.X, func(_ int, plane []float64) error {
		for c := range plane {
			plane[c] = rise
		}
		return nil
	})
}

func (s *System) Advance(n int, t0, t1 float64) (float64, error) {
	if s.dt == 0 {
		return s.mesh.Power.Mapped, nil
	}
	changed, err := s.power.Step(n, s.dt, t0, t1)
	if changed && err == nil {
		err = s.Failure()
	}
	return s.power.Watts, err
}

// Redraw makes the right-hand side of drawings and faces.
func (s *System) Redraw(layers []powermap.Drawing) { s.fourier.SetLoads(s.loads(layers)) }

// loads are those of drawings and faces. It marks the planes that heat enters.
func (s *System) loads(layers []powermap.Drawing) []fourier.Load {
	clear(s.powered)
	s.faces.Powered(s.powered)
	loads := slices.Clone(s.driven)
	for _, d := range layers {
		r := s.mesh.PowerPlanes(d.Layer)
		l := fourier.Load{Drawing: d, First: r[0]}
		for k := r[0]; k < r[1]; k++ {
			l.Shares = append(l.Shares, 1/float64(r[1]-r[0]))
			s.powered[k] = true
		}
		loads = append(loads, l)
	}
	return loads
}

// Settle solves. In time the rest, residual and error, is left to conclude.
func (s *System) Settle(ctx context.Context, o *driver.Options, systems int, watch driver.Watch) (
	krylov.Outcome, error) {
	if watch != nil {
		watch(0, math.NaN())
	}
	if ctx.Err() != nil {
		return krylov.Outcome{ErrorK: math.NaN(), Reason: krylov.Interrupted}, nil
	}
	if s.dt > 0 {
		s.X, s.old = s.old, s.X
		if s.unseen {
			s.ceiling = math.Inf(1)
		}
		s.unseen = true
	}
	if out, err := s.solve(); err != nil || s.dt > 0 {
		return out, err
	}
	return s.Conclude(o, systems), s.Failure()
}

// solve makes the state that follows old, or the steady one. It is not judged.
func (s *System) solve() (krylov.Outcome, error) {
	s.X.solved++
	s.fourier.Solve(s.X.Modes, s.former(), 1)
	err := s.Failure()
	return krylov.Outcome{Converged: err == nil, Reason: krylov.Direct}, err
}

// former is the state before, nil in a steady state.
func (s *System) former() fourier.Modes {
	if s.old == nil {
		return nil
	}
	return s.old.Modes
}

// Respond solves for another power.
func (s *System) Respond(ctx context.Context, o *driver.Options, layers []powermap.Drawing,
	judged bool) (krylov.Outcome, error) {
	s.Redraw(layers)
	if out, err := s.solve(); err != nil || !judged {
		return out, err
	}
	return s.Conclude(o, 1), s.Failure()
}

// Conclude judges the state by its residual.
func (s *System) Conclude(o *driver.Options, systems int) krylov.Outcome {
	n := s.fourier.Residual(s.X.Modes, s.former(), s.Planes.whole(s.X))
	out := krylov.Outcome{Norms: n.Norms, ErrorK: s.gain * n.Max, Reason: krylov.Direct}
	tol := o.Tol
	if tol <= 0 {
		tol = driver.DefaultTol
	}
	switch {
	case math.IsNaN(n.Residual) || math.IsInf(n.Residual, 0):
		out.Reason = krylov.Breakdown
		return out
	case o.ATol > 0:
		out.Converged = n.Residual <= o.ATol
	case o.RTol > 0:
		out.Converged = n.Residual <= o.RTol*n.Source
	default:
		out.Converged = out.ErrorK <= tol/float64(systems)
	}
	// Sums of n terms in the transforms add a few roundings to those of the residual itself.
	const roundings = 64
	switch {
	case out.Converged:
	case n.Residual <= roundings*n.Floor:
		// Right to rounding, but the bound of the error does not show that it meets the tolerance.
		out.Converged, out.Reason = true, krylov.Attainable
	default:
		out.Reason = krylov.Stagnation
	}
	return out
}

// Retreat does nothing: a step that is given up has not touched the states.
func (s *System) Retreat() {}

func (s *System) Vectors() int { return 2 }

func (s *System) Keep(into *guess.Past) {
	s.fourier.ReadModes(s.X.Modes, into.Values[0])
	s.fourier.ReadModes(s.old.Modes, into.Values[1])
	into.Power = s.power.Watts
}

func (s *System) Resume(from *guess.Past) {
	s.fourier.WriteModes(s.X.Modes, from.Values[0])
	s.fourier.WriteModes(s.old.Modes, from.Values[1])
	s.X.solved++
	s.power.Watts = from.Power
	s.Forget()
}

// Forget leaves no bound of what is warm where.
func (s *System) Forget() { s.ceiling, s.unseen = math.Inf(1), false }

func (s *System) Snapshot(c *snapshot.Coder) {
	s.power.Snapshot(c)
	c.Float(&s.ceiling)
	c.Bool(&s.unseen)
	states := s.states
	if states == nil {
		states = []*state{s.X, s.old}
	}
	values := make([]float64, s.mesh.Cells())
	for _, x := range states {
		if !c.Reading() {
			s.fourier.ReadModes(x.Modes, values)
		}
		if c.Values(values); c.Err() == nil && c.Reading() {
			s.fourier.WriteModes(x.Modes, values)
			x.solved++
		}
	}
}

func (s *System) Hold(n int) error {
	s.states = []*state{s.X, s.old}
	for len(s.states) < n {
		v, err := s.newState()
		if err != nil {
			return err
		}
		s.states = append(s.states, v)
	}
	return s.Failure()
}

func (s *System) Combine(dst int, a float64, x int, b float64, y int) {
	to := s.states[dst]
	to.solved++
	s.fourier.Combine(to.Modes, a, s.states[x].Modes, b, s.states[y].Modes)
}

func (s *System) Largest(x int) float64 {
	all := make([]bool, len(s.powered))
	for k := range all {
		all[k] = true
	}
	top := s.Planes.max(s.states[x], all)
	s.Combine(x, -1, x, 0, x)
	return math.Max(top, s.Planes.max(s.states[x], all))
}

func (s *System) Retime(dt float64) error {
	l, err := fourier.Of(s.mesh, dt)
	if err != nil {
		return err
	}
	s.dt = dt
	copy(s.layered.Capacity, l.Capacity)
	s.gain = s.layered.Gain()
	s.fourier.Refresh()
	return s.Failure()
}

func (s *System) Load(t0, t1 float64) (float64, error) {
	watts, err := s.power.Load(t0, t1)
	return watts, errors.Join(err, s.Failure())
}

// Stage is not interrupted: it takes no longer than a look at the state does.
func (s *System) Stage(_ context.Context, _ *driver.Options, dst, from int, watch driver.Watch) (
	krylov.Outcome, error) {
	if watch != nil {
		watch(0, math.NaN())
	}
	s.Show(dst, from)
	return s.solve()
}

// Show has no bound from earlier states: between and after stages a state may pass them by as much as the error of the
// steps.
func (s *System) Show(x, from int) {
	s.X, s.old = s.states[x], s.states[from]
	s.ceiling = math.Inf(1)
}

func (s *System) Held() float64 { return s.Stored() }

// Hottest looks at the planes that heat enters. Elsewhere no cell is warmer than its neighbours, the temperatures of
// the faces and its own past: only where the powered planes stay below these, all planes are looked at.
func (s *System) Hottest() float64 {
	s.unseen = false
	top := s.Planes.max(s.X, s.powered)
	if top >= s.ceiling {
		if s.dt > 0 {
			// in the next step no cell without power rises above what is here, unless a powered one does
			s.ceiling = top
		}
		return top
	}
	others := make([]bool, len(s.powered))
	for k, p := range s.powered {
		others[k] = !p
	}
	rest := s.Planes.max(s.X, others)
	s.ceiling = math.Max(rest, s.warmest)
	return math.Max(top, rest)
}

func (s *System) Outflow() [6]float64 { return s.faces.Heat(s.fourier, s.X.Modes) }

func (s *System) Stored() float64 {
	return s.faces.Content(s.fourier, s.X.Modes) - s.faces.Content(s.fourier, s.old.Modes)
}

func (s *System) Field() solution.Field { return spectralField{s, s.X} }

// Status reports how a direct solve ended.
func (s *System) Status(out krylov.Outcome) solution.Status {
	st := solution.Status{
		Method: solution.MethodDirect, Preconditioner: "fourier", Details: s.layered.String(),
		ResidualW: out.Norms.Residual, EstimatedErrorK: out.ErrorK, Converged: out.Converged,
		Reason: methods.ReasonText(out.Reason),
	}
	if out.Norms.Source > 0 {
		st.RelativeResidual = out.Norms.Residual / out.Norms.Source
	}
	return st
}
