package units

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxExpression bounds the length of a unit expression; the longest sensible one has about 20 characters.
const maxExpression = 64

// maxExponent bounds powers: none above 3 occurs in heat conduction.
const maxExponent = 9

// reading is one way to understand an expression that people write in more than one sense.
type reading struct {
	// tight: products bind before quotients, so W/m K means W/(m K). Otherwise they go from left to right.
	tight bool
	// split: letters that end in K are a product with kelvin, so mK means m K and not millikelvin.
	split bool
}

// readings in order of preference. The expected dimension decides between them.
var readings = [...]reading{{true, false}, {true, true}, {false, false}, {false, true}}

// value of a unit expression: its dimension and SI size, 10^pow10 * factor. lone marks a single unit without power or
// partner, the only place where a temperature scale keeps its offset.
type value struct {
	dim    Dimension
	pow10  int
	factor float64
	offset float64
	lone   bool
}

func (v value) times(w value, sign int) value {
	for i := range v.dim {
		v.dim[i] += sign * w.dim[i]
	}
	v.pow10 += sign * w.pow10
	if sign > 0 {
		v.factor *= w.factor
	} else {
		v.factor /= w.factor
	}
	v.lone, v.offset = false, 0
	return v
}

func (v value) power(n int) value {
	for i := range v.dim {
		v.dim[i] *= n
	}
	v.pow10 *= n
	v.factor = math.Pow(v.factor, float64(n))
	v.lone, v.offset = false, 0
	return v
}

// parser walks one expression by recursive descent:
//
//	quotient = product { "/" product }          tight reading
//	product  = factor { ["*"] factor }
//	factor   = ( unit | "1" before "/" | "(" quotient ")" ) [ ["^" | "**"] ["-"] digits | superscripts ]
type parser struct {
	text string
	reading
}

func parse(text string, r reading) (value, error) {
	if len(text) > maxExpression {
		return value{}, fmt.Errorf("unit of %d characters", len(text))
	}
	p := &parser{text, r}
	v, err := p.quotient()
	if err != nil {
		return value{}, err
	}
	if rest := p.space(); rest != "" {
		return value{}, fmt.Errorf("unexpected %q in the unit", rest)
	}
	for _, e := range v.dim {
		if e > 99 || e < -99 {
			return value{}, fmt.Errorf("power out of range")
		}
	}
	return v, nil
}

// space skips white space and returns the rest.
func (p *parser) space() string {
	p.text = strings.TrimLeftFunc(p.text, unicode.IsSpace)
	return p.text
}

func (p *parser) accept(tokens ...string) bool {
	p.space()
	for _, t := range tokens {
		if rest, ok := strings.CutPrefix(p.text, t); ok {
			p.text = rest
			return true
		}
	}
	return false
}

func (p *parser) quotient() (value, error) {
	v, err := p.product()
	for err == nil {
		var w value
		switch {
		case p.accept("/"):
			if p.tight {
				w, err = p.product()
			} else {
				w, err = p.factor()
			}
			v = v.times(w, -1)
		case !p.tight && p.more():
			w, err = p.product()
			v = v.times(w, 1)
		default:
			return v, nil
		}
	}
	return v, err
}

func (p *parser) product() (value, error) {
	v, err := p.factor()
	for err == nil && p.more() {
		var w value
		w, err = p.factor()
		v = v.times(w, 1)
	}
	return v, err
}

// more reports whether another factor follows, and swallows the sign of multiplication.
func (p *parser) more() bool {
	if rest := p.space(); strings.HasPrefix(rest, "**") {
		return false
	}
	if p.accept("*", "·", "⋅", "×") {
		return true
	}
	r, _ := utf8.DecodeRuneInString(p.text)
	return r == '(' || isUnitRune(r)
}

func (p *parser) factor() (value, error) {
	v, err := p.unit()
	if err != nil {
		return v, err
	}
	n, given, err := p.exponent()
	if err != nil || !given {
		return v, err
	}
	return v.power(n), nil
}

func (p *parser) unit() (value, error) {
	if p.accept("(") {
		v, err := p.quotient()
		if err == nil && !p.accept(")") {
			err = fmt.Errorf("missing ) in the unit")
		}
		return v, err
	}
	if rest, ok := strings.CutPrefix(p.text, "1"); ok && strings.HasPrefix(rest, "/") {
		p.text = rest
		return value{factor: 1}, nil
	}
	name := p.word()
	if name == "" {
		if p.text == "" {
			return value{}, fmt.Errorf("unit ends too early")
		}
		return value{}, fmt.Errorf("unexpected %q in the unit", p.text)
	}
	if before, ok := strings.CutSuffix(name, "K"); ok && p.split && before != "" {
		name = before
	}
	s, ok := lookup(name)
	if !ok {
		return value{}, fmt.Errorf("unknown unit %q%s", name, unitHint(name))
	}
	p.text = p.text[len(name):]
	return value{s.dim, s.pow10, s.factor, s.offset, true}, nil
}

// word is the run of letters that follows, as a unit is written.
func (p *parser) word() string {
	if end := strings.IndexFunc(p.text, func(r rune) bool { return !isUnitRune(r) }); end >= 0 {
		return p.text[:end]
	}
	return p.text
}

func isUnitRune(r rune) bool {
	return unicode.IsLetter(r) || r == '°' || r == '%' || r == '℃' || r == '℉'
}

// exponent reads ^2, ^-1, **2, a plain 2 or -1, or superscript digits.
func (p *parser) exponent() (n int, given bool, err error) {
	marked := p.accept("^", "**")
	if !marked && p.text != "" && unicode.IsSpace(rune(p.text[0])) {
		return 0, false, nil
	}
	if marked {
		p.space()
	}
	sign, digits := 1, 0
	for digits < 2 {
		r, size := utf8.DecodeRuneInString(p.text)
		d := digit(r)
		switch {
		case digits == 0 && sign == 1 && (r == '-' || r == '⁻' || r == '−'):
			sign = -1
		case d >= 0:
			n = 10*n + d
			digits++
		default:
			if digits == 0 && (marked || sign < 0) {
				return 0, false, fmt.Errorf("missing power in the unit")
			}
			return sign * n, digits > 0, checkExponent(n)
		}
		p.text = p.text[size:]
	}
	return sign * n, true, checkExponent(n)
}

func checkExponent(n int) error {
	if n > maxExponent {
		return fmt.Errorf("power out of range in the unit")
	}
	return nil
}

func digit(r rune) int {
	if r >= '0' && r <= '9' {
		return int(r - '0')
	}
	for i, s := range []rune("⁰¹²³⁴⁵⁶⁷⁸⁹") {
		if r == s {
			return i
		}
	}
	return -1
}
