package interpreter

import (
	"math/rand/v2"
	"sync"
	"time"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
)

const (
	sharedPerBlock  = 48 << 10
	sharedPerSM     = 96 << 10 // also the most a block may ask for
	maxThreads      = 1024
	deviceName      = "PTX interpreter"
	driverVersion   = 12000
	nanosPerInstr   = 1 // of the fake clock
	primaryContext  = 1
	firstHandle     = 1000
	launchOverheads = 1000
)

// Machine is one fake GPU. It implements cudriver.Driver. Work waits in its stream until a wait needs it (see
// Options.AtOnce). Its methods may be called from several goroutines.
type Machine struct {
	mu       sync.Mutex
	options  Options
	random   *rand.Rand
	early    *rand.Rand // which work is done before a wait needs it; nil where none is
	ready    bool       // Init was called
	contexts int
	lost     int // pieces of work whose stream was destroyed before anyone waited for them
	memory   memory
	sticky   error // what the first kernel that failed did: every later call returns it
	clock    time.Duration
	segments uint64 // of the race detector, over all launches
	executed int64

	handles   uintptr
	modules   map[cudriver.Module]*module
	functions map[cudriver.Function]*kernel
	streams   map[cudriver.Stream]*stream
	events    map[cudriver.Event]*event
	graphs    map[cudriver.Graph][]node
	execs     map[cudriver.GraphExec][]node
	pinned    map[unsafe.Pointer][]byte
}

var _ cudriver.Driver = (*Machine)(nil)

type module struct {
	handle    cudriver.Module
	kernels   map[string]*kernel
	functions []cudriver.Function
	variables []*allocation
	unloaded  bool
}

// New makes a machine with nothing on it.
func New(o Options) *Machine {
	o = o.withDefaults()
	m := &Machine{options: o, handles: firstHandle, segments: 1, modules: map[cudriver.Module]*module{},
		functions: map[cudriver.Function]*kernel{},
		events:    map[cudriver.Event]*event{}, graphs: map[cudriver.Graph][]node{},
		execs: map[cudriver.GraphExec][]node{}, pinned: map[unsafe.Pointer][]byte{}}
	m.streams = map[cudriver.Stream]*stream{0: {}}
	m.random = rand.New(rand.NewPCG(uint64(o.Seed), 0x9e3779b97f4a7c15))
	if o.Seed != 0 {
		m.early = rand.New(rand.NewPCG(uint64(o.Seed), 0xd1b54a32d192ed03))
	}
	m.memory.total = o.Memory
	return m
}

// Instructions is how many warp instructions all launches have executed.
func (m *Machine) Instructions() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.executed
}

func (m *Machine) handle() uintptr {
	m.handles++
	return m.handles
}

func fail(call string, r cudriver.Result, detail string) error {
	return &cudriver.Error{Call: call, Result: r, Detail: detail}
}

// enter locks the machine for a call that needs a context, and returns the error of a kernel that has failed before.
func (m *Machine) enter(call string) (leave func(), err error) {
	m.mu.Lock()
	switch {
	case !m.ready:
		err = fail(call, cudriver.NotInitialized, "")
	case m.contexts == 0:
		err = fail(call, cudriver.InvalidContext, "")
	case m.sticky != nil:
		err = m.sticky
	}
	return m.mu.Unlock, err
}
