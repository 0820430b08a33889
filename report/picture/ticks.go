package picture

import (
	"math"
	"strconv"
)

// niceStep is the smallest round number (1, 2 or 5 times a power of ten) of which span holds at most count.
func niceStep(span float64, count int) float64 {
	raw := span / float64(max(count, 1))
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// ticks are the multiples of a round step within lo..hi, at most about count of them, with labels of equal decimals.
func ticks(lo, hi float64, count int) (at []float64, labels []string) {
	if !(hi > lo) {
		return nil, nil
	}
	step := niceStep(hi-lo, count)
	slack := 1e-9 * (hi - lo)
	first := math.Ceil((lo - slack) / step)
	// Counted in whole numbers: far from zero, first and its successor may be one number.
	for n := range 2*count + 4 {
		v := (first + float64(n)) * step
		if !(v <= hi+slack) {
			break
		}
		at = append(at, v)
		labels = append(labels, label(v, step))
	}
	return at, labels
}

// label formats v with the decimals that multiples of step need.
func label(v, step float64) string {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if v == 0 || math.Abs(v) < step/2 {
		return strconv.FormatFloat(0, 'f', decimals, 64)
	}
	return s
}
