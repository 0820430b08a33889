package eda

import (
	"math"
	"strconv"

	"thermsim/stack"
)

// parseFloat reads a finite decimal number; ".5" and "1." are numbers, "inf", "nan" and hexadecimal ones are not. It
// allocates nothing.
func parseFloat(b []byte) (float64, bool) {
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return v, err == nil
}

// whole is the current word as a whole number. DEF has coordinates of 32 bits.
func (l *lexer) whole(what string) (int64, bool) {
	v, err := strconv.ParseInt(string(l.word), 10, 32)
	if err != nil || l.quoted {
		l.fail("%s must be a whole number within 32 bits, got %s", what, l.shown())
		return 0, false
	}
	return v, true
}

// count reads a whole number that is not negative.
func (l *lexer) count(what string) (int, bool) {
	if !l.need(what) {
		return 0, false
	}
	v, ok := l.whole(what)
	if ok && v < 0 {
		l.fail("%s must not be negative, got %s", what, l.shown())
		return 0, false
	}
	return int(v), ok
}

// maxMicrons is the largest length in a LEF and the largest coordinate in a DEF: a metre.
const maxMicrons = 1e6

// microns reads a length of a LEF.
func (l *lexer) microns(what string) (float64, bool) {
	if !l.need(what) {
		return 0, false
	}
	v, ok := parseFloat(l.word)
	if !ok || l.quoted {
		l.fail("%s must be a number in um, got %s", what, stack.Shorten(l.shown()))
		return 0, false
	}
	if math.Abs(v) > maxMicrons {
		l.fail("%s must not exceed %g um, got %s", what, float64(maxMicrons), l.shown())
		return 0, false
	}
	return v, true
}
