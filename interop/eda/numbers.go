package eda

import (
	"math"
	"strconv"

	"thermsim/stack"
)

// parseFloat reads a finite decimal number; ".5" and "1." are numbers, "inf", "nan" and hexadecimal ones are not.
//
// Up to 15 digits and a power of ten up to 22, both are exact in floating point, and one operation rounds once: W. D.
// Clinger, How to read floating point numbers accurately, PLDI 1990. That serves nearly all numbers of reports, without
// a string made for each.
func parseFloat(b []byte) (float64, bool) {
	i, digits, scale, mantissa := 0, 0, 0, uint64(0)
	negative := len(b) > 0 && b[0] == '-'
	if negative || len(b) > 0 && b[0] == '+' {
		i++
	}
	point := false
	for ; i < len(b); i++ {
		c := b[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		if digits++; digits <= 15 {
			mantissa = 10*mantissa + uint64(c-'0')
		}
		if point {
			scale--
		}
	}
	if digits == 0 {
		return 0, false
	}
	if i < len(b) {
		if b[i] != 'e' && b[i] != 'E' {
			return 0, false
		}
		e, ok := parseDBU(b[i+1:])
		if !ok {
			return 0, false
		}
		scale += int(e)
	}
	if digits > 15 || scale < -22 || scale > 22 {
		v, err := strconv.ParseFloat(string(b), 64)
		return v, err == nil && !math.IsInf(v, 0)
	}
	v := float64(mantissa)
	if scale < 0 {
		v /= powersOfTen[-scale]
	} else {
		v *= powersOfTen[scale]
	}
	if negative {
		v = -v
	}
	return v, true
}

// powersOfTen are those that floating point holds exactly.
var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// maxDBU is the largest coordinate of a DEF in database units; readers of DEF keep them in 32 bits.
const maxDBU = math.MaxInt32

// parseDBU reads a whole number of database units.
func parseDBU(b []byte) (int64, bool) {
	sign, digits := int64(1), b
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		if b[0] == '-' {
			sign = -1
		}
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	v := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = 10*v + int64(c-'0')
	}
	return sign * v, v <= maxDBU
}

// whole is the current word as a whole number.
func (l *lexer) whole(what string) (int64, bool) {
	v, ok := parseDBU(l.word)
	if !ok || l.quoted {
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
