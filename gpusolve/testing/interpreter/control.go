package interpreter

import (
	"math/bits"
	"strings"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter/asm"
)

func compileBranch(c *compiler, out *instr, mods string) error {
	if mods != "" && mods != "uni" {
		return c.unknown()
	}
	if err := c.args(1); err != nil {
		return err
	}
	if c.in.Args[0].Kind != asm.LabelOperand || c.in.Args[0].Target >= len(c.entry.Code) {
		return c.errorf("%q is no label of an instruction", c.in.Args[0].Name)
	}
	out.kind, out.target = kindBranch, int32(c.in.Args[0].Target)
	return nil
}

func compileExit(c *compiler, out *instr, mods string) error {
	if mods != "" && mods != "uni" {
		return c.unknown()
	}
	out.kind = kindExit
	return c.args(0)
}

func compileBarrier(c *compiler, out *instr, mods string) error {
	mods = strings.TrimPrefix(mods, "cta.")
	if rest, ok := strings.CutPrefix(mods, "warp."); ok {
		return compileWarpSync(c, out, rest)
	}
	args := c.in.Args
	b := &barrier{}
	switch mods {
	case "sync", "sync.aligned":
	case "red.popc.u32", "red.and.pred", "red.or.pred":
		b.reduce = strings.Split(mods, ".")[1]
		if err := c.args(3); err != nil {
			return err
		}
		var err error
		if b.reduce == "popc" {
			b.result, _, err = c.destination(args[0])
		} else {
			b.result, err = c.predicate(args[0])
		}
		if err != nil {
			return err
		}
		if b.input, err = c.condition(args[2]); err != nil {
			return err
		}
		args = args[1:2]
	default:
		return c.unknown()
	}
	if len(args) != 1 {
		return c.errorf("barriers of a part of the block (with a thread count) are not supported")
	}
	if args[0].Kind != asm.ImmediateOperand || args[0].Bits > 15 {
		return c.errorf("the barrier's number must be a constant from 0 to 15")
	}
	b.id = int(args[0].Bits)
	out.kind, out.barrier = kindBarrier, b
	return nil
}

// members reads the mask of lanes that take part.
func (c *compiler) members(out *instr, o asm.Operand) error {
	if o.Kind == asm.ImmediateOperand {
		mask := uint32(o.Bits)
		out.uniform = true
		out.members = func(*warp, int) uint32 { return mask }
		return nil
	}
	s, err := c.source(o)
	if err != nil {
		return err
	}
	out.members = func(w *warp, l int) uint32 { return uint32(w.r[s][l]) }
	return nil
}

func compileWarpSync(c *compiler, out *instr, mods string) error {
	if mods != "sync" {
		return c.unknown()
	}
	if err := c.args(1); err != nil {
		return err
	}
	out.kind = kindRendezvous
	out.step = func(w *warp, m uint32) { w.syncLanes(m) }
	return c.members(out, c.in.Args[0])
}

// compileShuffle handles shfl.sync.mode.b32 d[|p], a, b, c, mask.
func compileShuffle(c *compiler, out *instr, mods string) error {
	if err := c.args(5); err != nil {
		return err
	}
	mode := strings.TrimSuffix(strings.TrimPrefix(mods, "sync."), ".b32")
	if mods != "sync."+mode+".b32" || mode != "up" && mode != "down" && mode != "bfly" && mode != "idx" {
		return c.unknown()
	}
	d, _, err := c.destination(c.in.Args[0])
	if err != nil {
		return err
	}
	p := -1
	if q := c.in.Args[0].Pair; q != nil {
		if p, err = c.predicate(*q); err != nil {
			return err
		}
	}
	s, err := c.sources(c.in.Args[1:4])
	if err != nil {
		return err
	}
	out.kind = kindRendezvous
	out.step = func(w *warp, m uint32) {
		values := w.r[s[0]]
		var inside uint32
		for k := m; k != 0; k &= k - 1 {
			l := bits.TrailingZeros32(k) & 31
			from, ok := shuffleSource(mode[0], l, int(w.r[s[1]][l]&31), w.r[s[2]][l])
			if m>>from&1 == 0 {
				w.raise(cudriver.LaunchFailed, l, "shuffle reads lane %d, which does not take part", from)
				return
			}
			if ok {
				inside |= 1 << l
			}
			w.r[d][l] = values[from] & 0xffffffff
		}
		if p >= 0 {
			w.setPredicate(p, m, inside)
		}
	}
	return c.members(out, c.in.Args[4])
}

