// Package quantity formats numbers with their units as people read them.
package quantity

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ZeroCelsius is 0 °C.
const ZeroCelsius = 273.15 // K

// Digits formats temperatures of one run alike: the smaller the span, the more decimals.
type Digits int

// DigitsFor chooses the decimals for temperatures that span so many K.
func DigitsFor(spanK float64) Digits {
	switch {
	case !(spanK < 2): // also NaN
		return 2
	case spanK >= 0.1:
		return 3
	}
	return 4
}

// Kelvin formats a difference of temperatures.
func (d Digits) Kelvin(v float64) string { return Fixed(v, int(d)) }

// Celsius formats a temperature in K as one in °C.
func (d Digits) Celsius(k float64) string { return Fixed(k-ZeroCelsius, int(d)) }

// Fixed gives a number of decimals, a dash where there is no finite number.
func Fixed(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" { // no "-0.00"
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Millimetres with a micrometre's resolution.
func Millimetres(m float64) string { return Fixed(m*1e3, 3) }

// Significant gives about n significant digits without an exponent in the range people read easily.
func Significant(v float64, n int) string {
	a := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case a < 1e-3 || a >= 1e7:
		return strconv.FormatFloat(v, 'e', n-1, 64)
	}
	return Fixed(v, max(0, n-1-int(math.Floor(math.Log10(a)))))
}

// WattDecimals: the watts of a list share their decimals, so that they line up: four significant digits of the largest.
func WattDecimals(largest float64) int {
	a := math.Abs(largest)
	if a == 0 || math.IsNaN(a) || math.IsInf(a, 0) {
		return 3
	}
	return min(9, max(2, 3-int(math.Floor(math.Log10(a)))))
}

// Seconds at a readable scale.
func Seconds(s float64) string {
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
		return Significant(s*1e6, 3) + " us"
	}
	return "0 s"
}

// Bytes in powers of 1024.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, u := float64(n), 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%s %s", Significant(v, 3), units[u])
}

// Count groups thousands: 2,621,440.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Length in the unit people use for it.
func Length(m float64) string {
	switch a := math.Abs(m); {
	case a >= 1e-3:
		return Trimmed(m*1e3) + " mm"
	case a >= 1e-6:
		return Trimmed(m*1e6) + " µm"
	}
	return Trimmed(m*1e9) + " nm"
}

// Trimmed gives up to five significant digits.
func Trimmed(v float64) string { return fmt.Sprintf("%.5g", v) }

// Known is a number of four digits, a dash where it is not known.
func Known(v, scale float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.4g", v*scale)
}

// Finite says whether a number is neither NaN nor infinite.
func Finite(v float64) bool { return v-v == 0 }

// Shorten cuts s to n characters and marks the cut.
func Shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	if n <= 2 {
		return string(r[:n])
	}
	return string(r[:n-2]) + ".."
}

// Dash is a dash in place of an empty text.
func Dash(s string) string { return cmp.Or(strings.TrimSpace(s), "-") }

// Relative gives the order of magnitude of a number.
func Relative(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", math.Abs(v))
}
