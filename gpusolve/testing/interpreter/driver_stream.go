package interpreter

import (
	"fmt"
	"time"

	"thermsim/gpusolve/cuda/cudriver"
)

// StreamCreate implements cudriver.Driver.
func (m *Machine) StreamCreate() (cudriver.Stream, error) {
	leave, err := m.enter("cuStreamCreate")
	defer leave()
	if err != nil {
		return 0, err
	}
	s := cudriver.Stream(m.handle())
	m.streams[s] = &stream{}
	return s, nil
}

// StreamDestroy implements cudriver.Driver.
func (m *Machine) StreamDestroy(s cudriver.Stream) error {
	leave, err := m.enter("cuStreamDestroy")
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	if s == 0 || m.streams[s] == nil {
		return fail("cuStreamDestroy", cudriver.InvalidHandle, fmt.Sprintf("no stream %d", s))
	}
	m.lost += len(m.streams[s].queue)
	if err == nil {
		err = m.drain(m.streams[s], m.streams[s].end()) // which a GPU completes
	}
	delete(m.streams, s)
	return err
}

// StreamSynchronize implements cudriver.Driver.
func (m *Machine) StreamSynchronize(s cudriver.Stream) error {
	const call = "cuStreamSynchronize"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	switch st := m.streams[s]; {
	case st == nil:
		return fail(call, cudriver.InvalidHandle, fmt.Sprintf("no stream %d", s))
	case st.capturing:
		st.spoilt = true
		return fail(call, cudriver.StreamCaptureUnsupported, "")
	default:
		return m.drain(st, st.end())
	}
}

// StreamQuery implements cudriver.Driver. Each question gives the device the time to do a piece of work.
func (m *Machine) StreamQuery(s cudriver.Stream) (done bool, err error) {
	const call = "cuStreamQuery"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return false, err
	}
	switch st := m.streams[s]; {
	case st == nil:
		return false, fail(call, cudriver.InvalidHandle, fmt.Sprintf("no stream %d", s))
	case st.capturing:
		st.spoilt = true
		return false, fail(call, cudriver.StreamCaptureUnsupported, "")
	default:
		return m.query(st, st.end())
	}
}

// StreamWaitEvent implements cudriver.Driver. To wait for an event that nothing has recorded is an error here, where a
// GPU would go on too soon.
func (m *Machine) StreamWaitEvent(s cudriver.Stream, e cudriver.Event) error {
	const call = "cuStreamWaitEvent"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	ev := m.events[e]
	if ev == nil {
		return fail(call, cudriver.InvalidHandle, "")
	}
	of, mark := ev.of, ev.mark // the latest record, whatever is recorded afterwards
	return m.submit(call, s, func() error {
		if of == nil && !ev.recorded {
			return fail(call, cudriver.InvalidValue, "the event has not been recorded")
		}
		return m.drain(of, mark)
	})
}

// StreamBeginCapture implements cudriver.Driver.
func (m *Machine) StreamBeginCapture(s cudriver.Stream) error {
	const call = "cuStreamBeginCapture"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	switch st := m.streams[s]; {
	case st == nil:
		return fail(call, cudriver.InvalidHandle, fmt.Sprintf("no stream %d", s))
	case s == 0:
		return fail(call, cudriver.StreamCaptureUnsupported, "the default stream cannot be captured")
	case st.capturing:
		return fail(call, cudriver.InvalidValue, "the stream is being captured already")
	default:
		st.capturing = true
	}
	return nil
}

// StreamEndCapture implements cudriver.Driver.
func (m *Machine) StreamEndCapture(s cudriver.Stream) (cudriver.Graph, error) {
	const call = "cuStreamEndCapture"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return 0, err
	}
	st := m.streams[s]
	if st == nil || !st.capturing {
		return 0, fail(call, cudriver.InvalidValue, "the stream is not being captured")
	}
	recorded, spoilt := st.recorded, st.spoilt
	st.capturing, st.spoilt, st.recorded = false, false, nil
	if spoilt {
		return 0, fail(call, cudriver.StreamCaptureInvalidated, "")
	}
	g := cudriver.Graph(m.handle())
	m.graphs[g] = recorded
	return g, nil
}

