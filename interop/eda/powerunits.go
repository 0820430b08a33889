package eda

import "strings"

// powerUnit reads a unit of power as reports write it: W, (mW), (Watts), 1uW. text is in small letters, so m is milli.
func powerUnit(text string) (scale float64, ok bool) {
	text = strings.TrimPrefix(strings.Trim(text, "()[]:,;"), "1")
	prefix, ok := strings.CutSuffix(strings.TrimSuffix(strings.TrimSuffix(text, "s"), "att"), "w")
	if !ok {
		return 0, false
	}
	switch prefix {
	case "":
		return 1, true
	case "m", "milli":
		return 1e-3, true
	case "u", "micro":
		return 1e-6, true
	case "n", "nano":
		return 1e-9, true
	case "p", "pico":
		return 1e-12, true
	case "k", "kilo":
		return 1e3, true
	}
	return 0, false
}

// unitLine takes a unit from a line of a banner or comment that speaks of units ("Power Units = 1mW"), or from a
// heading.
func (p *reportParser) unitLine(f []word) {
	speaks := p.table != banner && f[0].text[0] != '#'
	for _, w := range f {
		text := strings.ToLower(string(w.text))
		if strings.HasPrefix(text, "unit") {
			speaks = true
			continue
		}
		if unit, ok := powerUnit(text); ok && speaks {
			if p.table == banner || f[0].text[0] == '#' {
				if p.scaleOfIt > 0 && p.scaleOfIt != unit {
					p.fail(w.col, "keep the one that holds for the table", "a second, different unit of power: %q",
						string(w.text))
				}
				p.scaleOfIt = unit
			}
			p.scale = unit
		}
	}
}

// unitsOnly recognises a line below a heading that only tells units.
func (p *reportParser) unitsOnly(f []word) bool {
	for _, w := range f {
		text := strings.ToLower(strings.Trim(string(w.text), ":="))
		if _, ok := powerUnit(text); !ok && !strings.HasPrefix(text, "unit") && text != "power" && text != "" {
			return false
		}
	}
	return true
}
