package fieldfile

import (
	"math"
	"strconv"
)

// Decimals of temperatures in text: a microkelvin, well below any tolerance, so that differences and gradients show no
// steps.
const Decimals = 6

// AppendKelvin writes a temperature with Decimals decimals, as strconv.AppendFloat does and several times faster.
func AppendKelvin(b []byte, v float64) []byte {
	const unit, limit = 1e6, 1e9
	scaled := v * unit
	if !(v > 0 && scaled < limit*unit) {
		return strconv.AppendFloat(b, v, 'f', Decimals, 64)
	}
	n := math.Floor(scaled)
	rest := scaled - n
	if math.Abs(rest-0.5) < 1e-3+scaled*0x1p-51 { // the product is rounded: too close to decide
		return strconv.AppendFloat(b, v, 'f', Decimals, 64)
	}
	whole := uint64(n)
	if rest > 0.5 {
		whole++
	}
	b = strconv.AppendUint(b, whole/unit, 10)
	part := uint32(whole % unit)
	high, low := part/1000, part%1000
	return append(b, '.',
		byte('0'+high/100), byte('0'+high/10%10), byte('0'+high%10),
		byte('0'+low/100), byte('0'+low/10%10), byte('0'+low%10))
}

// Metres is a coordinate with 9 significant digits, enough for 0.01 nm in a millimetre.
func Metres(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }
