package gpusolve

import (
	"errors"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/mesh"
)

// newEngine opens the device and sets everything up for a mesh. A positive dt makes it a time stepper.
func newEngine(m *mesh.Mesh, o *job, steps int, dt float64) (*engine, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.checkCoolant(m); err != nil {
		return nil, err
	}
	if err := checkUnknowns(o.Preconditioner, m.Cells()); err != nil {
		return nil, err
	}
	if o.Ranks != nil {
		if o.team == nil {
			return nil,
				refused(errors.New("several ranks solve steady states and transients alone; leave --ranks away"))
		}
		if err := o.checkRanks(m); err != nil {
			return nil, err
		}
	}
	if l := directly(m, o, dt); l != nil {
		s, err := newDirect(m, l, o, steps, dt)
		if err == nil {
			return &engine{driver: s.driver, thermal: s, system: s, direct: s, mesh: m, timing: s.driver.timing,
				team: o.team, ambient: m.Stack.Ambient, exchanged: s.exchanged}, nil
		}
		if !errors.Is(err, errSlowLink) {
			return nil, err
		}
	}
	return newIterated(m, o, steps, dt)
}

// newIterated does so where an iteration is to solve.
func newIterated(m *mesh.Mesh, o *job, steps int, dt float64) (*engine, error) {
	s, err := newMeshed(m, o, steps, dt)
	if err != nil {
		return nil, err
	}
	return &engine{driver: s.driver, thermal: s, system: s, meshed: s, mesh: m, timing: s.driver.timing, team: o.team,
		ambient: m.Stack.Ambient, exchanged: s.exchanged}, nil
}

// directly is the operator of a mesh where the options leave it to the transforms, nil where an iteration is to solve.
func directly(m *mesh.Mesh, o *job, dt float64) *fourier.Layered {
	if !solvesDirectly(m, o.Preconditioner, false) || o.team != nil &&
		fourier.CheckRanks(m.NX(), m.NY(), o.Ranks.Size()) != nil || o.Executor != nil && !fourier.Runs(o.Executor) {
		return nil
	}
	l, err := fourier.Of(m, dt)
	if err != nil {
		return nil
	}
	return l
}

// AdaptiveNeed is the memory of steps that follow the temperatures: Adaptive, or Periodic.
func AdaptiveNeed(m *mesh.Mesh, preconditioner string, periodic, gpu bool) Need {
	s := shapeOf(m, true, gpu)
	if s.States = marchStates + 1; periodic {
		s.States = marchStates + cycleStates
	}
	if solvesDirectly(m, preconditioner, gpu) {
		return directNeed(s, 1)
	}
	return needOf(s, preconditioner, systemBytes(s))
}