// shuffleSource is the lane whose value a lane gets, and whether it lies in the lane's segment (PTX ISA, section
// shfl.sync). Modes are named by their first letters: up, down, bfly and idx.
func shuffleSource(mode byte, lane, b int, c uint64) (from int, inside bool) {
	clamp, segment := int(c&31), int(c>>8&31)
	high := lane&segment | clamp&^segment
	low := lane & segment
	switch mode {
	case 'u':
		from = lane - b
		inside = from >= high
	case 'd':
		from = lane + b
		inside = from <= high
	case 'b':
		from = lane ^ b
		inside = from <= high
	default:
		from = low | b&^segment
		inside = from <= high
	}
	if !inside {
		from = lane
	}
	return from, inside
}

func compileVote(c *compiler, out *instr, mods string) error {
	if err := c.args(3); err != nil {
		return err
	}
	cond, err := c.condition(c.in.Args[1])
	if err != nil {
		return err
	}
	out.kind = kindRendezvous
	if mods == "sync.ballot.b32" {
		d, _, err := c.destination(c.in.Args[0])
		if err != nil {
			return err
		}
		out.step = func(w *warp, m uint32) {
			ballot := uint64(cond(w) & m)
			for k := m; k != 0; k &= k - 1 {
				w.r[d][bits.TrailingZeros32(k)&31] = ballot
			}
		}
		return c.members(out, c.in.Args[2])
	}
	var holds func(votes, m uint32) bool
	switch mods {
	case "sync.all.pred":
		holds = func(votes, m uint32) bool { return votes == m }
	case "sync.any.pred":
		holds = func(votes, m uint32) bool { return votes != 0 }
	case "sync.uni.pred":
		holds = func(votes, m uint32) bool { return votes == m || votes == 0 }
	default:
		return c.unknown()
	}
	p, err := c.predicate(c.in.Args[0])
	if err != nil {
		return err
	}
	out.step = func(w *warp, m uint32) {
		value := uint32(0)
		if holds(cond(w)&m, m) {
			value = allLanes
		}
		w.setPredicate(p, m, value)
	}
	return c.members(out, c.in.Args[2])
}

func compileActiveMask(c *compiler, out *instr, mods string) error {
	if mods != "b32" {
		return c.unknown()
	}
	if err := c.args(1); err != nil {
		return err
	}
	d, _, err := c.destination(c.in.Args[0])
	if err != nil {
		return err
	}
	out.step = func(w *warp, m uint32) {
		for k := m; k != 0; k &= k - 1 {
			w.r[d][bits.TrailingZeros32(k)&31] = uint64(m)
		}
	}
	return nil
}

// compileFence handles membar and fence. Both order accesses; .cta only as the block sees them.
func compileFence(c *compiler, out *instr, mods string) error {
	if err := c.args(0); err != nil {
		return err
	}
	blockly := false
	switch mods {
	case "gl", "sys", "acq_rel.gpu", "acq_rel.sys", "sc.gpu", "sc.sys":
	case "cta", "acq_rel.cta", "sc.cta":
		blockly = true
	default:
		return c.unknown()
	}
	out.step = func(w *warp, m uint32) {
		if w.run.races {
			w.onFence(m, blockly)
		}
	}
	return nil
}

// compileTrap ends the launch with a fault: the kernel gives up.
func compileTrap(c *compiler, out *instr, mods string) error {
	if mods != "" {
		return c.unknown()
	}
	out.step = func(w *warp, m uint32) {
		w.raise(cudriver.LaunchFailed, bits.TrailingZeros32(m), "the kernel gives up")
	}
	return c.args(0)
}

func compileNanosleep(c *compiler, out *instr, mods string) error {
	if mods != "u32" {
		return c.unknown()
	}
	out.step = func(*warp, uint32) {}
	return c.args(1)
}

// compileDivision handles div and rem. Integer division by zero, which PTX leaves undefined, is a fault.
func compileDivision(c *compiler, out *instr, mods string) error {
	if strings.HasPrefix(mods, "rn.f") {
		return compileByTable(c, out, mods)
	}
	if err := c.args(3); err != nil {
		return err
	}
	d, _, err := c.destination(c.in.Args[0])
	if err != nil {
		return err
	}
	s, err := c.sources(c.in.Args[1:])
	if err != nil {
		return err
	}
	remainder := strings.HasPrefix(c.in.Opcode, "rem.")
	for _, t := range integers {
		if t.name != mods {
			continue
		}
		out.step = func(w *warp, m uint32) {
			for ; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & 31
				x, y := extend(w.r[s[0]][l], t.bits, t.signed), extend(w.r[s[1]][l], t.bits, t.signed)
				if y == 0 {
					w.raise(cudriver.LaunchFailed, l, "integer division by zero")
					return
				}
				w.r[d][l] = extend(divide(x, y, t.signed, remainder), t.bits, false)
			}
		}
		return nil
	}
	return c.unknown()
}

func divide(x, y uint64, signed, remainder bool) uint64 {
	switch {
	case signed && remainder:
		return uint64(int64(x) % int64(y))
	case signed:
		return uint64(int64(x) / int64(y))
	case remainder:
		return x % y
	}
	return x / y
}
