package interpreter

import (
	"math/bits"

	"thermsim/gpusolve/testing/interpreter/asm"
)

func addBits() {
	ops2["shl.b16"] = func(x, y uint64) uint64 { return x << min(uint32(y), 16) & 0xffff }
	ops2["shl.b32"] = func(x, y uint64) uint64 { return x << min(uint32(y), 32) & 0xffffffff }
	ops2["shl.b64"] = func(x, y uint64) uint64 { return x << min(uint32(y), 64) }
	for _, n := range []string{"16", "32", "64"} {
		ops2["shr.b"+n] = ops2["shr.u"+n]
	}
	ops1["popc.b32"] = func(x uint64) uint64 { return uint64(bits.OnesCount32(uint32(x))) }
	ops1["popc.b64"] = func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) }
	ops1["clz.b32"] = func(x uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(x))) }
	ops1["clz.b64"] = func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x)) }
	ops1["brev.b32"] = func(x uint64) uint64 { return uint64(bits.Reverse32(uint32(x))) }
	ops1["brev.b64"] = bits.Reverse64

	for _, t := range integers {
		if t.bits >= 32 {
			ops3["bfe."+t.name] = func(x, pos, length uint64) uint64 {
				return extract(x, pos, length, t.bits, t.signed)
			}
		}
	}
	// The funnel shifts take (low, high, count).
	ops3["shf.l.wrap.b32"] = func(lo, hi, n uint64) uint64 { return (hi<<32 | lo&0xffffffff) << (n & 31) >> 32 }
	ops3["shf.r.wrap.b32"] = func(lo, hi, n uint64) uint64 { return (hi<<32 | lo&0xffffffff) >> (n & 31) & 0xffffffff }
	ops3["shf.l.clamp.b32"] = func(lo, hi, n uint64) uint64 {
		return (hi<<32 | lo&0xffffffff) << min(uint32(n), 32) >> 32
	}
	ops3["shf.r.clamp.b32"] = func(lo, hi, n uint64) uint64 {
		return (hi<<32 | lo&0xffffffff) >> min(uint32(n), 32) & 0xffffffff
	}
	ops3["prmt.b32"] = permute
}

// extract is bfe: a field of the given position and length, filled with the field's sign.
func extract(x, pos, length uint64, width int, signed bool) uint64 {
	x = extend(x, width, false)
	pos, length = pos&0xff, length&0xff
	w := uint64(width)
	sign := uint64(0)
	if signed && length > 0 {
		sign = x >> min(pos+length-1, w-1) & 1
	}
	var out uint64
	for i := range w {
		b := sign
		if i < length && pos+i < w {
			b = x >> (pos + i) & 1
		}
		out |= b << i
	}
	return out
}

// permute is prmt in its default mode: four selectors pick bytes of y:x, their top bit asks for the byte's sign
// instead.
func permute(x, y, selectors uint64) uint64 {
	from := x&0xffffffff | y<<32
	var out uint64
	for i := range 4 {
		s := selectors >> (4 * i) & 15
		b := from >> (8 * (s & 7)) & 0xff
		if s&8 != 0 {
			b = uint64(int64(int8(b))>>7) & 0xff
		}
		out |= b << (8 * i)
	}
	return out
}

// compileLogic handles not, and, or, xor on registers and on predicates.
func compileLogic(c *compiler, out *instr, mods string) error {
	root := c.in.Opcode[:len(c.in.Opcode)-len(mods)-1]
	want := 3
	if root == "not" {
		want = 2
	}
	if err := c.args(want); err != nil {
		return err
	}
	cut := ^uint64(0)
	switch mods {
	case "b16":
		cut = 0xffff
	case "b32":
		cut = 0xffffffff
	case "b64", "pred":
	default:
		return c.unknown()
	}
	var f func(x, y uint64) uint64
	switch root {
	case "and":
		f = func(x, y uint64) uint64 { return x & y & cut }
	case "or":
		f = func(x, y uint64) uint64 { return (x | y) & cut }
	case "xor":
		f = func(x, y uint64) uint64 { return (x ^ y) & cut }
	}
	if mods == "pred" {
		p, err := c.predicate(c.in.Args[0])
		if err != nil {
			return err
		}
		a, err := c.condition(c.in.Args[1])
		if err != nil {
			return err
		}
		if f == nil {
			out.step = func(w *warp, m uint32) { w.setPredicate(p, m, ^a(w)) }
			return nil
		}
		b, err := c.condition(c.in.Args[2])
		if err != nil {
			return err
		}
		out.step = func(w *warp, m uint32) { w.setPredicate(p, m, uint32(f(uint64(a(w)), uint64(b(w))))) }
		return nil
	}
	d, _, err := c.destination(c.in.Args[0])
	if err != nil {
		return err
	}
	s, err := c.sources(c.in.Args[1:])
	if err != nil {
		return err
	}
	if f == nil {
		out.step = apply1(d, s[0], func(x uint64) uint64 { return ^x & cut })
	} else {
		out.step = apply2(d, s[0], s[1], f)
	}
	return nil
}

// condition reads a predicate operand, or a constant 0 or 1, as a bit per lane.
func (c *compiler) condition(o asm.Operand) (func(w *warp) uint32, error) {
	if o.Kind == asm.ImmediateOperand {
		value := uint32(0)
		if o.Bits != 0 {
			value = allLanes
		}
		return func(*warp) uint32 { return value }, nil
	}
	p, err := c.predicate(o)
	if err != nil {
		return nil, err
	}
	if o.Negated {
		return func(w *warp) uint32 { return ^w.p[p] }, nil
	}
	return func(w *warp) uint32 { return w.p[p] }, nil
}

// compileLop3 handles any logical function of three inputs, given by its truth table.
func compileLop3(c *compiler, out *instr, mods string) error {
	if mods != "b32" {
		return c.unknown()
	}
	if err := c.args(5); err != nil {
		return err
	}
	d, _, err := c.destination(c.in.Args[0])
	if err != nil {
		return err
	}
	s, err := c.sources(c.in.Args[1:4])
	if err != nil {
		return err
	}
	if c.in.Args[4].Kind != asm.ImmediateOperand {
		return c.errorf("the truth table is a number")
	}
	table := c.in.Args[4].Bits
	out.step = apply3(d, s[0], s[1], s[2], func(x, y, z uint64) uint64 {
		var r uint64
		for k := range 8 {
			if table>>k&1 == 0 {
				continue
			}
			a, b, e := x, y, z
			if k&4 == 0 {
				a = ^a
			}
			if k&2 == 0 {
				b = ^b
			}
			if k&1 == 0 {
				e = ^e
			}
			r |= a & b & e
		}
		return r & 0xffffffff
	})
	return nil
}
