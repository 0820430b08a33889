package units

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"thermsim/internal/spelling"
)

// symbol is a unit as it is written: its dimension and its size in SI, decimal part and remainder kept apart so that
// decimal units convert without rounding.
type symbol struct {
	dim    Dimension
	pow10  int
	factor float64
	offset float64 // K, of a temperature scale read as an absolute temperature
}

// lookup finds a unit by its name: first those without a prefix, then a prefix with a unit that accepts one.
func lookup(name string) (symbol, bool) {
	if s, ok := alone[name]; ok {
		return s, true
	}
	if s, ok := prefixable[name]; ok {
		return s, true
	}
	_, size := utf8.DecodeRuneInString(name)
	p, known := prefixes[name[:size]]
	s, ok := prefixable[name[size:]]
	s.pow10 += p
	return s, ok && known
}

// common are units that messages suggest.
var common = []string{"m", "cm", "mm", "um", "nm", "inch", "mil", "s", "ms", "us", "ns", "min", "hour", "W", "kW", "mW",
	"uW", "K", "degC", "degF", "J", "kg", "Pa", "kPa", "bar", "A", "eV",
	"year"}

// words are names of units that are not symbols.
var words = map[string]string{"c": "degC", "celsius": "degC", "f": "degF", "fahrenheit": "degF", "kelvin": "K",
	"sec": "s", "second": "s", "minute": "min", "watt": "W", "meter": "m", "metre": "m", "millimeter": "mm",
	"micrometer": "um", "nanometer": "nm"}

// unitHint ends a message on an unknown unit. Units of one or two letters are all alike, except for capitals.
func unitHint(name string) string {
	lower := strings.ToLower(name)
	if n := words[strings.TrimSuffix(lower, "s")]; n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	for _, n := range common {
		if strings.EqualFold(n, name) {
			return fmt.Sprintf("; did you mean %q?", n)
		}
	}
	if len(name) < 3 {
		return ""
	}
	return spelling.Hint(name, common)
}

// alone are the units that take no prefix. The ring of the angstrom has two code points.
var alone = map[string]symbol{
	"kg":       {Dimension{Kilogram: 1}, 0, 1, 0},
	"in":       {Dimension{Metre: 1}, -4, 254, 0},
	"inch":     {Dimension{Metre: 1}, -4, 254, 0},
	"mil":      {Dimension{Metre: 1}, -7, 254, 0},
	"\u00c5":   {Dimension{Metre: 1}, -10, 1, 0},
	"\u212b":   {Dimension{Metre: 1}, -10, 1, 0},
	"angstrom": {Dimension{Metre: 1}, -10, 1, 0},
	"micron":   {Dimension{Metre: 1}, -6, 1, 0},
	"min":      {Dimension{Second: 1}, 0, 60, 0},
	"h":        {Dimension{Second: 1}, 0, 3600, 0},
	"hour":     {Dimension{Second: 1}, 0, 3600, 0},
	"year":     {Dimension{Second: 1}, 0, 31557600, 0},
	"degC":     celsius,
	"°C":       celsius,
	"℃":        celsius,
	"degF":     fahrenheit,
	"°F":       fahrenheit,
	"℉":        fahrenheit,
	"bar":      {Dimension{Kilogram: 1, Metre: -1, Second: -2}, 5, 1, 0},
	"%":        {Dimension{}, -2, 1, 0},
}

var (
	celsius    = symbol{Dimension{Kelvin: 1}, 0, 1, 273.15}
	fahrenheit = symbol{Dimension{Kelvin: 1}, 0, 5.0 / 9.0, 459.67 * 5 / 9}
)

// prefixable are the units that take SI prefixes.
var prefixable = map[string]symbol{
	"m":  {Dimension{Metre: 1}, 0, 1, 0},
	"g":  {Dimension{Kilogram: 1}, -3, 1, 0},
	"s":  {Dimension{Second: 1}, 0, 1, 0},
	"K":  {Dimension{Kelvin: 1}, 0, 1, 0},
	"W":  {Dimension{Kilogram: 1, Metre: 2, Second: -3}, 0, 1, 0},
	"J":  {Dimension{Kilogram: 1, Metre: 2, Second: -2}, 0, 1, 0},
	"eV": {Dimension{Kilogram: 1, Metre: 2, Second: -2}, -19, 1.602176634, 0},
	"A":  {Dimension{Ampere: 1}, 0, 1, 0},
	"Pa": {Dimension{Kilogram: 1, Metre: -1, Second: -2}, 0, 1, 0},
	"l":  {Dimension{Metre: 3}, -3, 1, 0},
	"L":  {Dimension{Metre: 3}, -3, 1, 0},
}

// prefixes are the decimal exponents of SI prefixes; both Unicode spellings of micro and the letter u are known.
var prefixes = map[string]int{"T": 12, "G": 9, "M": 6, "k": 3, "d": -1, "c": -2, "m": -3, "u": -6, "\u00b5": -6,
	"\u03bc": -6, "n": -9, "p": -12, "f": -15}
