package interpreter

import (
	"maps"
	"slices"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter/asm"
)

func (c *Cache) decode(text []byte) (*decoded, error) {
	if c == nil {
		return decode(text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.decoded[string(text)]; d != nil {
		return d, nil
	}
	d, err := decode(text)
	if err != nil {
		return nil, err
	}
	if c.decoded == nil {
		c.decoded = map[string]*decoded{}
	}
	c.decoded[string(text)] = d
	return d, nil
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
