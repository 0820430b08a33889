package interpreter_test

import (
	"math"
	"math/big"
	"math/bits"
)

// The expected values are computed another way than the interpreter does: integers with big.Int, floats with big.Float
// and one rounding at the end.

func allForms() []form {
	var f []form
	f = append(f, integerForms()...)
	f = append(f, bitForms()...)
	f = append(f, floatForms()...)
	f = append(f, halfForms()...)
	f = append(f, conversionForms()...)
	return append(f, comparisonForms()...)
}

// integer reads n bits as an integer of the type.
func integer(x uint64, typ string) *big.Int {
	n := bitsOf(typ)
	v := new(big.Int).SetUint64(x & (1<<n - 1))
	if typ[0] == 's' && x>>(n-1)&1 == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return v
}

// low gives the lowest n bits of an integer, in two's complement.
func low(v *big.Int, n int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return new(big.Int).Mod(v, m).Uint64()
}

func integerForms() []form {
	var out []form
	for _, t := range []string{"u16", "s16", "u32", "s32", "u64", "s64"} {
		n := bitsOf(t)
		two := func(op string, f func(x, y *big.Int) *big.Int) {
			out = append(out, form{op + "." + t, t, []string{t, t}, func(x []uint64) uint64 {
				return low(f(integer(x[0], t), integer(x[1], t)), n)
			}, ""})
		}
		shifted := func(v *big.Int, by int) *big.Int { return new(big.Int).Rsh(v, uint(by)) }
		two("add", func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) })
		two("sub", func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) })
		two("mul.lo", func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) })
		two("mul.hi", func(x, y *big.Int) *big.Int { return shifted(new(big.Int).Mul(x, y), n) })
		two("div", func(x, y *big.Int) *big.Int { return new(big.Int).Quo(x, y) })
		two("rem", func(x, y *big.Int) *big.Int { return new(big.Int).Rem(x, y) })
		two("min", func(x, y *big.Int) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return y
		})
		two("max", func(x, y *big.Int) *big.Int {
			if x.Cmp(y) > 0 {
				return x
			}
			return y
		})
		out = append(out, form{"mad.lo." + t, t, []string{t, t, t}, func(x []uint64) uint64 {
			v := new(big.Int).Mul(integer(x[0], t), integer(x[1], t))
			return low(v.Add(v, integer(x[2], t)), n)
		}, ""})
		out = append(out, form{"shr." + t, t, []string{t, "u32"}, func(x []uint64) uint64 {
			return low(shifted(integer(x[0], t), int(min(x[1], 200))), n)
		}, ""})
		if n < 64 {
			wide := map[string]string{"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}[t]
			out = append(out, form{"mul.wide." + t, wide, []string{t, t}, func(x []uint64) uint64 {
				return low(new(big.Int).Mul(integer(x[0], t), integer(x[1], t)), 2*n)
			}, ""})
			out = append(out, form{"mad.wide." + t, wide, []string{t, t, wide}, func(x []uint64) uint64 {
				v := new(big.Int).Mul(integer(x[0], t), integer(x[1], t))
				return low(v.Add(v, integer(x[2], wide)), 2*n)
			}, ""})
		}
		if t[0] == 's' {
			out = append(out, form{"neg." + t, t, []string{t}, func(x []uint64) uint64 {
				return low(new(big.Int).Neg(integer(x[0], t)), n)
			}, ""})
			out = append(out, form{"abs." + t, t, []string{t}, func(x []uint64) uint64 {
				return low(new(big.Int).Abs(integer(x[0], t)), n)
			}, ""})
		}
	}
	return out
}

