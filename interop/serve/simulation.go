// Package serve steps a stack for other programs: simulators of software on the chip, controllers, scripts. A
// Simulation answers requests, one object of JSON each; Serve and Listen read them from streams and sockets.
// docs/guides/serve.md describes the protocol.
package serve

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/report/statistics"
)

// Protocol names the protocol and its version.
const Protocol = "thermsim-serve/1"

// Limits on what a client can make the server store or send.
const (
	maxStates = 64
	maxMap    = 1 << 20 // cells
)

// Options of a simulation.
type Options struct {
	Version string
	// Initial is the field that reset restores; nil for the stack's uniform initial temperature.
	Initial gpusolve.Field
	// StateBytes limits the memory of all stored states; 0 is 1 GiB.
	StateBytes int64
	// Files stores states in files; nil refuses them.
	Files Files
}

// Files stores states in files by names that are not paths.
type Files interface {
	// Save writes a state and returns its path.
	Save(name string, s *gpusolve.Session) (path string, err error)
	// Restore continues from the state of a file.
	Restore(name string, s *gpusolve.Session) error
}

// Simulation is a stack that is stepped by requests. Only one goroutine may use it at a time.
type Simulation struct {
	session  *gpusolve.Session
	mesh     *mesh.Mesh
	readings *statistics.Readings
	inputs   names
	blocks   names
	layers   names
	probes   names
	states   map[string]*gpusolve.SessionState
	options  Options
	plane    []float64
	broken   error // of the device; it ends the server
}

// New makes a simulation of a session, which it does not close.
func New(s *gpusolve.Session, o Options) (*Simulation, error) {
	m := s.Mesh()
	r, err := statistics.NewReadings(m)
	if err != nil {
		return nil, err
	}
	if o.StateBytes == 0 {
		o.StateBytes = 1 << 30
	}
	var inputs []string
	for _, in := range ports.InputsOf(m.Stack) {
		inputs = append(inputs, in.Name)
	}
	return &Simulation{
		session: s, mesh: m, readings: r, states: map[string]*gpusolve.SessionState{}, options: o,
		plane:  make([]float64, m.NX()*m.NY()),
		inputs: newNames("power", inputs), blocks: newNames("block", r.BlockNames),
		layers: newNames("layer", r.LayerNames), probes: newNames("probe", r.ProbeNames),
	}, nil
}

// ending is what happens after a reply.
type ending int

const (
	goOn ending = iota
	endSession
	endServer
)

// Do answers a request.
func (s *Simulation) Do(ctx context.Context, line []byte) (answer []byte, end ending) {
	r, fault := parse(line)
	out := &reply{ID: r.ID}
	if fault == nil {
		end, fault = s.carryOut(ctx, r, out)
	}
	return s.finish(out, fault), end
}

// refuse is the answer to an invalid request.
func (s *Simulation) refuse(fault *Fault) []byte { return s.finish(&reply{}, fault) }

func (s *Simulation) finish(out *reply, fault *Fault) []byte {
	out.OK, out.Error = fault == nil, fault
	out.TimeS, out.Steps = s.session.Time(), s.session.Steps()
	text, err := json.Marshal(out)
	if err != nil { // no value of a reply fails
		text, _ = json.Marshal(&reply{Error: faultf("internal", "%v", err)})
	}
	return append(text, '\n')
}

func (s *Simulation) carryOut(ctx context.Context, r *request, out *reply) (ending, *Fault) {
	switch r.Op {
	case "hello":
		out.Hello = &hello{Protocol, s.options.Version, orEmpty(slices.Sorted(maps.Keys(s.states)))}
	case "describe":
		out.Stack = s.describe()
	case "set":
		return goOn, s.set(r)
	case "step":
		n := 1
		if r.N != nil {
			n = *r.N
		}
		return goOn, s.step(ctx, r, out, n)
	case "run":
		return goOn, s.run(ctx, r, out)
	case "read":
		return goOn, s.read(r.Read, out)
	case "save":
		return goOn, s.save(r, out)
	case "restore":
		return goOn, s.restore(r)
	case "drop":
		if s.states[r.Name] == nil {
			return goOn, s.noState(r.Name)
		}
		delete(s.states, r.Name)
	case "reset":
		s.session.Power().Reset()
		if err := s.session.Start(s.options.Initial); err != nil {
			return goOn, s.faultOf(err)
		}
	case "quit":
		return endSession, nil
	case "shutdown":
		return endServer, nil
	}
	return goOn, nil
}

