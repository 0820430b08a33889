package units

import "unicode/utf8"

// symbol is a unit as it is written: its dimension and its size in SI, decimal part and remainder kept apart so that
// decimal units convert without rounding.
type symbol struct {
	dim    Dimension
	pow10  int
	factor float64
	offset float64 // K, of a temperature scale read as an absolute temperature
}

// lookup finds a unit by its name: those that stand alone first, then a prefix with a unit that takes one.
func lookup(name string) (symbol, bool) {
	switch name {
	case "kg":
		return symbol{Dimension{Kilogram: 1}, 0, 1, 0}, true
	case "in", "inch":
		return symbol{Dimension{Metre: 1}, -4, 254, 0}, true
	case "mil":
		return symbol{Dimension{Metre: 1}, -7, 254, 0}, true
	case "\u00c5", "\u212b", "angstrom": // both code points of the ring
		return symbol{Dimension{Metre: 1}, -10, 1, 0}, true
	case "micron":
		return symbol{Dimension{Metre: 1}, -6, 1, 0}, true
	case "min":
		return symbol{Dimension{Second: 1}, 0, 60, 0}, true
	case "h", "hour":
		return symbol{Dimension{Second: 1}, 0, 3600, 0}, true
	case "degC", "°C", "℃":
		return symbol{Dimension{Kelvin: 1}, 0, 1, 273.15}, true
	case "degF", "°F", "℉":
		return symbol{Dimension{Kelvin: 1}, 0, 5.0 / 9.0, 459.67 * 5 / 9}, true
	case "bar":
		return symbol{Dimension{Kilogram: 1, Metre: -1, Second: -2}, 5, 1, 0}, true
	case "%":
		return symbol{Dimension{}, -2, 1, 0}, true
	}
	if s, ok := prefixable(name); ok {
		return s, true
	}
	_, size := utf8.DecodeRuneInString(name)
	p, known := prefix(name[:size])
	s, ok := prefixable(name[size:])
	s.pow10 += p
	return s, ok && known
}

// prefixable lists the units that take SI prefixes.
func prefixable(name string) (symbol, bool) {
	switch name {
	case "m":
		return symbol{Dimension{Metre: 1}, 0, 1, 0}, true
	case "g":
		return symbol{Dimension{Kilogram: 1}, -3, 1, 0}, true
	case "s":
		return symbol{Dimension{Second: 1}, 0, 1, 0}, true
	case "K":
		return symbol{Dimension{Kelvin: 1}, 0, 1, 0}, true
	case "W":
		return symbol{Dimension{Kilogram: 1, Metre: 2, Second: -3}, 0, 1, 0}, true
	case "J":
		return symbol{Dimension{Kilogram: 1, Metre: 2, Second: -2}, 0, 1, 0}, true
	case "Pa":
		return symbol{Dimension{Kilogram: 1, Metre: -1, Second: -2}, 0, 1, 0}, true
	case "l", "L":
		return symbol{Dimension{Metre: 3}, -3, 1, 0}, true
	}
	return symbol{}, false
}

// prefix is the decimal exponent of an SI prefix; both Unicode spellings of micro and the letter u are known.
func prefix(p string) (int, bool) {
	switch p {
	case "T":
		return 12, true
	case "G":
		return 9, true
	case "M":
		return 6, true
	case "k":
		return 3, true
	case "d":
		return -1, true
	case "c":
		return -2, true
	case "m":
		return -3, true
	case "u", "µ", "μ":
		return -6, true
	case "n":
		return -9, true
	case "p":
		return -12, true
	case "f":
		return -15, true
	}
	return 0, false
}
