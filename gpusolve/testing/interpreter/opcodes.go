package interpreter

import (
	"fmt"
	"strings"
)

func (c *compiler) compile() error {
	c.slots, c.vectors, c.zeroed = assign(c.entry)
	c.predicates = c.entry.Predicates
	for i := range c.entry.Code {
		c.in = &c.entry.Code[i]
		root, rest, _ := strings.Cut(c.in.Opcode, ".")
		compile := compilers[root]
		if compile == nil {
			return c.unknown()
		}
		out := instr{guard: int32(c.in.Guard), guardIs: c.in.GuardIs, line: int32(c.in.Line), opcode: c.in.Opcode}
		if err := compile(c, &out, rest); err != nil {
			return err
		}
		c.code = append(c.code, out)
	}
	if n := len(c.code); n == 0 || c.code[n-1].kind != kindExit && c.code[n-1].kind != kindBranch ||
		c.code[n-1].guard >= 0 {
		return fmt.Errorf("ptx line %d: kernel %s does not end in ret", c.entry.Line, c.name)
	}
	return nil
}

// compilers is the list of what is known; each function refuses the modifiers it does not know.
var compilers map[string]func(c *compiler, out *instr, mods string) error

func init() {
	compilers = map[string]func(c *compiler, out *instr, mods string) error{
		"mov": compileMov, "cvt": compileConvert, "cvta": compileConvertAddress, "setp": compileCompare,
		"selp": compileSelect, "slct": compileSlct,
		"ld": compileLoad, "st": compileStore, "atom": compileAtomic, "red": compileAtomic,
		"bra": compileBranch, "ret": compileExit, "exit": compileExit, "bar": compileBarrier, "barrier": compileBarrier,
		"shfl": compileShuffle, "vote": compileVote, "activemask": compileActiveMask,
		"membar": compileFence, "fence": compileFence, "nanosleep": compileNanosleep, "trap": compileTrap,
		"prmt": compileByTable, "bfe": compileByTable, "bfi": compileByTable, "shf": compileByTable,
		"lop3": compileLop3,
		"div":  compileDivision, "rem": compileDivision, "not": compileLogic, "and": compileLogic, "or": compileLogic,
		"xor": compileLogic,
	}
	for _, root := range []string{"add", "sub", "mul", "mad", "fma", "min", "max", "abs", "neg", "sqrt", "rcp", "shl",
		"shr", "popc", "clz", "brev", "copysign"} {
		compilers[root] = compileByTable
	}
}
