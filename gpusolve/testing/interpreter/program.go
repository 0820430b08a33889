package interpreter

import (
	"fmt"

	"thermsim/gpusolve/testing/interpreter/asm"
)

const (
	warpSize = 32
	allLanes = 1<<warpSize - 1
)

// vec is one register of a warp's 32 threads.
type vec = [warpSize]uint64

// step executes one instruction for the lanes of m, none of which is zero.
type step func(w *warp, m uint32)

type instrKind uint8

const (
	kindStep       instrKind = iota
	kindBranch               // to target
	kindExit                 // ret, exit
	kindRendezvous           // waits for the lanes of a mask, then runs step
	kindBarrier              // waits for the whole block
)

// instr is a decoded instruction.
type instr struct {
	kind    instrKind
	guardIs bool
	guard   int32 // predicate, -1 for none
	target  int32
	line    int32
	step    step
	opcode  string
	members func(w *warp, lane int) uint32 // of a rendezvous
	uniform bool                           // all lanes give the same members
	barrier *barrier
}

// program is a decoded entry, which machines may share. A warp's registers are vectors in one slice: the entry's
// registers, the special registers it reads, and constants.
type program struct {
	name        string
	entry       *asm.Entry
	code        []instr
	slots       []int // vectors of the entry's registers
	vectors     int
	zeroed      int // the vectors cleared for each warp
	predicates  int
	accesses    int
	specials    []special
	constants   []constant
	localBytes  uint64
	sharedBytes int64 // static
	dynamicAt   int64 // where dynamic shared memory begins
}

// kernel is a program on a machine.
type kernel struct {
	*program
	module     *module
	maxDynamic int     // FuncSetAttribute
	pages      []*page // that each access touched last: neighbours mostly share it
	pool       []registers
}

// registers are those of a warp.
type registers struct {
	r []vec
	p []uint32 // predicates
}

type special struct {
	slot int
	fill func(w *warp, lane int) uint64
}

type constant struct {
	slot int
	bits uint64
}

// compiler decodes the instructions of one entry.
type compiler struct {
	*program
	where     map[*asm.Variable]uint64 // addresses of variables in their spaces
	constAt   map[uint64]int
	specialAt map[string]int
	in        *asm.Instruction
}

func (c *compiler) errorf(format string, args ...any) error {
	return fmt.Errorf("ptx line %d: %s: %s (kernel %s)", c.in.Line, c.in.Opcode, fmt.Sprintf(format, args...), c.name)
}

func (c *compiler) unknown() error {
	return fmt.Errorf("ptx line %d: instruction %q is not one the interpreter knows (kernel %s): add it to package "+
		"interpreter with a test, or write the kernel without it", c.in.Line, c.in.Opcode, c.name)
}

// args checks the number of arguments.
func (c *compiler) args(n int) error {
	if len(c.in.Args) != n {
		return c.errorf("takes %d operands, found %d", n, len(c.in.Args))
	}
	return nil
}

func (c *compiler) constant(bits uint64) int {
	slot, ok := c.constAt[bits]
	if !ok {
		slot = c.vectors
		c.vectors++
		c.constAt[bits] = slot
		c.constants = append(c.constants, constant{slot, bits})
	}
	return slot
}

// source gives the vector that holds an operand.
func (c *compiler) source(o asm.Operand) (int, error) {
	switch o.Kind {
	case asm.RegisterOperand:
		return c.slots[o.Index], nil
	case asm.ImmediateOperand:
		return c.constant(o.Bits), nil
	case asm.SymbolOperand:
		addr, err := c.address(o)
		return c.constant(addr), err
	case asm.SpecialOperand:
		if slot, ok := c.specialAt[o.Name]; ok {
			return slot, nil
		}
		fill := specials[o.Name]
		if fill == nil {
			return 0, c.errorf("register %s is not one the interpreter knows", o.Name)
		}
		slot := c.vectors
		c.vectors++
		c.specialAt[o.Name] = slot
		c.specials = append(c.specials, special{slot, fill})
		return slot, nil
	}
	return 0, c.errorf("operand %q is no register or number", o.Name)
}

