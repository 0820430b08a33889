// Package quantity formats numbers with their units.
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

// Digits is the number of decimals of the temperatures of a run: the smaller the span, the more decimals.
type Digits int

// DigitsFor chooses the decimals for temperatures that span spanK.
func DigitsFor(spanK float64) Digits {
	switch {
	case !(spanK < 2): // also NaN
		return 2
	case spanK >= 0.1:
		return 3
	}
	return 4
}

// Kelvin formats a temperature difference.
func (d Digits) Kelvin(v float64) string { return Fixed(v, int(d)) }

// Celsius formats a temperature in K in °C.
func (d Digits) Celsius(k float64) string { return Fixed(k-ZeroCelsius, int(d)) }

// Fixed formats a number of decimals, or a dash if v is not finite.
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

// Millimetres formats a length in mm with three decimals.
func Millimetres(m float64) string { return Fixed(m*1e3, 3) }

// Significant formats about n significant digits, without an exponent from 1e-3 to 1e7.
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

// WattDecimals returns the common decimals for a list of power values: four significant digits of the largest.
func WattDecimals(largest float64) int {
	a := math.Abs(largest)
	if a == 0 || math.IsNaN(a) || math.IsInf(a, 0) {
		return 3
	}
	return min(9, max(2, 3-int(math.Floor(math.Log10(a)))))
}

// Seconds formats a time in s, ms or us.
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

// Bytes formats a size in powers of 1024.
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

// Count groups thousands, as in 2,621,440.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Length formats a length in mm, µm or nm.
func Length(m float64) string {
	switch a := math.Abs(m); {
	case a >= 1e-3:
		return Trimmed(m*1e3) + " mm"
	case a >= 1e-6:
		return Trimmed(m*1e6) + " µm"
	}
	return Trimmed(m*1e9) + " nm"
}

// Trimmed formats up to five significant digits.
func Trimmed(v float64) string { return fmt.Sprintf("%.5g", v) }

// Known formats v*scale with four digits, or a dash if v is NaN.
func Known(v, scale float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.4g", v*scale)
}

// Number has 10 significant digits, for files; one that is not finite is empty.
func Number(v float64) string {
	if !Finite(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}

// Finite reports whether a number is neither NaN nor infinite.
func Finite(v float64) bool { return v-v == 0 }

// Shorten truncates s to n characters and marks the truncation.
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

// Dash replaces an empty text by a dash.
func Dash(s string) string { return cmp.Or(strings.TrimSpace(s), "-") }

// Relative formats the magnitude of a number with two digits.
func Relative(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", math.Abs(v))
}
