package stepping

import (
	"errors"

	"thermsim/gpusolve/direct"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/meshed"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/mesh"
)

// Open opens the device and sets everything up for a mesh. A positive dt makes it a time stepper.
func Open(m *mesh.Mesh, o *driver.Job, steps int, dt float64) (*Engine, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := o.CheckCoolant(m); err != nil {
		return nil, err
	}
	if err := methods.CheckUnknowns(o.Preconditioner, m.Cells()); err != nil {
		return nil, err
	}
	if o.Ranks != nil {
		if o.Team == nil {
			return nil,
				methods.Refused(errors.New("several ranks solve steady states and transients alone; leave " +
					"--ranks away"))
		}
		if err := o.CheckRanks(m); err != nil {
			return nil, err
		}
	}
	if l := Directly(m, o, dt); l != nil {
		s, err := direct.New(m, l, o, steps, dt)
		if err == nil {
			return &Engine{Driver: s.Driver, Thermal: s, System: s, Direct: s, Mesh: m, Timing: s.Driver.Timing,
				team: o.Team, Ambient: m.Stack.Ambient, Exchanged: s.Exchanged}, nil
		}
		if !errors.Is(err, driver.ErrSlowLink) {
			return nil, err
		}
	}
	return OpenIterated(m, o, steps, dt)
}

// OpenIterated does so where an iteration is to solve.
func OpenIterated(m *mesh.Mesh, o *driver.Job, steps int, dt float64) (*Engine, error) {
	s, err := meshed.New(m, o, steps, dt)
	if err != nil {
		return nil, err
	}
	return &Engine{Driver: s.Driver, Thermal: s, System: s, meshed: s, Mesh: m, Timing: s.Driver.Timing, team: o.Team,
		Ambient: m.Stack.Ambient, Exchanged: s.Exchanged}, nil
}

// Directly is the operator of a mesh where the options leave it to the transforms, nil where an iteration is to solve.
func Directly(m *mesh.Mesh, o *driver.Job, dt float64) *fourier.Layered {
	if !methods.SolvesDirectly(m, o.Preconditioner) || o.Team != nil &&
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
func AdaptiveNeed(m *mesh.Mesh, preconditioner string, periodic, gpu bool) memory.Need {
	s := memory.ShapeOf(m, true, gpu)
	if s.States = marchStates + 1; periodic {
		s.States = marchStates + cycleStates
	}
	if methods.SolvesDirectly(m, preconditioner) {
		return memory.OfDirect(s, 1)
	}
	return memory.Of(s, preconditioner, memory.SystemBytes(s))
}
