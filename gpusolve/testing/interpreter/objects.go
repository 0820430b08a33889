package interpreter

// Objects counts what a program has made on a machine and not given back. A program that ends well leaves the zero
// value.
type Objects struct {
	Contexts    int // retained
	Modules     int
	Streams     int
	Events      int
	Graphs      int
	GraphExecs  int
	Allocations int   // of device memory
	Bytes       int64 // in them
	Pinned      int   // pieces of pinned host memory
	// Unwaited are pieces of work without a wait for their end: in streams, or in streams that were destroyed before.
	Unwaited int
}

// Objects counts what is there now.
func (m *Machine) Objects() Objects {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := Objects{
		Contexts: m.contexts, Modules: len(m.modules), Streams: len(m.streams) - 1, // 0 is always there
		Events: len(m.events), Graphs: len(m.graphs), GraphExecs: len(m.execs),
		Allocations: m.memory.live, Bytes: m.memory.used, Pinned: len(m.pinned), Unwaited: m.lost,
	}
	for _, s := range m.streams {
		o.Unwaited += len(s.queue)
	}
	return o
}
