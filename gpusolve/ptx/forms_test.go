package ptx_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// The expected values are computed another way than the interpreter does: integers with big.Int, floats with big.Float and one rounding at the end.

func allForms() []form {
	var f []form
	f = append(f, integerForms()...)
	f = append(f, bitForms()...)
	f = append(f, floatForms()...)
	f = append(f, halfForms()...)
	f = append(f, conversionForms()...)
	return append(f, comparisonForms()...)
}

// signed reads n bits as an integer of the type.
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
			out = append(out, form{op + "." + t, t, []string{t, t}, func(x []uint64) uint64 { return low(f(integer(x[0], t), integer(x[1], t)), n) }, ""})
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
		out = append(out, form{"shr." + t, t, []string{t, "u32"}, func(x []uint64) uint64 { return low(shifted(integer(x[0], t), int(min(x[1], 200))), n) }, ""})
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
			out = append(out, form{"neg." + t, t, []string{t}, func(x []uint64) uint64 { return low(new(big.Int).Neg(integer(x[0], t)), n) }, ""})
			out = append(out, form{"abs." + t, t, []string{t}, func(x []uint64) uint64 { return low(new(big.Int).Abs(integer(x[0], t)), n) }, ""})
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
			form{"popc." + t, "b32", []string{t}, func(x []uint64) uint64 { return uint64(bits.OnesCount64(x[0])) }, ""},
			form{"clz." + t, "b32", []string{t}, func(x []uint64) uint64 { return uint64(bits.LeadingZeros64(x[0]) - 64 + n) }, ""},
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
		form{"shf.r.wrap.b32", "b32", w3, func(x []uint64) uint64 { return join(x[0], x[1]) >> (x[2] % 32) & 0xffffffff }, ""},
		form{"shf.l.clamp.b32", "b32", w3, func(x []uint64) uint64 { return join(x[0], x[1]) << min(x[2], 32) >> 32 }, ""},
		form{"shf.r.clamp.b32", "b32", w3, func(x []uint64) uint64 { return join(x[0], x[1]) >> min(x[2], 32) & 0xffffffff }, ""},
		form{"prmt.b32", "b32", []string{"b32"}, func(x []uint64) uint64 { return uint64(bits.ReverseBytes32(uint32(x[0]))) }, ", 0, 291"},
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

// exactly evaluates with big.Float when all operands and the result are finite and not zero, and with doubles otherwise, which then are exact.
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
		{"add.rn", 2, func(x []*big.Float) *big.Float { return float().Add(x[0], x[1]) }, func(x []float64) float64 { return x[0] + x[1] }},
		{"sub.rn", 2, func(x []*big.Float) *big.Float { return float().Sub(x[0], x[1]) }, func(x []float64) float64 { return x[0] - x[1] }},
		{"mul.rn", 2, func(x []*big.Float) *big.Float { return float().Mul(x[0], x[1]) }, func(x []float64) float64 { return x[0] * x[1] }},
		{"div.rn", 2, func(x []*big.Float) *big.Float { return float().Quo(x[0], x[1]) }, func(x []float64) float64 { return x[0] / x[1] }},
		{"fma.rn", 3, func(x []*big.Float) *big.Float { return float().Add(float().Mul(x[0], x[1]), x[2]) }, func(x []float64) float64 { return math.FMA(x[0], x[1], x[2]) }},
		{"rcp.rn", 1, func(x []*big.Float) *big.Float { return float().Quo(big.NewFloat(1), x[0]) }, func(x []float64) float64 { return 1 / x[0] }},
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

// halves are the finite halves in order, for rounding by search.
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

func conversionForms() []form {
	var out []form
	ints := []string{"u16", "s16", "u32", "s32", "u64", "s64"}
	for _, from := range ints {
		for _, to := range ints {
			if from != to {
				out = append(out, form{fmt.Sprintf("cvt.%s.%s", to, from), to, []string{from}, func(x []uint64) uint64 { return low(integer(x[0], from), bitsOf(to)) }, ""})
			}
		}
		for to, round := range map[string]func(*big.Float, float64) uint64{"f16": roundHalf, "f32": round32, "f64": round64} {
			out = append(out, form{fmt.Sprintf("cvt.rn.%s.%s", to, from), to, []string{from}, func(x []uint64) uint64 {
				v := integer(x[0], from)
				if v.Sign() == 0 {
					return 0
				}
				return round(new(big.Float).SetInt(v), 0)
			}, ""})
		}
	}
	values := map[string]func(x uint64) float64{"f16": halfValue, "f32": func(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) }, "f64": math.Float64frombits}
	integral := map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil}
	same := func(v float64, round func(*big.Float, float64) uint64) uint64 {
		if v == 0 || v != v || math.IsInf(v, 0) {
			return round(nil, v)
		}
		return round(big.NewFloat(v), v)
	}
	for from, value := range values {
		for mode, whole := range integral {
			for _, to := range ints {
				out = append(out, form{fmt.Sprintf("cvt.%s.%s.%s", mode, to, from), to, []string{from}, func(x []uint64) uint64 { return clamped(whole(value(x[0])), to, from) }, ""})
			}
			round := map[string]func(*big.Float, float64) uint64{"f16": roundHalf, "f32": round32, "f64": round64}[from]
			if from != "f16" {
				out = append(out, form{fmt.Sprintf("cvt.%s.%s.%s", mode, from, from), from, []string{from}, func(x []uint64) uint64 { return same(whole(value(x[0])), round) }, ""})
			}
		}
	}
	out = append(out,
		form{"cvt.f32.f16", "f32", []string{"f16"}, func(x []uint64) uint64 { return same(halfValue(x[0]), round32) }, ""},
		form{"cvt.f64.f16", "f64", []string{"f16"}, func(x []uint64) uint64 { return same(halfValue(x[0]), round64) }, ""},
		form{"cvt.f64.f32", "f64", []string{"f32"}, func(x []uint64) uint64 { return same(values["f32"](x[0]), round64) }, ""},
		form{"cvt.rn.f16.f32", "f16", []string{"f32"}, func(x []uint64) uint64 { return same(values["f32"](x[0]), roundHalf) }, ""},
		form{"cvt.rn.f16.f64", "f16", []string{"f64"}, func(x []uint64) uint64 {
			if isNaN64(x[0]) {
				return x[0]>>48&0x8000 | 0x7e00 | x[0]>>42&0x1ff
			}
			return same(values["f64"](x[0]), roundHalf)
		}, ""})
	for mode, m := range map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf} {
		out = append(out, form{"cvt." + mode + ".f32.f64", "f32", []string{"f64"}, func(x []uint64) uint64 { return narrowed(x[0], m) }, ""})
	}
	return out
}