// GraphInstantiate implements cudriver.Driver.
func (m *Machine) GraphInstantiate(g cudriver.Graph) (cudriver.GraphExec, error) {
	leave, err := m.enter("cuGraphInstantiate")
	defer leave()
	if err != nil {
		return 0, err
	}
	nodes, ok := m.graphs[g]
	if !ok {
		return 0, fail("cuGraphInstantiate", cudriver.InvalidHandle, "")
	}
	e := cudriver.GraphExec(m.handle())
	m.execs[e] = nodes
	return e, nil
}

// GraphLaunch implements cudriver.Driver.
func (m *Machine) GraphLaunch(e cudriver.GraphExec, s cudriver.Stream) error {
	const call = "cuGraphLaunch"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	nodes, ok := m.execs[e]
	if !ok {
		return fail(call, cudriver.InvalidHandle, "")
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

// GraphDestroy implements cudriver.Driver.
func (m *Machine) GraphDestroy(g cudriver.Graph) error {
	leave, err := m.enter("cuGraphDestroy")
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	if _, ok := m.graphs[g]; !ok {
		return fail("cuGraphDestroy", cudriver.InvalidHandle, "")
	}
	delete(m.graphs, g)
	return err
}

// GraphExecDestroy implements cudriver.Driver.
func (m *Machine) GraphExecDestroy(e cudriver.GraphExec) error {
	leave, err := m.enter("cuGraphExecDestroy")
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	if _, ok := m.execs[e]; !ok {
		return fail("cuGraphExecDestroy", cudriver.InvalidHandle, "")
	}
	delete(m.execs, e)
	return err
}

// event holds the fake time at which it was last recorded, and how far a stream must have got for the record that was
// asked for last.
type event struct {
	at       time.Duration
	recorded bool
	of       *stream // nil where none was asked for outside of a capture
	mark     int
}

// EventCreate implements cudriver.Driver.
func (m *Machine) EventCreate() (cudriver.Event, error) {
	leave, err := m.enter("cuEventCreate")
	defer leave()
	if err != nil {
		return 0, err
	}
	e := cudriver.Event(m.handle())
	m.events[e] = &event{}
	return e, nil
}

// EventDestroy implements cudriver.Driver.
func (m *Machine) EventDestroy(e cudriver.Event) error {
	leave, err := m.enter("cuEventDestroy")
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	if m.events[e] == nil {
		return fail("cuEventDestroy", cudriver.InvalidHandle, "")
	}
	delete(m.events, e)
	return err
}

// EventRecord implements cudriver.Driver.
func (m *Machine) EventRecord(e cudriver.Event, s cudriver.Stream) error {
	const call = "cuEventRecord"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	ev := m.events[e]
	if ev == nil {
		return fail(call, cudriver.InvalidHandle, "")
	}
	if st := m.streams[s]; st != nil && !st.capturing {
		ev.of, ev.mark = st, st.end()+1
	}
	return m.submit(call, s, func() error {
		ev.at, ev.recorded = m.clock, true
		return nil
	})
}

// EventSynchronize implements cudriver.Driver.
func (m *Machine) EventSynchronize(e cudriver.Event) error {
	leave, err := m.enter("cuEventSynchronize")
	defer leave()
	if err != nil {
		return err
	}
	ev := m.events[e]
	if ev == nil {
		return fail("cuEventSynchronize", cudriver.InvalidHandle, "")
	}
	return m.drain(ev.of, ev.mark)
}

// EventQuery implements cudriver.Driver. Each question gives the device the time to do a piece of work.
func (m *Machine) EventQuery(e cudriver.Event) (done bool, err error) {
	leave, err := m.enter("cuEventQuery")
	defer leave()
	if err != nil {
		return false, err
	}
	ev := m.events[e]
	if ev == nil {
		return false, fail("cuEventQuery", cudriver.InvalidHandle, "")
	}
	return m.query(ev.of, ev.mark)
}

// EventElapsedTime implements cudriver.Driver. Time is made up from the instructions executed and the bytes copied.
func (m *Machine) EventElapsedTime(start, end cudriver.Event) (float32, error) {
	const call = "cuEventElapsedTime"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return 0, err
	}
	a, b := m.events[start], m.events[end]
	if a == nil || b == nil || !a.asked() || !b.asked() {
		return 0, fail(call, cudriver.InvalidHandle, "the events have not been recorded")
	}
	if a.pending() || b.pending() {
		return 0, fail(call, cudriver.NotReady, "nothing has waited for the events")
	}
	return float32(b.at-a.at) / 1e6, nil
}