func bitForms() []form {
	var out []form
	for _, t := range []string{"b16", "b32", "b64"} {
		n := bitsOf(t)
		cut := func(x uint64) uint64 { return x & (1<<n - 1) }
		out = append(out,
			form{"and." + t, t, []string{t, t}, func(x []uint64) uint64 { return x[0] & x[1] }, ""},
			form{"or." + t, t, []string{t, t}, func(x []uint64) uint64 { return x[0] | x[1] }, ""},
			form{"xor." + t, t, []string{t, t}, func(x []uint64) uint64 { return x[0] ^ x[1] }, ""},
			form{"not." + t, t, []string{t}, func(x []uint64) uint64 { return cut(^x[0]) }, ""},
			form{"shl." + t, t, []string{t, "u32"}, func(x []uint64) uint64 { return cut(x[0] << x[1]) }, ""},
			form{"shr." + t, t, []string{t, "u32"}, func(x []uint64) uint64 { return x[0] >> x[1] }, ""})
	}
	for _, t := range []string{"b32", "b64"} {
		n := bitsOf(t)
		out = append(out,
			form{"popc." + t, "b32", []string{t}, func(x []uint64) uint64 {
				return uint64(bits.OnesCount64(x[0]))
			}, ""},
			form{"clz." + t, "b32", []string{t}, func(x []uint64) uint64 {
				return uint64(bits.LeadingZeros64(x[0]) - 64 + n)
			}, ""},
			form{"brev." + t, t, []string{t}, func(x []uint64) uint64 { return bits.Reverse64(x[0]) >> (64 - n) }, ""})
	}
	for _, t := range []string{"u32", "s32", "u64", "s64"} {
		out = append(out, form{"bfe." + t, t, []string{t}, func(x []uint64) uint64 { // bits 5 to 15, as two shifts
			v := x[0] >> 5 & 0x7ff
			if t[0] == 's' {
				return uint64(int64(v<<53)>>53) & (1<<bitsOf(t) - 1)
			}
			return v
		}, ", 5, 11"})
	}
	join := func(lo, hi uint64) uint64 { return hi<<32 | lo }
	w3 := []string{"b32", "b32", "b32"}
	return append(out,
		form{"shf.l.wrap.b32", "b32", w3, func(x []uint64) uint64 { return join(x[0], x[1]) << (x[2] % 32) >> 32 }, ""},
		form{"shf.r.wrap.b32", "b32", w3, func(x []uint64) uint64 {
			return join(x[0], x[1]) >> (x[2] % 32) & 0xffffffff
		}, ""},
		form{"shf.l.clamp.b32", "b32", w3, func(x []uint64) uint64 {
			return join(x[0], x[1]) << min(x[2], 32) >> 32
		}, ""},
		form{"shf.r.clamp.b32", "b32", w3, func(x []uint64) uint64 {
			return join(x[0], x[1]) >> min(x[2], 32) & 0xffffffff
		}, ""},
		form{"prmt.b32", "b32", []string{"b32"}, func(x []uint64) uint64 {
			return uint64(bits.ReverseBytes32(uint32(x[0])))
		}, ", 0, 291"},
		form{"prmt.b32", "b32", []string{"b32", "b32"}, func(x []uint64) uint64 { // bytes 0, 7, sign of 3, 5
			sign := uint64(0)
			if x[0]>>31 == 1 {
				sign = 0xff
			}
			return x[0]&0xff | x[1]>>24<<8 | sign<<16 | x[1]>>8&0xff<<24
		}, ", 23408"}, // 0x5b70
		form{"lop3.b32", "b32", w3, func(x []uint64) uint64 { return x[0]&x[1] ^ x[2] }, ", 106"}, // 0xf0 & 0xcc ^ 0xaa
		form{"slct.b32.s32", "b32", []string{"b32", "b32", "s32"}, func(x []uint64) uint64 { return x[x[2]>>31] }, ""},
		form{"mov.b32", "b32", []string{"b32"}, func(x []uint64) uint64 { return x[0] }, ""},
	)
}

