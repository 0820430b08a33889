package gpusolve

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/powermap"
)

// modesOf gives back what the direct solver made, as an operator does.
type modesOf struct{ fourier.Executor }

// Free closes the executor.
func (m modesOf) Free() { m.Close() }

// directDemand is that of the direct solver.
func directDemand(o *job, m *mesh.Mesh, steps int) demand {
	return demand{cells: m.Cells(), steps: steps, solves: o.solves, direct: true, warm: fourier.Warm,
		memory: func(int64) int64 {
			s := shapeOf(m, steps > 0, true)
			s.States = o.states
			if o.team != nil {
				return directNeed(s, o.team.group.Size()).Peak()
			}
			return directNeed(s, 1).Peak()
		}}
}

// newDirect opens the device and sets the direct solver up for a mesh. A positive dt makes it a time stepper.
func newDirect(m *mesh.Mesh, l *fourier.Layered, o *job, steps int, dt float64) (*direct, error) {
	s := &direct{mesh: m, layered: l, faces: fourier.NewFaces(m, l), dt: dt, gain: l.Gain(),
		team: o.team, powered: make([]bool, l.NZ), reductions: map[*reduction.Regions]reduction.Reduction{}}
	s.power = powers{supply: o.supply(m, dt), put: s.redraw}
	_, err := o.openDriver(directDemand(o, m, steps), func(d *driver) error {
		s.driver = d
		if err := checkLink(o, d, dt > 0); err != nil {
			return err
		}
		return s.setUp()
	}, func(*driver) error { return s.failure() })
	if err != nil {
		return nil, err
	}
	s.exchanged = exchange(s.faces.Heat(nil, nil))
	return s, nil
}

// setUp makes the states, and room for as many planes as the device has.
func (s *direct) setUp() error {
	s.driven = s.faces.Loads()
	s.warmest = s.faces.HighestRise()
	s.ceiling = s.warmest
	drawn, err := s.firstDrawings()
	if err != nil {
		return err
	}
	loads := s.loads(drawn)
	if s.fourier, err = fourier.New(s.dev, s.layered, loads, s.group()); err != nil {
		return err
	}
	s.kept = modesOf{s.fourier}
	if s.x, err = s.newState(); err != nil {
		return err
	}
	s.old = nil
	if s.dt > 0 {
		if s.old, err = s.newState(); err != nil {
			return err
		}
	}
	s.fourier.SetLoads(loads)
	if err := s.failure(); err != nil {
		return err
	}
	room, err := s.roomForPlanes()
	if err != nil {
		return err
	}
	s.planes, err = newShownPlanes(s.fourier, s.layered, room)
	return err
}

// firstDrawings are the power of the steady state or of the first time step.
func (s *direct) firstDrawings() ([]powermap.Drawing, error) {
	if s.dt == 0 {
		return s.mesh.Power.Steady(), nil
	}
	s.power.drawn = [2]float64{0, s.dt}
	return s.power.supply.Over(0, s.dt)
}

func (s *direct) newState() (*state, error) {
	m, err := s.fourier.NewModes()
	return &state{Modes: m}, err
}

// roomForPlanes is the number of planes that are held at a time: all, or what three quarters of a device's free memory
// hold, on all ranks the least of theirs. To ask for that takes longer than small solves do.
func (s *direct) roomForPlanes() (int, error) {
	l, room := s.layered, s.layered.NZ
	if on, ok := ops.Innermost(s.dev).(limited); ok && !fourier.HoldsAllPlanes(l, s.group()) {
		free, _, err := memoryOf(on)
		if err != nil {
			return 0, err
		}
		room = max(1, min(l.NZ, int(free*3/4/fourier.PlaneBytes(l, s.group()))))
	}
	if s.team != nil {
		return s.team.least(room)
	}
	return room, nil
}
