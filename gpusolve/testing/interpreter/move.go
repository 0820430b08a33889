package interpreter

import (
	"math/bits"
	"strings"

	"thermsim/gpusolve/testing/interpreter/asm"
)

// compileMov handles registers, numbers, symbols, special registers, predicates, and packing into and out of {a, b}.
func compileMov(c *compiler, out *instr, mods string) error {
	if err := c.args(2); err != nil {
		return err
	}
	if mods == "pred" {
		return compileMovPredicate(c, out)
	}
	width := int(asm.TypeSize(mods)) * 8
	if width < 16 {
		return c.unknown()
	}
	to, from := c.in.Args[0], c.in.Args[1]
	switch {
	case to.Kind == asm.VectorOperand:
		return compileUnpack(c, out, to.Vector, from, width)
	case from.Kind == asm.VectorOperand:
		return compilePack(c, out, to, from.Vector, width)
	}
	d, _, err := c.destination(to)
	if err != nil {
		return err
	}
	s, err := c.source(from)
	if err != nil {
		return err
	}
	if from.Kind == asm.ImmediateOperand { // -1 becomes 0xffffffff in a 32-bit register
		s = c.constant(extend(from.Bits, width, false))
	}
	out.step = func(w *warp, m uint32) {
		D, A := &w.r[d], &w.r[s]
		if m == allLanes {
			*D = *A
			return
		}
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			D[l] = A[l]
		}
	}
	return nil
}

func compileMovPredicate(c *compiler, out *instr) error {
	p, err := c.predicate(c.in.Args[0])
	if err != nil {
		return err
	}
	value, err := c.condition(c.in.Args[1])
	if err != nil {
		return err
	}
	out.step = func(w *warp, m uint32) { w.setPredicate(p, m, value(w)) }
	return nil
}

func compileUnpack(c *compiler, out *instr, parts []asm.Operand, from asm.Operand, width int) error {
	n := width / len(parts)
	if n < 16 || n*len(parts) != width {
		return c.errorf("cannot unpack %d bits into %d parts", width, len(parts))
	}
	s, err := c.source(from)
	if err != nil {
		return err
	}
	var d []int
	for _, o := range parts {
		slot, _, err := c.destination(o)
		if err != nil {
			return err
		}
		d = append(d, slot)
	}
	out.step = func(w *warp, m uint32) {
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			x := w.r[s][l]
			for i, slot := range d {
				w.r[slot][l] = extend(x>>(i*n), n, false)
			}
		}
	}
	return nil
}

func compilePack(c *compiler, out *instr, to asm.Operand, parts []asm.Operand, width int) error {
	n := width / len(parts)
	if n < 16 || n*len(parts) != width {
		return c.errorf("cannot pack %d parts into %d bits", len(parts), width)
	}
	d, _, err := c.destination(to)
	if err != nil {
		return err
	}
	s, err := c.sources(parts)
	if err != nil {
		return err
	}
	out.step = func(w *warp, m uint32) {
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			var x uint64
			for i, slot := range s {
				x |= extend(w.r[slot][l], n, false) << (i * n)
			}
			w.r[d][l] = x
		}
	}
	return nil
}

// compileConvertAddress handles cvta: shared and local memory are windows of the generic addresses, global and constant
// memory are as they are.
func compileConvertAddress(c *compiler, out *instr, mods string) error {
	if err := c.args(2); err != nil {
		return err
	}
	d, _, err := c.destination(c.in.Args[0])
	if err != nil {
		return err
	}
	s, err := c.source(c.in.Args[1])
	if err != nil {
		return err
	}
	rest, to := strings.CutPrefix(mods, "to.")
	window, ok := map[string]uint64{"global.u64": 0, "const.u64": 0, "shared.u64": sharedWindow,
		"local.u64": localWindow}[rest]
	if !ok {
		return c.unknown()
	}
	if to {
		window = -window
	}
	out.step = apply1(d, s, func(x uint64) uint64 { return x + window })
	return nil
}

func compileSelect(c *compiler, out *instr, mods string) error {
	if err := c.args(4); err != nil {
		return err
	}
	if asm.TypeSize(mods) < 2 || strings.HasSuffix(mods, "x2") {
		return c.unknown()
	}
	d, s, err := c.dest3(int(asm.TypeSize(mods)) * 8)
	if err != nil {
		return err
	}
	cond, err := c.condition(c.in.Args[3])
	if err != nil {
		return err
	}
	out.step = func(w *warp, m uint32) {
		D, A, B, p := &w.r[d], &w.r[s[0]], &w.r[s[1]], cond(w)
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			if p>>l&1 != 0 {
				D[l] = A[l]
			} else {
				D[l] = B[l]
			}
		}
	}
	return nil
}

// dest3 gives the destination and the two values of a selection, with constants cut to the type's width.
func (c *compiler) dest3(width int) (d int, s []int, err error) {
	if d, _, err = c.destination(c.in.Args[0]); err != nil {
		return
	}
	for _, o := range c.in.Args[1:3] {
		if o.Kind == asm.ImmediateOperand {
			o.Bits = extend(o.Bits, width, false)
		}
		slot, err := c.source(o)
		if err != nil {
			return 0, nil, err
		}
		s = append(s, slot)
	}
	return
}

// compileSlct handles slct: a where c >= 0, else b.
func compileSlct(c *compiler, out *instr, mods string) error {
	if err := c.args(4); err != nil {
		return err
	}
	typ, by, _ := strings.Cut(mods, ".")
	if asm.TypeSize(typ) < 4 || by != "s32" && by != "f32" {
		return c.unknown()
	}
	d, s, err := c.dest3(int(asm.TypeSize(typ)) * 8)
	if err != nil {
		return err
	}
	k, err := c.source(c.in.Args[3])
	if err != nil {
		return err
	}
	out.step = apply3(d, s[0], s[1], k, func(a, b, x uint64) uint64 {
		if by == "s32" && int32(x) >= 0 || by == "f32" && f32(x) >= 0 {
			return a
		}
		return b
	})
	return nil
}
