package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const zeroCelsius = 273.15 // K

// digits formats temperatures of one run alike: the smaller the span, the more decimals.
type digits int

func digitsFor(spanK float64) digits {
	switch {
	case !(spanK < 2): // also NaN
		return 2
	case spanK >= 0.1:
		return 3
	}
	return 4
}

func (d digits) kelvin(v float64) string { return fixed(v, int(d)) }

func (d digits) celsius(k float64) string { return fixed(k-zeroCelsius, int(d)) }

func fixed(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" { // no "-0.00"
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// millimetres with a micrometre's resolution.
func millimetres(m float64) string { return fixed(m*1e3, 3) }

// significant gives about n significant digits without an exponent in the range people read easily.
func significant(v float64, n int) string {
	a := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case a < 1e-3 || a >= 1e7:
		return strconv.FormatFloat(v, 'e', n-1, 64)
	}
	return fixed(v, max(0, n-1-int(math.Floor(math.Log10(a)))))
}

// watts of a list share their decimals, so that they line up: four significant digits of the largest.
func wattDecimals(largest float64) int {
	a := math.Abs(largest)
	if a == 0 || math.IsNaN(a) || math.IsInf(a, 0) {
		return 3
	}
	return min(9, max(2, 3-int(math.Floor(math.Log10(a)))))
}

// seconds at a readable scale.
func seconds(s float64) string {
	switch {
	case math.IsNaN(s) || math.IsInf(s, 0):
		return "-"
	case s >= 1e6:
		return fmt.Sprintf("%.3g s", s)
	case s >= 100:
		return fmt.Sprintf("%.0f s", s)
	case s >= 1:
		return fmt.Sprintf("%.2f s", s)
	case s >= 0.1:
		return fmt.Sprintf("%.0f ms", s*1e3)
	case s >= 1e-3:
		return fmt.Sprintf("%.1f ms", s*1e3)
	case s > 0:
		return significant(s*1e6, 3) + " us"
	}
	return "0 s"
}

// byteCount in powers of 1024.
func byteCount(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, u := float64(n), 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%s %s", significant(v, 3), units[u])
}

// cellCount groups thousands: 2,621,440.
func cellCount(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