// set sets the watts and factors of inputs, all of them or none.
func (s *Simulation) set(r *request) *Fault {
	power := s.session.Power()
	type change struct {
		input  int
		watts  float64
		factor bool
	}
	var all []change
	for name, watts := range r.Watts {
		n, fault := s.inputs.find(name)
		if fault != nil {
			return fault
		}
		w := math.NaN()
		if watts != nil {
			w = *watts
		}
		all = append(all, change{n, w, false})
	}
	for name, factor := range r.Factors {
		n, fault := s.inputs.find(name)
		if fault != nil {
			return fault
		}
		all = append(all, change{n, *factor, true})
	}
	for i, a := range all {
		for _, b := range all[:i] {
			if a.input == b.input && a.factor == b.factor {
				return faultf(BadRequest, "%s is set twice", s.inputs.list[a.input])
			}
		}
	}
	for _, c := range all {
		set := power.Set
		if c.factor {
			set = power.Scale
		}
		if err := set(c.input, c.watts); err != nil {
			return faultf(BadValue, "%s: %v", s.inputs.list[c.input], err)
		}
	}
	return nil
}

// run steps to a time: the last step ends then or later.
func (s *Simulation) run(ctx context.Context, r *request, out *reply) *Fault {
	dt := s.session.Dt()
	if r.DtS != nil {
		dt = *r.DtS
	}
	from, until := s.session.Time(), *r.UntilS
	steps := math.Ceil((until-from)/dt - 1e-6)
	switch {
	case !(until >= from-1e-6*dt):
		return faultf(BadValue, "until_s: got %g s; expected at least the current time, %g s. Fix: restore or reset "+
			"first", until, from)
	case steps > MaxSteps:
		return faultf(BadValue, "until_s: got %g s, which is %.3g steps of %g s away; a request takes at most %d steps",
			until, steps, dt,
			MaxSteps)
	}
	return s.step(ctx, r, out, max(0, int(steps)))
}

// step sets the powers of the request, takes n steps, and then reads the values of its query.
func (s *Simulation) step(ctx context.Context, r *request, out *reply, n int) *Fault {
	taken, iterations := 0, 0
	out.Taken, out.Iterations = &taken, &iterations
	if r.Read != nil {
		if fault := s.checkQuery(r.Read); fault != nil {
			return fault
		}
	}
	if fault := s.set(r); fault != nil {
		return fault
	}
	if r.DtS != nil {
		if err := s.session.SetDt(*r.DtS); err != nil {
			return s.faultOf(err)
		}
	}
	for range n {
		step, err := s.session.Step(ctx)
		if err != nil {
			return s.faultOf(err)
		}
		taken++
		iterations += step.Iterations
		power := Number(step.PowerW)
		out.PowerW, out.RunsAway = &power, s.session.RunsAway()
	}
	if r.Read == nil {
		return nil
	}
	return s.read(r.Read, out)
}

// faultOf is the fault of an error of the session.
func (s *Simulation) faultOf(err error) *Fault {
	if errors.Is(err, gpusolve.ErrDevice) {
		s.broken = err
	}
	code := DeviceFault
	switch {
	case errors.Is(err, gpusolve.ErrNotConverged):
		code = NotConverged
	case errors.Is(err, gpusolve.ErrRunaway):
		return faultf(Runaway, "thermal runaway: the leakage grows faster than the time step resolves; the state is "+
			"that before the step. Fix: less power or a smaller dt_s")
	case errors.Is(err, context.Canceled):
		return faultf(Interrupted, "the server was interrupted; the state is that of the last whole step")
	case errors.Is(err, gpusolve.ErrOption):
		code = BadValue
	}
	return faultf(code, "%v", err)
}
