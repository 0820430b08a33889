package interpreter

import (
	"math"
	"strings"

	"thermsim/gpusolve/testing/interpreter/asm"
)

// compileConvert handles cvt[.rounding].to.from.
func compileConvert(c *compiler, out *instr, mods string) error {
	parts := strings.Split(mods, ".")
	mode := ""
	if len(parts) == 3 {
		mode = parts[0]
		parts = parts[1:]
	}
	if len(parts) != 2 {
		return c.unknown()
	}
	if err := c.args(2); err != nil {
		return err
	}
	d, width, err := c.destination(c.in.Args[0])
	if err != nil {
		return err
	}
	s, err := c.source(c.in.Args[1])
	if err != nil {
		return err
	}
	f := conversion(parts[0], parts[1], mode)
	if f == nil {
		return c.unknown()
	}
	// A result narrower than its register is extended by its sign.
	if size := int(asm.TypeSize(parts[0])) * 8; size < width && parts[0][0] == 's' {
		narrow := f
		f = func(x uint64) uint64 { return extend(extend(narrow(x), size, true), width, false) }
	}
	out.step = apply1(d, s, f)
	return nil
}

// conversion gives the function from one type to another, or nil when PTX has no such conversion or it is not
// supported.
func conversion(to, from, mode string) func(x uint64) uint64 {
	toBits, fromBits := int(asm.TypeSize(to))*8, int(asm.TypeSize(from))*8
	if toBits == 0 || fromBits == 0 || to[0] == 'b' || from[0] == 'b' || to == "f16x2" || from == "f16x2" {
		return nil
	}
	toFloat, fromFloat := to[0] == 'f', from[0] == 'f'
	integral := mode == "rni" || mode == "rzi" || mode == "rmi" || mode == "rpi"
	narrowing := mode == "rn" || mode == "rz" || mode == "rm" || mode == "rp"
	value := f64
	switch from {
	case "f32":
		value = func(x uint64) float64 { return float64(f32(x)) }
	case "f16":
		value = func(x uint64) float64 { return half16(x & 0xffff) }
	}
	encode := func(v float64) uint64 { return bits64(v) }
	switch to {
	case "f32":
		encode = func(v float64) uint64 { return bits32(float32(v)) }
	case "f16":
		encode = toHalf
	}
	switch {
	case !toFloat && !fromFloat:
		if mode != "" {
			return nil
		}
		signed := from[0] == 's'
		if !signed || toBits <= fromBits {
			cut := ^uint64(0) >> (64 - min(toBits, fromBits))
			return func(x uint64) uint64 { return x & cut }
		}
		return func(x uint64) uint64 { return extend(extend(x, fromBits, signed), toBits, false) }
	case toFloat && !fromFloat:
		if mode != "rn" {
			return nil
		}
		return fromInteger(to, fromBits, from[0] == 's')
	case !toFloat && fromFloat:
		if !integral {
			return nil
		}
		signed, invalid := to[0] == 's', nanAsInteger(toBits, fromBits)
		return func(x uint64) uint64 {
			v := value(x)
			if v != v {
				return invalid
			}
			return toInt(roundTo(v, mode), toBits, signed)
		}
	case to == from:
		if !integral {
			return nil
		}
		return func(x uint64) uint64 { return encode(roundTo(value(x), mode)) }
	case toBits > fromBits:
		if mode != "" {
			return nil
		}
		return func(x uint64) uint64 { return encode(value(x)) }
	}
	if !narrowing || to == "f16" && mode != "rn" {
		return nil
	}
	if from == "f64" {
		return func(x uint64) uint64 {
			switch {
			case isNaN64(x):
				return narrowNaN(x, to)
			case to == "f32":
				return bits32(narrow32(f64(x), mode))
			}
			return toHalf(f64(x))
		}
	}
	return func(x uint64) uint64 { return encode(value(x)) }
}

func isNaN64(x uint64) bool { return x&^(1<<63) > 0x7ff0000000000000 }

// narrowNaN makes a quiet NaN with the sign and the leading bits of a double's, as GPUs do. Other operations give one
// and the same NaN.
func narrowNaN(x uint64, to string) uint64 {
	if to == "f16" {
		return x>>63<<15 | 0x7e00 | x>>42&0x1ff
	}
	return x>>63<<31 | 0x7fc00000 | x>>29&0x3fffff
}

// nanAsInteger is what NaN becomes: zero by the manual, but GPUs give the top bit alone where a double or a 64-bit
// integer takes part.
func nanAsInteger(toBits, fromBits int) uint64 {
	if toBits == 64 || fromBits == 64 {
		return 1 << (toBits - 1)
	}
	return 0
}

// fromInteger converts to the nearest float. Halves go through double precision: integers with more than 53 bits are
// far beyond the largest half, so rounding twice changes nothing.
func fromInteger(to string, bits int, signed bool) func(x uint64) uint64 {
	switch {
	case to == "f32" && signed:
		return func(x uint64) uint64 { return uint64(math.Float32bits(float32(int64(extend(x, bits, true))))) }
	case to == "f32":
		return func(x uint64) uint64 { return uint64(math.Float32bits(float32(extend(x, bits, false)))) }
	case to == "f64" && signed:
		return func(x uint64) uint64 { return math.Float64bits(float64(int64(extend(x, bits, true)))) }
	case to == "f64":
		return func(x uint64) uint64 { return math.Float64bits(float64(extend(x, bits, false))) }
	case signed:
		return func(x uint64) uint64 { return toHalf(float64(int64(extend(x, bits, true)))) }
	}
	return func(x uint64) uint64 { return toHalf(float64(extend(x, bits, false))) }
}
