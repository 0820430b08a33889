package parac

import "math"

// fixedUnit is the exponent of the units in which the ground of a vertex is summed.
func fixedUnit(diagonal float64, headroom int) int32 {
	return int32(biasedExponent(diagonal)) - 1022 - 63 + int32(headroom)
}

func biasedExponent(x float64) int { return int(math.Float64bits(x) >> 52 & 0x7ff) }

// power is 2^e, for -1022 <= e <= 1023.
func power(e int32) float64 { return math.Float64frombits(uint64(e+1023) << 52) }

func toFixed(x float64, unit int32) int64   { return int64(math.RoundToEven(x * power(-unit))) }
func fromFixed(x int64, unit int32) float64 { return float64(x) * power(unit) }