// clamped converts an integral double to an integer type. What becomes of NaN was seen on an H200.
func clamped(v float64, typ, from string) uint64 {
	n := bitsOf(typ)
	if v != v && (n == 64 || from == "f64") {
		return 1 << (n - 1)
	} else if v != v {
		return 0
	}
	least, most := new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n)), big.NewInt(1))
	if typ[0] == 's' {
		most.Rsh(most, 1)
		least.Sub(big.NewInt(-1), most)
	}
	if math.IsInf(v, 0) {
		v = math.Copysign(1e300, v)
	}
	i, _ := big.NewFloat(v).Int(nil)
	switch {
	case i.Cmp(least) < 0:
		i = least
	case i.Cmp(most) > 0:
		i = most
	}
	return low(i, n)
}

// narrowed rounds to single in a direction, by search among the neighbours of the nearest one.
// NaN keeps its sign and leading bits, as seen on an H200.
func narrowed(x uint64, m big.RoundingMode) uint64 {
	v := math.Float64frombits(x)
	if v != v {
		return x>>32&0x80000000 | 0x7fc00000 | x>>29&0x3fffff
	}
	f := float32(v)
	if math.IsInf(v, 0) || float64(f) == v || m == big.ToNearestEven {
		return uint64(math.Float32bits(f))
	}
	down, up := f, f
	if float64(f) > v {
		down = math.Nextafter32(f, float32(math.Inf(-1)))
	} else {
		up = math.Nextafter32(f, float32(math.Inf(1)))
	}
	if m == big.ToPositiveInf || m == big.ToZero && v < 0 {
		return uint64(math.Float32bits(up))
	}
	return uint64(math.Float32bits(down))
}

func comparisonForms() []form {
	var out []form
	truth := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	for _, t := range []string{"b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f16", "f32", "f64"} {
		value := map[string]func(x uint64) float64{"f16": halfValue, "f32": func(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) }, "f64": math.Float64frombits}[t]
		order := func(x []uint64) (c int, nan bool) {
			if value == nil {
				return integer(x[0], t).Cmp(integer(x[1], t)), false
			}
			a, b := value(x[0]), value(x[1])
			switch {
			case a < b:
				c = -1
			case a > b:
				c = 1
			}
			return c, a != a || b != b
		}
		tests := map[string]func(c int) bool{"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 }}
		if t[0] != 'b' {
			tests["lt"] = func(c int) bool { return c < 0 }
			tests["le"] = func(c int) bool { return c <= 0 }
			tests["gt"] = func(c int) bool { return c > 0 }
			tests["ge"] = func(c int) bool { return c >= 0 }
		}
		if t[0] == 'u' {
			tests["lo"], tests["ls"], tests["hi"], tests["hs"] = tests["lt"], tests["le"], tests["gt"], tests["ge"]
		}
		for op, test := range tests {
			plain := func(x []uint64) bool { c, nan := order(x); return !nan && test(c) }
			out = append(out, form{"setp." + op + "." + t, "pred", []string{t, t}, func(x []uint64) uint64 { return truth(plain(x)) }, ""})
			if value != nil {
				out = append(out, form{"setp." + op + "u." + t, "pred", []string{t, t}, func(x []uint64) uint64 { c, nan := order(x); return truth(nan || test(c)) }, ""})
			}
			if op == "ge" || op == "eq" {
				// %p2 is false in thread 0 of the grid and true in the others.
				out = append(out,
					form{"setp." + op + ".and." + t, "pred", []string{t, t}, func(x []uint64) uint64 { return truth(plain(x) && x[2] == 1) }, ", %p2"},
					form{"setp." + op + ".or." + t, "pred", []string{t, t}, func(x []uint64) uint64 { return truth(plain(x) || x[2] == 0) }, ", !%p2"},
					form{"setp." + op + ".xor." + t, "pred", []string{t, t}, func(x []uint64) uint64 { return truth(plain(x) != (x[2] == 1)) }, ", %p2"})
			}
		}
		if value != nil {
			out = append(out,
				form{"setp.num." + t, "pred", []string{t, t}, func(x []uint64) uint64 { _, nan := order(x); return truth(!nan) }, ""},
				form{"setp.nan." + t, "pred", []string{t, t}, func(x []uint64) uint64 { _, nan := order(x); return truth(nan) }, ""})
		}
	}
	return out
}
