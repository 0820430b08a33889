package ptx

import (
	"math"
	"strings"

	"thermsim/gpusolve/ptx/asm"
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

// conversion gives the function from one type to another, or nil when PTX has no such conversion or it is not supported.
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
		return func(x uint64) uint64 { return toInt(roundTo(value(x), mode), toBits, to[0] == 's') }
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
	if to == "f32" && mode != "rn" {
		return func(x uint64) uint64 { return bits32(narrow32(value(x), mode)) }
	}
	return func(x uint64) uint64 { return encode(value(x)) }
}

// fromInteger converts to the nearest float. Halves go through double precision: integers with more than 53 bits are far beyond the largest half,
// so rounding twice does no harm.
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