// exactly evaluates with big.Float when all operands and the result are finite and not zero, and with doubles
// otherwise, which then are exact.
func exactly(f func(x []*big.Float) *big.Float, plain func(x []float64) float64, x ...float64) (*big.Float, float64) {
	v := plain(x)
	b := make([]*big.Float, len(x))
	for i, e := range x {
		if math.IsInf(e, 0) || e != e {
			return nil, v
		}
		b[i] = new(big.Float).SetPrec(2400).SetFloat64(e)
	}
	for _, e := range x {
		if e == 0 && len(x) < 3 {
			return nil, v
		}
	}
	r := f(b)
	if r.Sign() == 0 {
		return nil, v
	}
	return r, v
}

func round32(r *big.Float, v float64) uint64 {
	if r != nil {
		f, _ := r.Float32()
		return uint64(math.Float32bits(f))
	}
	if v != v {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(float32(v)))
}

func round64(r *big.Float, v float64) uint64 {
	if r != nil {
		f, _ := r.Float64()
		return math.Float64bits(f)
	}
	if v != v {
		return 0x7ff8000000000000
	}
	return math.Float64bits(v)
}

type arithmetic struct {
	name  string
	n     int
	exact func(x []*big.Float) *big.Float
	plain func(x []float64) float64
}

func arithmetics() []arithmetic {
	float := func() *big.Float { return new(big.Float).SetPrec(2400) }
	return []arithmetic{
		{"add.rn", 2, func(x []*big.Float) *big.Float { return float().Add(x[0], x[1]) }, func(x []float64) float64 {
			return x[0] + x[1]
		}},
		{"sub.rn", 2, func(x []*big.Float) *big.Float { return float().Sub(x[0], x[1]) }, func(x []float64) float64 {
			return x[0] - x[1]
		}},
		{"mul.rn", 2, func(x []*big.Float) *big.Float { return float().Mul(x[0], x[1]) }, func(x []float64) float64 {
			return x[0] * x[1]
		}},
		{"div.rn", 2, func(x []*big.Float) *big.Float { return float().Quo(x[0], x[1]) }, func(x []float64) float64 {
			return x[0] / x[1]
		}},
		{"fma.rn", 3, func(x []*big.Float) *big.Float {
			return float().Add(float().Mul(x[0], x[1]), x[2])
		}, func(x []float64) float64 { return math.FMA(x[0], x[1], x[2]) }},
		{"rcp.rn", 1, func(x []*big.Float) *big.Float {
			return float().Quo(big.NewFloat(1), x[0])
		}, func(x []float64) float64 { return 1 / x[0] }},
		{"sqrt.rn", 1, func(x []*big.Float) *big.Float {
			if x[0].Sign() < 0 {
				return float()
			}
			return float().Sqrt(x[0])
		}, func(x []float64) float64 { return math.Sqrt(x[0]) }},
	}
}

func floatForms() []form {
	var out []form
	for _, a := range arithmetics() {
		single, double := make([]string, a.n), make([]string, a.n)
		for i := range a.n {
			single[i], double[i] = "f32", "f64"
		}
		out = append(out,
			form{a.name + ".f32", "f32", single, func(x []uint64) uint64 {
				v := make([]float64, a.n)
				for i := range v {
					v[i] = float64(math.Float32frombits(uint32(x[i])))
				}
				return round32(exactly(a.exact, a.plain, v...))
			}, ""},
			form{a.name + ".f64", "f64", double, func(x []uint64) uint64 {
				v := make([]float64, a.n)
				for i := range v {
					v[i] = math.Float64frombits(x[i])
				}
				return round64(exactly(a.exact, a.plain, v...))
			}, ""})
	}
	for _, t := range []string{"f32", "f64"} {
		n := bitsOf(t)
		sign := uint64(1) << (n - 1)
		value := func(x uint64) float64 {
			if n == 32 {
				return float64(math.Float32frombits(uint32(x)))
			}
			return math.Float64frombits(x)
		}
		nan := uint64(0x7fffffff)
		if n == 64 {
			nan = 0x7ff8000000000000
		}
		quiet := func(x uint64) uint64 { // singles lose a NaN's payload, doubles keep it
			if n == 32 && value(x) != value(x) {
				return nan
			}
			return x
		}
		pick := func(sense bool) func(x []uint64) uint64 {
			return func(x []uint64) uint64 {
				a, b := value(x[0]), value(x[1])
				switch {
				case a != a && b != b:
					return nan
				case a != a:
					return x[1]
				case b != b:
					return x[0]
				case a == 0 && b == 0:
					if sense == (x[0] < x[1]) { // as integers, +0 comes before -0
						return max(x[0], x[1])
					}
					if sense {
						return max(x[0], x[1])
					}
					return min(x[0], x[1])
				case (a < b) == sense:
					return x[0]
				}
				return x[1]
			}
		}
		out = append(out,
			form{"min." + t, t, []string{t, t}, pick(true), ""},
			form{"max." + t, t, []string{t, t}, pick(false), ""},
			form{"neg." + t, t, []string{t}, func(x []uint64) uint64 { return quiet(x[0] ^ sign) }, ""},
			form{"abs." + t, t, []string{t}, func(x []uint64) uint64 { return quiet(x[0] &^ sign) }, ""},
			form{"copysign." + t, t, []string{t, t}, func(x []uint64) uint64 { return x[0]&sign | x[1]&^sign }, ""})
	}
	return out
}

