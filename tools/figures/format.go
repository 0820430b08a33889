package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// form formats a number.
func form(v float64, format string) (string, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "", fmt.Errorf("the value is %g", v)
	}
	if format, unit, found := strings.Cut(format, " "); found {
		text, err := form(v, format)
		return text + " " + unit, err
	}
	switch format {
	case "exact":
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case "s":
		return duration(v), nil
	case "ms":
		return duration(v * 1e-3), nil
	case "d":
		return thousands(v), nil
	case "M":
		return significant(v*1e-6, 3) + " M", nil
	case "e":
		return fmt.Sprintf("%.1e", v), nil
	case "%":
		return fmt.Sprintf("%.0f %%", math.Round(100*v)+0), nil // no -0
	}
	if decimals, found := strings.CutPrefix(format, "."); found {
		if n, err := strconv.Atoi(decimals); err == nil && n >= 0 && n < 10 {
			return strconv.FormatFloat(v, 'f', n, 64), nil
		}
	}
	if n, err := strconv.Atoi(format); err == nil && n > 0 && n < 10 {
		return significant(v, n), nil
	}
	return "", fmt.Errorf("%q is not a format", format)
}

// duration formats seconds with three significant digits.
func duration(s float64) string {
	switch size := math.Abs(s); {
	case size >= 0.9995 || s == 0:
		return significant(s, 3) + " s"
	case size >= 0.9995e-3:
		return significant(s*1e3, 3) + " ms"
	}
	return significant(s*1e6, 3) + " us"
}

// significant formats a number with significant digits, without an exponent.
func significant(v float64, figures int) string {
	if v == 0 {
		return "0"
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', figures-1, 64), 64)
	if err != nil {
		return fmt.Sprint(v)
	}
	decimals := figures - 1 - int(math.Floor(math.Log10(math.Abs(rounded))))
	return strconv.FormatFloat(rounded, 'f', max(0, decimals), 64)
}

// thousands formats an integer with commas.
func thousands(v float64) string {
	digits := strconv.FormatFloat(math.Abs(math.Round(v)), 'f', 0, 64)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if v <= -0.5 {
		return "-" + digits
	}
	return digits
}
