package faults

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"thermsim/internal/printable"
	"thermsim/stack/internal/units"
)

// minTime is the shortest accepted time in s: light crosses an atom in it.
const minTime = 1e-18

// Time is the fault of a positive time, empty if it is valid.
func Time(seconds float64) string {
	if seconds > 0 && seconds < minTime {
		return fmt.Sprintf("a time must be at least %g s, got %v s", minTime, seconds)
	}
	return ""
}

// Name says why a name cannot be part of a file name; empty if it can.
func Name(name string) string {
	const longest = 100
	if name == "" {
		return "is empty"
	}
	if fault := Text(name, longest); fault != "" {
		return fault
	}
	switch {
	case name == "all":
		return "is reserved: it means every layer"
	case strings.ContainsAny(name, `/\:*?"<>|`):
		return `contains one of / \ : * ? " < > |`
	case strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.TrimSpace(name) != name:
		return "begins or ends with a dot or a space"
	}
	return ""
}

// Label says why a name cannot be shown in a table; empty if it can.
func Label(name string) string {
	if name == "" {
		return "is empty"
	}
	return Text(name, MostNameBytes)
}

// Lengths of texts in bytes. Names of instances in a design of a billion transistors have some hundreds; titles are
// lines of pictures, which cut them; notes are read as they are.
const (
	MostNameBytes = 1000
	MostNoteBytes = 100_000
	MostPathBytes = 4096 // the limit of Linux
)

// Text says why a text cannot be shown as it is; empty if it can.
func Text(text string, most int) string {
	if len(text) > most {
		return fmt.Sprintf("is longer than %d bytes", most)
	}
	if strings.ContainsFunc(text, printable.Unsafe) {
		return "contains control characters"
	}
	return ""
}

// Metres formats a length with six digits, for messages.
func Metres(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprint(x)
	}
	return units.Length.Format(roundDigits(x))
}

// Outside is the remedy for coordinates outside an area of some extent. Lengths above those of boards are usually
// numbers without a unit.
func Outside(remedy string, extent float64, coordinates ...float64) string {
	const board = 0.5 // m
	if extent <= board && slices.Max(coordinates) > board {
		return `numbers without a unit are in m: write "1 mm"`
	}
	return remedy
}

func roundDigits(x float64) float64 {
	if x == 0 {
		return 0
	}
	digits := 6 - int(math.Ceil(math.Log10(math.Abs(x))))
	if digits < 0 || digits > 300 {
		return x
	}
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}
