package units

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Constant is a value of any dimension, in SI units.
type Constant struct {
	X   float64
	Dim Dimension
	// Absolute marks a temperature on a scale with an offset. Differences can be added to it; it has no multiples.
	Absolute bool
}

// Limits on arithmetic, far above handwritten expressions.
const (
	maxArithmetic = 400 // bytes
	maxNesting    = 32
	maxPower      = 1000 // of a unit in a constant: powers of powers of constants would overflow
)

// UnknownName is a name in an arithmetic expression that is neither a constant nor a unit.
type UnknownName struct{ Name string }

func (e *UnknownName) Error() string { return fmt.Sprintf("no constant or unit is called %q", e.Name) }

// IsUnit says whether a name is that of a unit, which no constant can have.
func IsUnit(name string) bool {
	_, ok := lookup(name)
	return ok
}

// Evaluate computes an arithmetic expression of numbers with units and of constants, such as "die_w/2 - 1 mm". Its
// grammar is as follows.
//
//	sum     = product { ("+" | "-") product }.
//	product = factor { ("*" | "/") factor }.
//	factor  = "-" factor | "(" sum ")" | constant | number [ units ] | units.
//	units   = unit [ "^" digits ] { unit [ "^" digits ] }.
//
// Units that follow a number belong to it: "1 mm / 2 mm" is 0.5.
func Evaluate(text string, constants func(name string) (Constant, bool)) (Constant, error) {
	if len(text) > maxArithmetic {
		return Constant{}, fmt.Errorf("an expression has at most %d characters", maxArithmetic)
	}
	e := evaluator{parser: parser{text: text}, constants: constants}
	c, err := e.sum()
	if err == nil && e.space() != "" {
		err = fmt.Errorf("unexpected %q", e.text)
	}
	for _, power := range c.Dim {
		if err == nil && (power > maxPower || power < -maxPower) {
			err = errors.New("power out of range in the unit")
		}
	}
	if err == nil && (math.IsInf(c.X, 0) || math.IsNaN(c.X)) {
		err = errors.New("it is not a finite number")
	}
	return c, err
}

// Of is the constant as a value of q.
func (q Quantity) Of(c Constant) (float64, error) {
	switch {
	case c.Dim != q.Dim:
		return 0, fmt.Errorf("expected %s", q.such())
	case c.Absolute && !q.Absolute:
		return 0, fmt.Errorf("expected %s, not a temperature on the scale of degC or degF", q.such())
	}
	return c.X, nil
}

type evaluator struct {
	parser    // of units
	constants func(string) (Constant, bool)
	depth     int
}

// sign takes one of the characters, 0 if none of them follows.
func (e *evaluator) sign(characters string) byte {
	if e.space() != "" && strings.IndexByte(characters, e.text[0]) >= 0 {
		c := e.text[0]
		e.text = e.text[1:]
		return c
	}
	return 0
}

func (e *evaluator) sum() (Constant, error) {
	a, err := e.product()
	for err == nil {
		sign := e.sign("+-")
		if sign == 0 {
			break
		}
		var b Constant
		if b, err = e.product(); err == nil {
			a, err = add(a, b, sign == '-')
		}
	}
	return a, err
}

func add(a, b Constant, minus bool) (Constant, error) {
	switch {
	case a.Dim != b.Dim:
		return a, errors.New("only quantities of one kind can be added")
	case b.Absolute && (a.Absolute != minus || !a.Absolute && minus):
		return a, errors.New("temperatures in degC cannot be added; give the difference in K")
	}
	if minus {
		b.X = -b.X
	}
	return Constant{a.X + b.X, a.Dim, a.Absolute != b.Absolute}, nil
}

func (e *evaluator) product() (Constant, error) {
	a, err := e.factor()
	for err == nil {
		sign := e.sign("*/")
		if sign == 0 {
			break
		}
		var b Constant
		if b, err = e.factor(); err != nil {
			break
		}
		if a.Absolute || b.Absolute {
			return a, errors.New("a temperature in degC has no multiples; use K")
		}
		a = a.times(b, sign == '/')
	}
	return a, err
}