// halfValue decodes a half.
func halfValue(h uint64) float64 {
	sign, exp, frac := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	switch {
	case exp == 31 && frac != 0:
		return math.NaN()
	case exp == 31:
		return sign * math.Inf(1)
	case exp == 0:
		return sign * frac * 0x1p-24
	}
	return sign * (1 + frac/1024) * math.Pow(2, float64(exp-15))
}

// nearestHalf rounds a number by bisection over the halves' bit patterns, which are in order of value.
func nearestHalf(r *big.Float) uint64 {
	sign := uint64(0)
	if r.Signbit() {
		sign = 0x8000
	}
	a := new(big.Float).Abs(r)
	lo, hi := uint64(0), uint64(0x7c00) // the half at hi is greater, 2^16 at the end
	at := func(h uint64) *big.Float {
		if h == 0x7c00 {
			return big.NewFloat(65536)
		}
		return big.NewFloat(halfValue(h))
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; at(mid).Cmp(a) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	if a.Cmp(at(hi)) >= 0 {
		return sign | 0x7c00
	}
	below := new(big.Float).SetPrec(2400).Sub(a, at(lo))
	above := new(big.Float).SetPrec(2400).Sub(at(hi), a)
	if c := below.Cmp(above); c > 0 || c == 0 && lo&1 == 1 {
		return sign | hi
	}
	return sign | lo
}

func roundHalf(r *big.Float, v float64) uint64 {
	switch {
	case r != nil:
		return nearestHalf(r)
	case v != v:
		return 0x7fff
	case math.IsInf(v, 0) || v == 0:
		h := math.Float64bits(v) >> 63 << 15
		if v != 0 {
			h |= 0x7c00
		}
		return h
	}
	return nearestHalf(big.NewFloat(v))
}

func halfForms() []form {
	var out []form
	for _, a := range arithmetics() {
		if a.name == "div.rn" || a.name == "rcp.rn" || a.name == "sqrt.rn" {
			continue
		}
		one := func(x []uint64, shift int) uint64 {
			v := make([]float64, a.n)
			for i := range v {
				v[i] = halfValue(x[i] >> shift & 0xffff)
			}
			return roundHalf(exactly(a.exact, a.plain, v...))
		}
		single, double := make([]string, a.n), make([]string, a.n)
		for i := range a.n {
			single[i], double[i] = "f16", "f16x2"
		}
		out = append(out, form{a.name + ".f16", "f16", single, func(x []uint64) uint64 { return one(x, 0) }, ""},
			form{a.name + ".f16x2", "f16x2", double, func(x []uint64) uint64 { return one(x, 0) | one(x, 16)<<16 }, ""})
	}
	return out
}