// address of a symbol in its own space.
func (c *compiler) address(o asm.Operand) (uint64, error) {
	switch {
	case o.Param != nil:
		return uint64(o.Param.Offset + o.Offset), nil
	case o.Variable != nil:
		return c.where[o.Variable] + uint64(o.Offset), nil
	}
	return 0, c.errorf("unknown symbol %q", o.Name)
}

func (c *compiler) sources(args []asm.Operand) ([]int, error) {
	out := make([]int, len(args))
	for i, o := range args {
		var err error
		if out[i], err = c.source(o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// destination is the vector an instruction writes; an unused result goes to a spare one.
func (c *compiler) destination(o asm.Operand) (slot, bits int, err error) {
	switch o.Kind {
	case asm.RegisterOperand:
		return c.slots[o.Index], c.entry.Registers[o.Index].Bits, nil
	case asm.SinkOperand:
		slot, ok := c.specialAt["_"]
		if !ok {
			slot = c.vectors
			c.vectors++
			c.specialAt["_"] = slot
		}
		return slot, 64, nil
	}
	return 0, 0, c.errorf("%q cannot take a result", o.Name)
}

func (c *compiler) predicate(o asm.Operand) (index int, err error) {
	if o.Kind != asm.PredicateOperand {
		return 0, c.errorf("%q is no predicate", o.Name)
	}
	return o.Index, nil
}

var specials = map[string]func(w *warp, lane int) uint64{
	"%tid.x":       func(w *warp, l int) uint64 { return uint64(w.thread(l) % w.run.block[0]) },
	"%tid.y":       func(w *warp, l int) uint64 { return uint64(w.thread(l) / w.run.block[0] % w.run.block[1]) },
	"%tid.z":       func(w *warp, l int) uint64 { return uint64(w.thread(l) / w.run.block[0] / w.run.block[1]) },
	"%ntid.x":      func(w *warp, l int) uint64 { return uint64(w.run.block[0]) },
	"%ntid.y":      func(w *warp, l int) uint64 { return uint64(w.run.block[1]) },
	"%ntid.z":      func(w *warp, l int) uint64 { return uint64(w.run.block[2]) },
	"%ctaid.x":     func(w *warp, l int) uint64 { return uint64(w.block.at[0]) },
	"%ctaid.y":     func(w *warp, l int) uint64 { return uint64(w.block.at[1]) },
	"%ctaid.z":     func(w *warp, l int) uint64 { return uint64(w.block.at[2]) },
	"%nctaid.x":    func(w *warp, l int) uint64 { return uint64(w.run.grid[0]) },
	"%nctaid.y":    func(w *warp, l int) uint64 { return uint64(w.run.grid[1]) },
	"%nctaid.z":    func(w *warp, l int) uint64 { return uint64(w.run.grid[2]) },
	"%laneid":      func(w *warp, l int) uint64 { return uint64(l) },
	"%warpid":      func(w *warp, l int) uint64 { return uint64(w.index) },
	"%nwarpid":     func(w *warp, l int) uint64 { return uint64(len(w.block.warps)) },
	"%lanemask_eq": func(w *warp, l int) uint64 { return 1 << l },
	"%lanemask_lt": func(w *warp, l int) uint64 { return 1<<l - 1 },
	"%lanemask_le": func(w *warp, l int) uint64 { return 2<<l - 1 },
	"%lanemask_gt": func(w *warp, l int) uint64 { return allLanes &^ (2<<l - 1) },
	"%lanemask_ge": func(w *warp, l int) uint64 { return allLanes &^ (1<<l - 1) },
}

// barrier describes bar.sync and bar.red over all threads of a block.
type barrier struct {
	id     int
	reduce string // "", "popc", "and", "or"
	input  func(w *warp) uint32
	result int // vector for popc, else predicate
}

// decoded is a module's text made ready. Variables in global and constant memory have their addresses on each machine,
// so the programs of a module with such are compiled for each.
type decoded struct {
	*asm.Module
	shared, variables []*asm.Variable // in shared memory, and others
	programs          []*program
}
