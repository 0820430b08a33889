// Package asm reads PTX text, the assembly language of CUDA's virtual machine, into modules whose registers, labels and
// variables are resolved. It follows NVIDIA's "Parallel Thread Execution ISA" as far as clang uses it; anything else is
// an error that names line and token.
package asm

// Space is a PTX state space.
type Space uint8

// The state spaces. Generic addresses name global, shared or local memory by windows.
const (
	Generic Space = iota
	Global
	Shared
	Local
	Const
	ParamSpace
)

func (s Space) String() string {
	return [...]string{"generic", "global", "shared", "local", "const", "param"}[s]
}

// Module is one PTX file.
type Module struct {
	Version     string
	Target      string
	Variables   []*Variable // at module scope
	Entries     []*Entry
	entryByName map[string]*Entry
}

// Entry returns the kernel of that name, or nil.
func (m *Module) Entry(name string) *Entry { return m.entryByName[name] }

// Variable is a declared piece of memory.
type Variable struct {
	Name   string
	Space  Space
	Align  int64
	Size   int64  // bytes; 0 for extern arrays, whose size the launch gives
	Init   []byte // nil: no initial value
	Extern bool
	Line   int
}

// Param is one parameter of an entry, at Offset in the parameter block.
type Param struct {
	Name   string
	Type   string // "u64", "f32", "b8" for structures ...
	Align  int64
	Size   int64
	Offset int64
}

// Entry is a kernel.
type Entry struct {
	Name       string
	Params     []Param
	ParamBytes int64
	Registers  []Register // all but predicates
	Predicates int        // how many
	Variables  []*Variable
	Code       []Instruction
	MaxThreads int // .maxntid, 0 when absent
	Line       int
}

// Register is a typed register; Bits is 16, 32 or 64.
type Register struct {
	Name string
	Bits int
}

// OperandKind is the kind of an Operand.
type OperandKind uint8

// The kinds of operands.
const (
	RegisterOperand  OperandKind = iota
	PredicateOperand             // Negated for !%p
	ImmediateOperand             // Bits holds an integer, or the bits of a float when Float is 32 or 64
	SymbolOperand                // a variable or parameter, plus Offset
	AddressOperand               // [register + Offset] or [symbol + Offset]
	VectorOperand                // {a, b, ...}
	LabelOperand                 // Target is an instruction's index
	SpecialOperand               // %tid.x ...
	SinkOperand                  // _, an unused result
)

// Operand is one argument of an instruction.
type Operand struct {
	Kind     OperandKind
	Index    int // of the register or predicate; -1 in an AddressOperand without one
	Negated  bool
	Bits     uint64
	Float    int
	Name     string // of symbols, special registers and labels
	Variable *Variable
	Param    *Param
	Offset   int64
	Target   int
	Vector   []Operand
	Pair     *Operand // q of the form p|q
}

// Instruction is one PTX instruction. Opcode is its full text, "ld.global.v2.f32".
type Instruction struct {
	Opcode  string
	Args    []Operand
	Guard   int // predicate index, -1 for none
	GuardIs bool
	Line    int
}
