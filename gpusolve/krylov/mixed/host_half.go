package mixed

import (
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// roundHalf rounds to the nearest number of IEEE binary16, ties to even; the result is exact in FP32. The processor has
// no arithmetic on halves: what is kept in FP16 on a GPU is kept here as FP32 numbers that are halves.
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

// RoundHalves rounds all of v to halves.
func RoundHalves(v []float32) {
	for i, x := range v {
		v[i] = roundHalf(float64(x))
	}
}

// halves is a vector of halves, kept in an FP32 vector.
type halves struct{ ops.Vector }

// HostValues are those of a vector on the processor, FP64 or FP32. half says that the FP32 ones are halves.
func HostValues(v ops.Vector) (double []float64, single []float32, half bool) {
	if h, ok := v.(*halves); ok {
		return nil, host.Singles(h.Vector), true
	}
	double, single = host.Values(v)
	return double, single, false
}
