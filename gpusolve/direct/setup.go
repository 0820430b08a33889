package direct

import (
	"errors"
	"math"
	"slices"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/nccl"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
)

// modesOf gives back what the direct solver made, as an operator does.
type modesOf struct{ fourier.Operations }

// Free closes the operations.
func (m modesOf) Free() { m.Close() }

// Demand is that of the direct solver.
func Demand(o *driver.Job, m *mesh.Mesh, steps int) device.Demand {
	const cores = 2 // of a device's estimates
	_, graded := fourier.Seconds(m.Stack)
	once := time.Duration(graded / cores * float64(time.Second))
	return device.Demand{Cells: m.Cells(), Steps: steps, Solves: o.Solves, Direct: true, Once: once,
		Memory: func(int64) int64 {
			s := memory.ShapeOf(m, steps > 0, true)
			s.States = o.States
			if o.Team != nil {
				return memory.OfDirect(s, o.Team.Group.Size()).Peak()
			}
			return memory.OfDirect(s, 1).Peak()
		}}
}

// New opens the device and sets the direct solver up for a mesh. A positive dt makes it a time stepper.
func New(m *mesh.Mesh, l *fourier.Layered, o *driver.Job, steps int, dt float64) (*System, error) {
	s := &System{mesh: m, layered: l, faces: fourier.NewFaces(m, l), dt: dt, gain: l.Gain(),
		team: o.Team, powered: make([]bool, l.NZ), reductions: map[*reduction.Regions]reduction.Reduction{}}
	s.power = driver.Powers{Supply: o.Supply(m, dt), Put: s.Redraw}
	l.Prepare()
	_, err := o.Open(Demand(o, m, steps), func(d *driver.Driver) error {
		s.Driver = d
		if err := checkLink(o, d, dt > 0); err != nil {
			return err
		}
		return s.setUp()
	}, func(*driver.Driver) error { return s.Failure() })
	if err != nil {
		return nil, err
	}
	s.Exchanged = driver.Exchange(s.faces.Heat(nil, nil))
	return s, nil
}

// setUp makes the states, and room for as many planes as the device has.
func (s *System) setUp() error {
	s.driven = s.faces.Loads()
	s.warmest = s.faces.HighestRise()
	s.ceiling = s.warmest
	drawn, err := s.firstDrawings()
	if err != nil {
		return err
	}
	loads := s.loads(drawn)
	if s.fourier, err = fourier.New(s.Dev, s.layered, loads, s.group()); err != nil {
		return err
	}
	s.Kept = modesOf{s.fourier}
	if s.X, err = s.newState(); err != nil {
		return err
	}
	s.old = nil
	if s.dt > 0 {
		if s.old, err = s.newState(); err != nil {
			return err
		}
	}
	s.fourier.SetLoads(loads)
	if err := s.Failure(); err != nil {
		return err
	}
	capacity, err := s.planeCapacity()
	if err != nil {
		return err
	}
	s.Planes, err = newShownPlanes(s.fourier, s.layered, capacity)
	return err
}

// firstDrawings are the power of the steady state or of the first time step.
func (s *System) firstDrawings() ([]powermap.Drawing, error) {
	if s.dt == 0 {
		return s.mesh.Power.Steady(), nil
	}
	s.power.Drawn = [2]float64{0, s.dt}
	return s.power.Supply.Over(0, s.dt)
}

func (s *System) newState() (*state, error) {
	m, err := s.fourier.NewModes()
	return &state{Modes: m}, err
}

// planeCapacity is the number of planes that are held at a time: all, or what three quarters of a device's free memory
// hold, on all ranks the least of theirs. To ask for that takes longer than small solves do.
func (s *System) planeCapacity() (int, error) {
	l, capacity := s.layered, s.layered.NZ
	if on, ok := ops.Innermost(s.Dev).(device.Limited); ok && !fourier.HoldsAllPlanes(l, s.group()) {
		free, _, err := device.MemoryOf(on)
		if err != nil {
			return 0, err
		}
		capacity = max(1, min(l.NZ, int(free*3/4/fourier.PlaneBytes(l, s.group()))))
	}
	if s.team != nil {
		return s.team.Least(capacity)
	}
	return capacity, nil
}

// group is that of the ranks that share the grid, nil where there are none.
func (s *System) group() ranks.Group {
	if s.team == nil {
		return nil
	}
	return s.team.Group
}

// beginOnRanks sets the field that rank 0 has; done is false where it has none.
func (s *System) beginOnRanks(start solution.Field) (done bool, err error) {
	t := s.team
	if given, err := t.Agree(start != nil); err != nil || !given {
		return false, err
	}
	top := s.ceiling
	err = s.Planes.write(s.X, func(k int, plane []float64) error {
		if !t.IsRoot() {
			data, err := t.Group.Receive(0)
			if err == nil && len(data) != 8*len(plane) {
				err = errors.New("rank 0 sent a part of a plane")
			}
			if err == nil {
				copy(plane, team.Values(data))
			}
			return err
		}
		if err := fields.ReadRises(s.mesh, start, k, plane); err != nil {
			return err
		}
		top = math.Max(top, slices.Max(plane))
		return t.Others(team.Bytes(plane))
	})
	if err != nil {
		return true, err
	}
	all, err := t.Group.Gather(team.Bytes([]float64{top}))
	if err == nil {
		s.ceiling = team.Values(all[0])[0]
	}
	return true, err
}

// checkLink is ErrSlowLink where ranks on GPUs that were free to choose the method would exchange a whole field over
// what is slower than solving by multigrid. All find the same.
func checkLink(o *driver.Job, d *driver.Driver, inTime bool) error {
	gpu, ok := ops.Innermost(d.Dev).(*cuda.Device)
	if !ok || o.Team == nil || o.Preconditioner != "" || inTime {
		return nil
	}
	if _, err := gpu.LinkOf(o.Team.Group); err != nil {
		return err
	}
	if slices.Contains(o.Team.Wires(gpu), nccl.Sockets) || gpu.JoinedByHost() {
		return driver.ErrSlowLink
	}
	return nil
}
