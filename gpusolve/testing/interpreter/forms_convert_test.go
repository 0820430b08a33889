package interpreter_test

import (
	"fmt"
	"math"
	"math/big"
)

func conversionForms() []form {
	var out []form
	ints := []string{"u16", "s16", "u32", "s32", "u64", "s64"}
	for _, from := range ints {
		for _, to := range ints {
			if from != to {
				out = append(out, form{fmt.Sprintf("cvt.%s.%s", to, from), to, []string{from}, func(x []uint64) uint64 {
					return low(integer(x[0], from), bitsOf(to))
				}, ""})
			}
		}
		for to, round := range map[string]func(*big.Float, float64) uint64{"f16": roundHalf, "f32": round32,
			"f64": round64} {
			out = append(out, form{fmt.Sprintf("cvt.rn.%s.%s", to, from), to, []string{from}, func(x []uint64) uint64 {
				v := integer(x[0], from)
				if v.Sign() == 0 {
					return 0
				}
				return round(new(big.Float).SetInt(v), 0)
			}, ""})
		}
	}
	values := map[string]func(x uint64) float64{"f16": halfValue, "f32": func(x uint64) float64 {
		return float64(math.Float32frombits(uint32(x)))
	}, "f64": math.Float64frombits}
	integral := map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor,
		"rpi": math.Ceil}
	same := func(v float64, round func(*big.Float, float64) uint64) uint64 {
		if v == 0 || v != v || math.IsInf(v, 0) {
			return round(nil, v)
		}
		return round(big.NewFloat(v), v)
	}
	for from, value := range values {
		for mode, whole := range integral {
			for _, to := range ints {
				out = append(out, form{fmt.Sprintf("cvt.%s.%s.%s", mode, to, from), to, []string{from},
					func(x []uint64) uint64 { return clamped(whole(value(x[0])), to, from) }, ""})
			}
			round := map[string]func(*big.Float, float64) uint64{"f16": roundHalf, "f32": round32, "f64": round64}[from]
			if from != "f16" {
				out = append(out, form{fmt.Sprintf("cvt.%s.%s.%s", mode, from, from), from, []string{from},
					func(x []uint64) uint64 { return same(whole(value(x[0])), round) }, ""})
			}
		}
	}
	out = append(out,
		form{"cvt.f32.f16", "f32", []string{"f16"}, func(x []uint64) uint64 {
			return same(halfValue(x[0]), round32)
		}, ""},
		form{"cvt.f64.f16", "f64", []string{"f16"}, func(x []uint64) uint64 {
			return same(halfValue(x[0]), round64)
		}, ""},
		form{"cvt.f64.f32", "f64", []string{"f32"}, func(x []uint64) uint64 {
			return same(values["f32"](x[0]), round64)
		}, ""},
		form{"cvt.rn.f16.f32", "f16", []string{"f32"}, func(x []uint64) uint64 {
			return same(values["f32"](x[0]), roundHalf)
		}, ""},
		form{"cvt.rn.f16.f64", "f16", []string{"f64"}, func(x []uint64) uint64 {
			if isNaN64(x[0]) {
				return x[0]>>48&0x8000 | 0x7e00 | x[0]>>42&0x1ff
			}
			return same(values["f64"](x[0]), roundHalf)
		}, ""})
	for mode, m := range map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "rm": big.ToNegativeInf,
		"rp": big.ToPositiveInf} {
		out = append(out, form{"cvt." + mode + ".f32.f64", "f32", []string{"f64"}, func(x []uint64) uint64 {
			return narrowed(x[0], m)
		}, ""})
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
		value := map[string]func(x uint64) float64{"f16": halfValue, "f32": func(x uint64) float64 {
			return float64(math.Float32frombits(uint32(x)))
		}, "f64": math.Float64frombits}[t]
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
		tests := map[string]func(c int) bool{"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool {
			return c != 0
		}}
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
			out = append(out, form{"setp." + op + "." + t, "pred", []string{t, t}, func(x []uint64) uint64 {
				return truth(plain(x))
			}, ""})
			if value != nil {
				out = append(out,
					form{"setp." + op + "u." + t, "pred", []string{t, t},
						func(x []uint64) uint64 { c, nan := order(x); return truth(nan || test(c)) }, ""})
			}
			if op == "ge" || op == "eq" {
				// %p2 is false in thread 0 of the grid and true in the others.
				out = append(out,
					form{"setp." + op + ".and." + t, "pred", []string{t, t}, func(x []uint64) uint64 {
						return truth(plain(x) && x[2] == 1)
					}, ", %p2"},
					form{"setp." + op + ".or." + t, "pred", []string{t, t}, func(x []uint64) uint64 {
						return truth(plain(x) || x[2] == 0)
					}, ", !%p2"},
					form{"setp." + op + ".xor." + t, "pred", []string{t, t}, func(x []uint64) uint64 {
						return truth(plain(x) != (x[2] == 1))
					}, ", %p2"})
			}
		}
		if value != nil {
			out = append(out,
				form{"setp.num." + t, "pred", []string{t, t},
					func(x []uint64) uint64 { _, nan := order(x); return truth(!nan) }, ""},
				form{"setp.nan." + t, "pred", []string{t, t},
					func(x []uint64) uint64 { _, nan := order(x); return truth(nan) }, ""})
		}
	}
	return out
}
