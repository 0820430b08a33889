package interpreter

import (
	"math"
	"math/bits"
	"strings"
)

// The arithmetic instructions, by their full text without a rounding modifier ".rn", which is the only one known here.
var (
	ops1 = map[string]func(x uint64) uint64{}
	ops2 = map[string]func(x, y uint64) uint64{}
	ops3 = map[string]func(x, y, z uint64) uint64{}
)

func init() {
	addIntegers()
	addFloats()
	addHalves()
	addBits()
}

func compileByTable(c *compiler, out *instr, mods string) error {
	name := strings.Replace(c.in.Opcode, ".rn.", ".", 1)
	if takes, needs := rounding(name); name != c.in.Opcode && !takes || name == c.in.Opcode && needs {
		return c.unknown()
	}
	f1, f2, f3 := ops1[name], ops2[name], ops3[name]
	want := 0
	switch {
	case f1 != nil:
		want = 2
	case f2 != nil:
		want = 3
	case f3 != nil:
		want = 4
	default:
		return c.unknown()
	}
	if err := c.args(want); err != nil {
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
	switch {
	case f1 != nil:
		out.step = apply1(d, s[0], f1)
	case f2 != nil:
		if out.step = fast2(name, d, s[0], s[1]); out.step == nil {
			out.step = apply2(d, s[0], s[1], f2)
		}
	default:
		if out.step = fast3(name, d, s[0], s[1], s[2]); out.step == nil {
			out.step = apply3(d, s[0], s[1], s[2], f3)
		}
	}
	return nil
}

// rounding reports whether an instruction takes a rounding modifier, and whether it needs one. Without one, add, sub
// and mul mean .rn as well.
func rounding(name string) (takes, needs bool) {
	root, typ, _ := strings.Cut(name, ".")
	if typ == "" || typ[0] != 'f' {
		return false, false
	}
	switch root {
	case "add", "sub", "mul":
		return true, false
	case "fma", "div", "sqrt", "rcp":
		return true, true
	}
	return false, false
}

// integer describes one integer type.
type integer struct {
	name   string
	bits   int
	signed bool
}

var integers = []integer{{"u16", 16, false}, {"s16", 16, true}, {"u32", 32, false}, {"s32", 32, true},
	{"u64", 64, false}, {"s64", 64, true}}

// extend reads a value of that many bits as a 64-bit one.
func extend(x uint64, bits int, signed bool) uint64 {
	shift := 64 - bits
	if signed {
		return uint64(int64(x<<shift) >> shift)
	}
	return x << shift >> shift
}

func addIntegers() {
	for _, t := range integers {
		n, signed := t.bits, t.signed
		cut := func(x uint64) uint64 { return x << (64 - n) >> (64 - n) }
		ext := func(x uint64) uint64 { return extend(x, n, signed) }
		less := func(x, y uint64) bool {
			if signed {
				return int64(ext(x)) < int64(ext(y))
			}
			return cut(x) < cut(y)
		}
		high := func(x, y uint64) uint64 {
			if n < 64 {
				return cut(ext(x) * ext(y) >> n)
			}
			hi, _ := bits.Mul64(x, y)
			if signed {
				hi -= uint64(int64(x)>>63)&y + uint64(int64(y)>>63)&x
			}
			return hi
		}
		ops2["add."+t.name] = func(x, y uint64) uint64 { return cut(x + y) }
		ops2["sub."+t.name] = func(x, y uint64) uint64 { return cut(x - y) }
		ops2["mul.lo."+t.name] = func(x, y uint64) uint64 { return cut(x * y) }
		ops2["mul.hi."+t.name] = high
		ops2["min."+t.name] = func(x, y uint64) uint64 {
			if less(y, x) {
				return cut(y)
			}
			return cut(x)
		}
		ops2["max."+t.name] = func(x, y uint64) uint64 {
			if less(x, y) {
				return cut(y)
			}
			return cut(x)
		}
		ops2["shr."+t.name] = func(x, y uint64) uint64 {
			s := min(uint32(y), uint32(n))
			if signed {
				return cut(uint64(int64(ext(x)) >> s))
			}
			return cut(x) >> s
		}
		ops3["mad.lo."+t.name] = func(x, y, z uint64) uint64 { return cut(x*y + z) }
		ops3["mad.hi."+t.name] = func(x, y, z uint64) uint64 { return cut(high(x, y) + z) }
		if n < 64 {
			wide := func(x uint64) uint64 { return x << (64 - 2*n) >> (64 - 2*n) }
			ops2["mul.wide."+t.name] = func(x, y uint64) uint64 { return wide(ext(x) * ext(y)) }
			ops3["mad.wide."+t.name] = func(x, y, z uint64) uint64 { return wide(ext(x)*ext(y) + z) }
		}
		if signed {
			ops1["neg."+t.name] = func(x uint64) uint64 { return cut(-x) }
			ops1["abs."+t.name] = func(x uint64) uint64 {
				if int64(ext(x)) < 0 {
					return cut(-x)
				}
				return cut(x)
			}
		}
	}
}

func addFloats() {
	ops2["add.f32"] = func(x, y uint64) uint64 { return bits32(f32(x) + f32(y)) }
	ops2["sub.f32"] = func(x, y uint64) uint64 { return bits32(f32(x) - f32(y)) }
	ops2["mul.f32"] = func(x, y uint64) uint64 { return bits32(f32(x) * f32(y)) }
	ops2["div.f32"] = func(x, y uint64) uint64 { return bits32(f32(x) / f32(y)) }
	ops3["fma.f32"] = func(x, y, z uint64) uint64 { return bits32(fma32(f32(x), f32(y), f32(z))) }
	ops1["rcp.f32"] = func(x uint64) uint64 { return bits32(1 / f32(x)) }
	// The square root of a single in double precision has enough bits to round again (Figueroa, "When is double
	// rounding innocuous?", 1995).
	ops1["sqrt.f32"] = func(x uint64) uint64 { return bits32(float32(math.Sqrt(float64(f32(x))))) }
	ops1["abs.f32"] = func(x uint64) uint64 { return bits32(f32(x & 0x7fffffff)) }
	ops1["neg.f32"] = func(x uint64) uint64 { return bits32(-f32(x)) }
	ops2["min.f32"] = func(x, y uint64) uint64 { return bits32(float32(minimum(float64(f32(x)), float64(f32(y))))) }
	ops2["max.f32"] = func(x, y uint64) uint64 { return bits32(float32(maximum(float64(f32(x)), float64(f32(y))))) }
	// PTX copies the sign of the first operand to the second.
	ops2["copysign.f32"] = func(x, y uint64) uint64 { return x&0x80000000 | y&0x7fffffff }

	ops2["add.f64"] = func(x, y uint64) uint64 { return bits64(f64(x) + f64(y)) }
	ops2["sub.f64"] = func(x, y uint64) uint64 { return bits64(f64(x) - f64(y)) }
	ops2["mul.f64"] = func(x, y uint64) uint64 { return bits64(f64(x) * f64(y)) }
	ops2["div.f64"] = func(x, y uint64) uint64 { return bits64(f64(x) / f64(y)) }
	ops3["fma.f64"] = func(x, y, z uint64) uint64 { return bits64(math.FMA(f64(x), f64(y), f64(z))) }
	ops1["rcp.f64"] = func(x uint64) uint64 { return bits64(1 / f64(x)) }
	ops1["sqrt.f64"] = func(x uint64) uint64 { return bits64(math.Sqrt(f64(x))) }
	ops1["abs.f64"] = func(x uint64) uint64 { return x &^ (1 << 63) }
	ops1["neg.f64"] = func(x uint64) uint64 { return x ^ 1<<63 }
	ops2["min.f64"] = func(x, y uint64) uint64 { return bits64(minimum(f64(x), f64(y))) }
	ops2["max.f64"] = func(x, y uint64) uint64 { return bits64(maximum(f64(x), f64(y))) }
	ops2["copysign.f64"] = func(x, y uint64) uint64 { return x&(1<<63) | y&^(1<<63) }
}

// addHalves adds arithmetic on halves and pairs of halves. Sums and products of two halves are exact in double
// precision.
func addHalves() {
	two := map[string]func(x, y float64) float64{
		"add": func(x, y float64) float64 { return x + y },
		"sub": func(x, y float64) float64 { return x - y },
		"mul": func(x, y float64) float64 { return x * y },
	}
	for name, f := range two {
		one := func(x, y uint64) uint64 { return toHalf(f(half16(x&0xffff), half16(y&0xffff))) }
		ops2[name+".f16"] = one
		ops2[name+".f16x2"] = func(x, y uint64) uint64 { return one(x, y) | one(x>>16, y>>16)<<16 }
	}
	fma := func(x, y, z uint64) uint64 {
		p := half16(x&0xffff) * half16(y&0xffff)
		return toHalf(sumToOdd(p, half16(z&0xffff)))
	}
	ops3["fma.f16"] = fma
	ops3["fma.f16x2"] = func(x, y, z uint64) uint64 { return fma(x, y, z) | fma(x>>16, y>>16, z>>16)<<16 }
	ops1["neg.f16"] = func(x uint64) uint64 { return (x ^ 0x8000) & 0xffff }
	ops1["neg.f16x2"] = func(x uint64) uint64 { return (x ^ 0x80008000) & 0xffffffff }
	ops1["abs.f16"] = func(x uint64) uint64 { return x & 0x7fff }
	ops1["abs.f16x2"] = func(x uint64) uint64 { return x & 0x7fff7fff }
}
