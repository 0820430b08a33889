package ptx

import (
	"fmt"
	"time"

	"thermsim/gpusolve/cu"
)

// StreamCreate implements cu.Driver.
func (m *Machine) StreamCreate() (cu.Stream, error) {
	leave, err := m.enter("cuStreamCreate")
	defer leave()
	if err != nil {
		return 0, err
	}
	s := cu.Stream(m.handle())
	m.streams[s] = &stream{}
	return s, nil
}

// StreamDestroy implements cu.Driver.
func (m *Machine) StreamDestroy(s cu.Stream) error {
	leave, err := m.enter("cuStreamDestroy")
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	if s == 0 || m.streams[s] == nil {
		return fail("cuStreamDestroy", cu.InvalidHandle, fmt.Sprintf("no stream %d", s))
	}
	delete(m.streams, s)
	return err
}

// StreamSynchronize implements cu.Driver.
func (m *Machine) StreamSynchronize(s cu.Stream) error {
	const call = "cuStreamSynchronize"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	switch st := m.streams[s]; {
	case st == nil:
		return fail(call, cu.InvalidHandle, fmt.Sprintf("no stream %d", s))
	case st.capturing:
		st.spoilt = true
		return fail(call, cu.StreamCaptureUnsupported, "")
	}
	return nil
}

// StreamBeginCapture implements cu.Driver.
func (m *Machine) StreamBeginCapture(s cu.Stream) error {
	const call = "cuStreamBeginCapture"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	switch st := m.streams[s]; {
	case st == nil:
		return fail(call, cu.InvalidHandle, fmt.Sprintf("no stream %d", s))
	case s == 0:
		return fail(call, cu.StreamCaptureUnsupported, "the default stream cannot be captured")
	case st.capturing:
		return fail(call, cu.InvalidValue, "the stream is being captured already")
	default:
		*st = stream{capturing: true}
	}
	return nil
}

// StreamEndCapture implements cu.Driver.
func (m *Machine) StreamEndCapture(s cu.Stream) (cu.Graph, error) {
	const call = "cuStreamEndCapture"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return 0, err
	}
	st := m.streams[s]
	if st == nil || !st.capturing {
		return 0, fail(call, cu.InvalidValue, "the stream is not being captured")
	}
	recorded, spoilt := st.recorded, st.spoilt
	*st = stream{}
	if spoilt {
		return 0, fail(call, cu.StreamCaptureInvalidated, "")
	}
	g := cu.Graph(m.handle())
	m.graphs[g] = recorded
	return g, nil
}

// GraphInstantiate implements cu.Driver.
func (m *Machine) GraphInstantiate(g cu.Graph) (cu.GraphExec, error) {
	leave, err := m.enter("cuGraphInstantiate")
	defer leave()
	if err != nil {
		return 0, err
	}
	nodes, ok := m.graphs[g]
	if !ok {
		return 0, fail("cuGraphInstantiate", cu.InvalidHandle, "")
	}
	e := cu.GraphExec(m.handle())
	m.execs[e] = nodes
	return e, nil
}

// GraphLaunch implements cu.Driver.
func (m *Machine) GraphLaunch(e cu.GraphExec, s cu.Stream) error {
	const call = "cuGraphLaunch"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	nodes, ok := m.execs[e]
	if !ok {
		return fail(call, cu.InvalidHandle, "")
	}
	return m.submit(call, s, func() error {
		for _, work := range nodes {
			if err := work(); err != nil {
				return err
			}
		}
		return nil
	})
}

// GraphDestroy implements cu.Driver.
func (m *Machine) GraphDestroy(g cu.Graph) error {
	leave, err := m.enter("cuGraphDestroy")
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	if _, ok := m.graphs[g]; !ok {
		return fail("cuGraphDestroy", cu.InvalidHandle, "")
	}
	delete(m.graphs, g)
	return err
}

// GraphExecDestroy implements cu.Driver.
func (m *Machine) GraphExecDestroy(e cu.GraphExec) error {
	leave, err := m.enter("cuGraphExecDestroy")
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	if _, ok := m.execs[e]; !ok {
		return fail("cuGraphExecDestroy", cu.InvalidHandle, "")
	}
	delete(m.execs, e)
	return err
}

// event holds the fake time at which it was recorded.
type event struct {
	at       time.Duration
	recorded bool
}

// EventCreate implements cu.Driver.
func (m *Machine) EventCreate() (cu.Event, error) {
	leave, err := m.enter("cuEventCreate")
	defer leave()
	if err != nil {
		return 0, err
	}
	e := cu.Event(m.handle())
	m.events[e] = &event{}
	return e, nil
}

// EventDestroy implements cu.Driver.
func (m *Machine) EventDestroy(e cu.Event) error {
	leave, err := m.enter("cuEventDestroy")
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	if m.events[e] == nil {
		return fail("cuEventDestroy", cu.InvalidHandle, "")
	}
	delete(m.events, e)
	return err
}

// EventRecord implements cu.Driver.
func (m *Machine) EventRecord(e cu.Event, s cu.Stream) error {
	const call = "cuEventRecord"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	ev := m.events[e]
	if ev == nil {
		return fail(call, cu.InvalidHandle, "")
	}
	return m.submit(call, s, func() error {
		*ev = event{m.clock, true}
		return nil
	})
}

// EventSynchronize implements cu.Driver.
func (m *Machine) EventSynchronize(e cu.Event) error {
	leave, err := m.enter("cuEventSynchronize")
	defer leave()
	if err == nil && m.events[e] == nil {
		err = fail("cuEventSynchronize", cu.InvalidHandle, "")
	}
	return err
}

// EventElapsedTime implements cu.Driver. Time is made up from the instructions executed and the bytes copied.
func (m *Machine) EventElapsedTime(start, end cu.Event) (float32, error) {
	const call = "cuEventElapsedTime"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return 0, err
	}
	a, b := m.events[start], m.events[end]
	if a == nil || b == nil || !a.recorded || !b.recorded {
		return 0, fail(call, cu.InvalidHandle, "the events have not been recorded")
	}
	return float32(b.at-a.at) / 1e6, nil
}
