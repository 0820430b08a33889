package interpreter

import (
	"math/bits"
	"strings"

	"thermsim/gpusolve/testing/interpreter/asm"
)

// compileCompare handles setp.op[.bool].type p, a, b[, [!]q].
func compileCompare(c *compiler, out *instr, mods string) error {
	parts := strings.Split(mods, ".")
	combine := ""
	if len(parts) == 3 {
		combine = parts[1]
		parts = []string{parts[0], parts[2]}
	}
	if len(parts) != 2 {
		return c.unknown()
	}
	f := comparison(parts[0], parts[1])
	if f == nil {
		return c.unknown()
	}
	want := 3
	if combine != "" {
		want = 4
	}
	if err := c.args(want); err != nil {
		return err
	}
	p, err := c.predicate(c.in.Args[0])
	if err != nil {
		return err
	}
	if c.in.Args[0].Pair != nil {
		return c.errorf("the form p|q is not supported")
	}
	s, err := c.sources(c.in.Args[1:3])
	if err != nil {
		return err
	}
	if combine == "" {
		if out.step = fastCompare(parts[0], parts[1], p, s[0], s[1]); out.step == nil {
			out.step = compare2(p, s[0], s[1], f)
		}
		return nil
	}
	q, err := c.condition(c.in.Args[3])
	if err != nil {
		return err
	}
	var mix func(x, y uint32) uint32
	switch combine {
	case "and":
		mix = func(x, y uint32) uint32 { return x & y }
	case "or":
		mix = func(x, y uint32) uint32 { return x | y }
	case "xor":
		mix = func(x, y uint32) uint32 { return x ^ y }
	default:
		return c.unknown()
	}
	plain := compare2(p, s[0], s[1], f)
	out.step = func(w *warp, m uint32) {
		other := q(w) // before p is written: they may be the same
		plain(w, m)
		w.setPredicate(p, m, mix(w.p[p], other))
	}
	return nil
}

// fastCompare writes out the loops of the comparisons of integers that kernels execute most, those of loop counters and
// indices.
func fastCompare(op, typ string, p, a, b int) step {
	flip := uint32(0)
	switch op {
	case "gt", "le", "hi", "ls": // a > b is b < a
		a, b = b, a
	}
	switch op {
	case "ge", "le", "hs", "ls", "ne":
		flip = allLanes
	}
	equal := op == "eq" || op == "ne"
	switch {
	case typ[0] == 'f':
		return nil
	case equal && asm.TypeSize(typ) == 4:
		return compareEqual[uint32](p, a, b, flip)
	case equal && asm.TypeSize(typ) == 8:
		return compareEqual[uint64](p, a, b, flip)
	case equal:
		return nil
	}
	switch typ {
	case "s32":
		return compareLess[int32](p, a, b, flip)
	case "u32":
		return compareLess[uint32](p, a, b, flip)
	case "s64":
		return compareLess[int64](p, a, b, flip)
	case "u64":
		return compareLess[uint64](p, a, b, flip)
	}
	return nil
}

func compareLess[T int32 | uint32 | int64 | uint64](p, a, b int, flip uint32) step {
	return func(w *warp, m uint32) {
		A, B := &w.r[a], &w.r[b]
		var out uint32
		for k := m; k != 0; k &= k - 1 {
			l := bits.TrailingZeros32(k) & 31
			if T(A[l]) < T(B[l]) {
				out |= 1 << l
			}
		}
		w.setPredicate(p, m, out^flip)
	}
}

func compareEqual[T uint32 | uint64](p, a, b int, flip uint32) step {
	return func(w *warp, m uint32) {
		A, B := &w.r[a], &w.r[b]
		var out uint32
		for k := m; k != 0; k &= k - 1 {
			l := bits.TrailingZeros32(k) & 31
			if T(A[l]) == T(B[l]) {
				out |= 1 << l
			}
		}
		w.setPredicate(p, m, out^flip)
	}
}

// comparison gives the test of two values of a type, or nil.
func comparison(op, typ string) func(x, y uint64) bool {
	var order func(x, y uint64) (less, equal, unordered bool)
	size := int(asm.TypeSize(typ)) * 8
	if size < 16 || typ == "f16x2" {
		return nil
	}
	float := typ[0] == 'f'
	switch {
	case float:
		value := f64
		switch typ {
		case "f32":
			value = func(x uint64) float64 { return float64(f32(x)) }
		case "f16":
			value = func(x uint64) float64 { return half16(x & 0xffff) }
		}
		order = func(x, y uint64) (bool, bool, bool) {
			a, b := value(x), value(y)
			return a < b, a == b, a != a || b != b
		}
	case typ[0] == 's':
		order = func(x, y uint64) (bool, bool, bool) {
			a, b := int64(extend(x, size, true)), int64(extend(y, size, true))
			return a < b, a == b, false
		}
	default:
		order = func(x, y uint64) (bool, bool, bool) {
			a, b := extend(x, size, false), extend(y, size, false)
			return a < b, a == b, false
		}
	}
	unsigned := typ[0] == 'u' || typ[0] == 'b'
	if float && len(op) == 3 && op[2] == 'u' { // eq, ne ... or unordered
		plain := comparison(op[:2], typ)
		if plain == nil {
			return nil
		}
		return func(x, y uint64) bool {
			_, _, un := order(x, y)
			return un || plain(x, y)
		}
	}
	switch op {
	case "eq":
		return func(x, y uint64) bool { _, eq, _ := order(x, y); return eq }
	case "ne":
		return func(x, y uint64) bool { _, eq, un := order(x, y); return !eq && !un }
	case "num":
		if float {
			return func(x, y uint64) bool { _, _, un := order(x, y); return !un }
		}
	case "nan":
		if float {
			return func(x, y uint64) bool { _, _, un := order(x, y); return un }
		}
	}
	if typ[0] == 'b' { // bits have no order
		return nil
	}
	if unsigned {
		if other := map[string]string{"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}[op]; other != "" {
			op = other
		}
	}
	switch op {
	case "lt":
		return func(x, y uint64) bool { lt, _, _ := order(x, y); return lt }
	case "le":
		return func(x, y uint64) bool { lt, eq, _ := order(x, y); return lt || eq }
	case "gt":
		return func(x, y uint64) bool { lt, eq, un := order(x, y); return !lt && !eq && !un }
	case "ge":
		return func(x, y uint64) bool { lt, _, un := order(x, y); return !lt && !un }
	}
	return nil
}
