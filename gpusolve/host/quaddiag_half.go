package host

import "math"

// roundHalf rounds to the nearest number of IEEE binary16, ties to even; the result is exact in FP32. The processor has no arithmetic on halves:
// what is kept in FP16 on a GPU is kept here as FP32 numbers that are halves.
func roundHalf(v float64) float32 {
	a := math.Abs(v)
	switch {
	case a < 0x1p-14: // subnormal halves are multiples of 2^-24, as are doubles next to 2^28
		return float32(math.Copysign((a+0x1p28)-0x1p28, v))
	case a >= 65520: // half-way between the largest half and the next power of two
		return float32(math.Copysign(math.Inf(1), v))
	case a != a:
		return float32(v)
	}
	const dropped = 52 - 10
	b := math.Float64bits(v)
	b += 1<<(dropped-1) - 1 + b>>dropped&1
	return float32(math.Float64frombits(b &^ (1<<dropped - 1)))
}

func roundHalves(v []float32) {
	for i, x := range v {
		v[i] = roundHalf(float64(x))
	}
}

// vec16 is a vector of halves.
type vec16 struct{ wide *vec32 }

func (v *vec16) Len() int     { return v.wide.n }
func (v *vec16) Bytes() int64 { return v.wide.Bytes() }
