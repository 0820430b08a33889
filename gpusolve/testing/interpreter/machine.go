package interpreter

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter/asm"
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

func (m *Machine) load(text []byte) (*module, error) {
	d, err := m.options.Cache.decode(text)
	if err != nil {
		return nil, fail("cuModuleLoadData", cudriver.InvalidPTX, err.Error())
	}
	mod := &module{handle: cudriver.Module(m.handle()), kernels: map[string]*kernel{}}
	where := map[*asm.Variable]uint64{}
	for _, v := range d.variables {
		if v.Extern {
			return nil,
				fail("cuModuleLoadData", cudriver.InvalidPTX, "variable "+v.Name+" is extern, but nothing defines it")
		}
		a := m.memory.allocate(max(v.Size, 1), v.Name)
		init := v.Init
		if init == nil {
			init = make([]byte, v.Size)
		}
		a.write(0, init)
		a.readOnly = v.Space == asm.Const
		mod.variables = append(mod.variables, a)
		where[v] = a.base
	}
	programs := d.programs
	if programs == nil {
		if programs, err = d.compile(where); err != nil {
			return nil, fail("cuModuleLoadData", cudriver.InvalidPTX, err.Error())
		}
	}
	for _, p := range programs {
		mod.kernels[p.name] = &kernel{program: p, module: mod, pages: slices.Repeat([]*page{noPage}, p.accesses)}
	}
	return mod, nil
}

// decoded is a module's text made ready. Variables in global and constant memory have their addresses on each machine,
// so the programs of a module with such are compiled for each.
type decoded struct {
	*asm.Module
	shared, variables []*asm.Variable // in shared memory, and others
	programs          []*program
}

func decode(text []byte) (*decoded, error) {
	module, err := asm.Parse(text)
	if err != nil {
		return nil, err
	}
	d := &decoded{Module: module}
	for _, v := range module.Variables {
		if v.Space == asm.Shared {
			d.shared = append(d.shared, v)
		} else {
			d.variables = append(d.variables, v)
		}
	}
	if len(d.variables) == 0 {
		d.programs, err = d.compile(nil)
	}
	return d, err
}

// compile makes the programs of a module whose variables lie at the given addresses.
func (d *decoded) compile(where map[*asm.Variable]uint64) (programs []*program, err error) {
	for _, e := range d.Entries {
		c := &compiler{program: &program{name: e.Name, entry: e}, where: maps.Clone(where), constAt: map[uint64]int{},
			specialAt: map[string]int{}}
		if c.where == nil {
			c.where = map[*asm.Variable]uint64{}
		}
		c.layout(c.where, d.shared)
		if err := c.compile(); err != nil {
			return nil, err
		}
		programs = append(programs, c.program)
	}
	return programs, nil
}

// layout places the shared and local variables a kernel uses. Extern arrays all begin where the static ones end.
func (p *program) layout(where map[*asm.Variable]uint64, moduleShared []*asm.Variable) {
	used := map[*asm.Variable]bool{}
	var note func(o asm.Operand)
	note = func(o asm.Operand) {
		used[o.Variable] = true
		for _, e := range o.Vector {
			note(e)
		}
	}
	for _, in := range p.entry.Code {
		for _, o := range in.Args {
			note(o)
		}
	}
	var shared, local, dynamic []*asm.Variable
	for _, v := range append(moduleShared[:len(moduleShared):len(moduleShared)], p.entry.Variables...) {
		switch {
		case v.Space == asm.Local:
			local = append(local, v)
		case !used[v]:
		case v.Extern:
			dynamic = append(dynamic, v)
		default:
			shared = append(shared, v)
		}
	}
	p.localBytes = uint64(layout(local, 0, where))
	p.sharedBytes = layout(shared, 0, where)
	p.dynamicAt = (p.sharedBytes + 15) &^ 15
	for _, v := range dynamic {
		where[v] = uint64(p.dynamicAt)
	}
}
