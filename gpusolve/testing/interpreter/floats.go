package interpreter

import (
	"encoding/binary"
	"math"
)

var le = binary.LittleEndian

// The NaN that results of arithmetic have, whatever the host's processor makes of it.
const (
	nan16 = 0x7fff
	nan32 = 0x7fffffff
	nan64 = 0x7ff8000000000000
)

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }

func f64(x uint64) float64 { return math.Float64frombits(x) }

func bits32(v float32) uint64 {
	if v != v {
		return nan32
	}
	return uint64(math.Float32bits(v))
}

func bits64(v float64) uint64 {
	if v != v {
		return nan64
	}
	return math.Float64bits(v)
}

// sumToOdd returns x + y rounded to odd: the exact sum if it has 53 bits, else the neighbour with an odd last bit.
// Rounding the result again to a format with at most 51 bits gives the exact sum rounded once (Boldo and Melquiond,
// IEEE Transactions on Computers 57, 2008).
func sumToOdd(x, y float64) float64 {
	s := x + y
	if math.IsInf(s, 0) || s != s {
		return s
	}
	// Knuth's two-sum; the conversions keep the compiler from fusing operations.
	b := float64(s - x)
	e := float64(x-float64(s-b)) + float64(y-b)
	if e == 0 {
		return s
	}
	n := math.Float64bits(s)
	if n&1 == 0 {
		if (e > 0) == (s > 0) {
			n++
		} else {
			n--
		}
	}
	return math.Float64frombits(n)
}

// fma32 is a*b+c rounded once to single precision. The product of two singles is exact in double precision; rounding
// the sum to double and then to single can only go wrong when the double lies half-way between two singles, or among
// the subnormals.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := float64(p) + float64(c)
	if math.Float64bits(s)&0x1fffffff != 0x10000000 && math.Abs(s) >= 0x1p-125 {
		return float32(s)
	}
	return float32(sumToOdd(p, float64(c)))
}

// half16 converts an IEEE half to double precision, exactly.
func half16(h uint64) float64 {
	exp, frac := int(h>>10&31), float64(h&0x3ff)
	var v float64
	switch exp {
	case 0:
		v = math.Ldexp(frac, -24)
	case 31:
		v = math.Inf(1)
		if frac != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+frac, exp-25)
	}
	if h&0x8000 != 0 {
		v = -v
	}
	return v
}

// toHalf rounds to the nearest half, ties to even.
func toHalf(v float64) uint64 {
	if v != v {
		return nan16
	}
	sign := math.Float64bits(v) >> 63 << 15
	a := math.Abs(v)
	if a >= 65520 { // half-way between the largest half and the next power of two
		return sign | 0x7c00
	}
	if a < 0x1p-14 {
		return sign | uint64(math.RoundToEven(a*0x1p24))
	}
	_, e := math.Frexp(a) // a = m 2^e, 0.5 <= m < 1
	n := uint64(math.RoundToEven(math.Ldexp(a, 11-e)))
	// n lies in [1024, 2048]; 2048 carries into the exponent by itself.
	return sign | (uint64(e+13)<<10 + n)
}

// narrow32 rounds a double to single in a direction: "rn", "rz", "rm" (down), "rp" (up).
func narrow32(v float64, mode string) float32 {
	f := float32(v)
	if mode == "rn" || f != f || float64(f) == v || math.IsInf(v, 0) {
		return f
	}
	up := mode == "rp" || mode == "rz" && v < 0
	if up && float64(f) < v {
		return math.Nextafter32(f, float32(math.Inf(1)))
	}
	if !up && float64(f) > v {
		return math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// roundTo rounds to an integral value: "rni" nearest even, "rzi" towards zero, "rmi" down, "rpi" up.
func roundTo(v float64, mode string) float64 {
	switch mode {
	case "rni":
		return math.RoundToEven(v)
	case "rzi":
		return math.Trunc(v)
	case "rmi":
		return math.Floor(v)
	}
	return math.Ceil(v)
}

// toInt converts an integral double, not NaN, to an integer of that many bits, clamping as PTX does.
func toInt(v float64, bits int, signed bool) uint64 {
	if signed {
		limit := math.Ldexp(1, bits-1)
		switch {
		case v >= limit:
			return 1<<(bits-1) - 1
		case v < -limit:
			return ^uint64(0) << (bits - 1) & (1<<bits - 1)
		}
		return uint64(int64(v)) & (1<<bits - 1)
	}
	switch {
	case v <= 0:
		return 0
	case v >= math.Ldexp(1, bits):
		return 1<<bits - 1
	case v >= 0x1p63:
		return uint64(v-0x1p63) | 1<<63
	}
	return uint64(v)
}

// minimum and maximum treat NaN as missing, and -0 as less than +0.
func minimum(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return math.Min(a, b)
}

func maximum(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return math.Max(a, b)
}