func (c Constant) times(b Constant, divide bool) Constant {
	sign := 1
	if divide {
		sign, c.X = -1, c.X/b.X
	} else {
		c.X *= b.X
	}
	for i := range c.Dim {
		c.Dim[i] += sign * b.Dim[i]
	}
	return c
}

func (e *evaluator) factor() (Constant, error) {
	if e.depth++; e.depth > maxNesting {
		return Constant{}, errors.New("too many brackets or signs in each other")
	}
	defer func() { e.depth-- }()
	switch {
	case e.sign("-") != 0:
		c, err := e.factor()
		if err == nil && c.Absolute {
			err = errors.New("a temperature in degC has no negative; use K")
		}
		c.X = -c.X
		return c, err
	case e.sign("(") != 0:
		c, err := e.sum()
		if err == nil && e.sign(")") == 0 {
			err = errors.New("missing )")
		}
		return c, err
	}
	number, rest := "", e.text
	if e.text != "" && (isDigit(e.text[0]) || e.text[0] == '.') {
		number, rest = cutNumber(e.text)
	}
	if number == "" {
		if name := e.name(); name != "" {
			if c, ok := e.constants(name); ok {
				e.text = e.text[len(name):]
				return c, nil
			}
		}
		number = "1"
		if w := e.word(); w == "" {
			return Constant{}, e.unexpected()
		}
	} else {
		e.text = rest
	}
	return e.measured(number)
}

func (e *evaluator) unexpected() error {
	if e.text == "" {
		return errors.New("the expression ends too early")
	}
	return fmt.Errorf("unexpected %q", e.text)
}

// measured reads the units behind a number.
func (e *evaluator) measured(number string) (Constant, error) {
	v, units := value{factor: 1}, 0
	for e.space(); e.word() != ""; e.space() {
		if name := e.name(); name != "" {
			if _, ok := e.constants(name); ok {
				return Constant{}, fmt.Errorf("write * before %s", name)
			}
		}
		w, err := e.power()
		if err != nil {
			return Constant{}, err
		}
		if units++; units == 1 {
			v = w
		} else {
			v = v.times(w, 1)
		}
	}
	x, err := decimal(number, v.pow10, number)
	if err != nil {
		return Constant{}, err
	}
	c := Constant{X: x * v.factor, Dim: v.dim}
	if v.lone && v.offset != 0 {
		c.X, c.Absolute = c.X+v.offset, true
	}
	return c, nil
}

// power reads a unit and its power.
func (e *evaluator) power() (value, error) {
	word := e.word()
	s, ok := lookup(word)
	if !ok {
		if name := e.name(); name != "" {
			word = name
		}
		return value{}, &UnknownName{word}
	}
	e.text = e.text[len(word):]
	if e.text != "" && e.text[0] == '_' {
		return value{}, &UnknownName{word + e.name()}
	}
	v := value{s.dim, s.pow10, s.factor, s.offset, true}
	// A sign behind a unit is one of the expression: a negative power needs ^.
	next, _ := utf8.DecodeRuneInString(e.text)
	if next != '^' && !strings.HasPrefix(e.text, "**") && digit(next) < 0 {
		return v, nil
	}
	n, _, err := e.exponent()
	return v.power(n), err
}

// name is the run of characters that follows, as a constant's name is written.
func (e *evaluator) name() string {
	for i := range len(e.text) {
		if !nameByte(e.text[i], i == 0) {
			return e.text[:i]
		}
	}
	return e.text
}

func nameByte(c byte, first bool) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || !first && isDigit(c)
}

// IsName says whether a constant may have the name, units apart: ASCII letters, digits and _, no digit first.
func IsName(name string) bool {
	e := evaluator{parser: parser{text: name}}
	return name != "" && e.name() == name
}
