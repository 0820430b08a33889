// Package direct solves the system of a mesh by transforms where these diagonalise it.
package direct

import (
	"context"
	"math"
	"slices"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/reduction"
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

// Redraw makes the right side of drawings and faces.
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
	s.X.solved++
	if s.old == nil {
		s.fourier.Solve(s.X.Modes, nil, 1)
	} else {
		s.fourier.Solve(s.X.Modes, s.old.Modes, 1)
	}
	if err := s.Failure(); err != nil || s.dt > 0 {
		return krylov.Outcome{Converged: err == nil, Reason: krylov.Direct}, err
	}
	return s.Conclude(o, systems), s.Failure()
}

// Respond solves for another power.
func (s *System) Respond(ctx context.Context, o *driver.Options, layers []powermap.Drawing,
	judged bool) (krylov.Outcome, error) {
	s.Redraw(layers)
	s.X.solved++
	s.fourier.Solve(s.X.Modes, nil, 1)
	if !judged {
		return krylov.Outcome{Converged: true, Reason: krylov.Direct}, s.Failure()
	}
	return s.Conclude(o, 1), s.Failure()
}

// Conclude judges the state by its residual.
func (s *System) Conclude(o *driver.Options, systems int) krylov.Outcome {
	var old fourier.Modes
	if s.old != nil {
		old = s.old.Modes
	}
	n := s.fourier.Residual(s.X.Modes, old, s.Planes.whole(s.X))
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
