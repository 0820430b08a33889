package interpreter

import (
	"fmt"
	"maps"
	"slices"

	"thermsim/gpusolve/cuda/cudriver"
)

// node is a piece of work: in the queue of a stream, or recorded in a graph.
type node func() error

type stream struct {
	capturing bool
	spoilt    bool
	recorded  []node
	queue     []node // asked for and not done
	done      int    // pieces of work done since the stream was made
}

// end is how much will be done when the queue is empty.
func (st *stream) end() int { return st.done + len(st.queue) }

// asked says whether a record was asked for.
func (e *event) asked() bool { return e.recorded || e.of != nil }

// pending says whether the last record that was asked for has not happened.
func (e *event) pending() bool { return e.of != nil && e.of.done < e.mark }

// submit queues work, or records it while the stream is being captured.
func (m *Machine) submit(call string, s cudriver.Stream, work node) error {
	st := m.streams[s]
	if st == nil {
		return fail(call, cudriver.InvalidHandle, fmt.Sprintf("no stream %d", s))
	}
	if st.capturing {
		st.recorded = append(st.recorded, work)
		return nil
	}
	if m.options.AtOnce {
		st.done++
		return work()
	}
	st.queue = append(st.queue, work)
	return m.hasten()
}

// hasten does some work that nothing waits for yet, as a GPU does.
func (m *Machine) hasten() error {
	if m.early == nil || m.early.IntN(4) > 0 {
		return nil
	}
	all := slices.Sorted(maps.Keys(m.streams))
	st := m.streams[all[m.early.IntN(len(all))]]
	return m.drain(st, st.done+m.early.IntN(len(st.queue)+1))
}

// drain does the work of a stream until that number of pieces is done, and what other streams must do before. An error
// of work that was asked for earlier stays, as that of a kernel does.
func (m *Machine) drain(st *stream, until int) error {
	for st != nil && st.done < until {
		work := st.queue[0]
		st.queue = st.queue[1:]
		err := work()
		st.done++
		if err != nil {
			if m.sticky == nil {
				m.sticky = err
			}
			return m.sticky
		}
	}
	return nil
}

// drainAll does the work of all streams.
func (m *Machine) drainAll() error {
	for _, s := range slices.Sorted(maps.Keys(m.streams)) {
		if err := m.drain(m.streams[s], m.streams[s].end()); err != nil {
			return err
		}
	}
	return nil
}

// query does a piece of a stream's work, and reports whether that number is done.
func (m *Machine) query(st *stream, until int) (done bool, err error) {
	if st == nil || st.done >= until {
		return true, nil
	}
	if err := m.drain(st, st.done+1); err != nil {
		return false, err
	}
	return st.done >= until, nil
}

// undefined is in every byte of host memory whose content is not defined: floats are NaN.
const undefined = 0xff

// undefine spoils what a copy to the host will fill: until it is waited for, a program may not look at it.
func (m *Machine) undefine(s cudriver.Stream, dst []byte) {
	if st := m.streams[s]; m.options.AtOnce || st == nil || st.capturing {
		return
	}
	for i := range dst {
		dst[i] = undefined
	}
}
