package eda

import "strings"

// powerUnit reads a unit of power as reports write it: W, (mW), (Watts), 1uW. text is in lower case, so m is milli.
func powerUnit(text string) (scale float64, ok bool) {
	text = strings.TrimPrefix(strings.Trim(text, "()[]:,;"), "1")
	prefix, ok := strings.CutSuffix(strings.TrimSuffix(strings.TrimSuffix(text, "s"), "att"), "w")
	if !ok {
		return 0, false
	}
	scale, ok = prefixes[prefix]
	return scale, ok
}

var prefixes = map[string]float64{"": 1, "m": 1e-3, "milli": 1e-3, "u": 1e-6, "micro": 1e-6, "n": 1e-9, "nano": 1e-9,
	"p": 1e-12, "pico": 1e-12, "k": 1e3, "kilo": 1e3}

// unitLine reads a unit from a line of a banner or comment about units ("Power Units = 1mW"), or from a heading.
func (p *reportParser) unitLine(f []word) {
	before := p.table == banner || f[0].text[0] == '#'
	about := !before
	for _, w := range f {
		text := strings.ToLower(string(w.text))
		if strings.HasPrefix(text, "unit") {
			about = true
			continue
		}
		if unit, ok := powerUnit(text); ok && about {
			if before {
				if p.announced > 0 && p.announced != unit {
					p.failCol(w.col, "keep the one of the table", "a second, different unit of power: %q",
						string(w.text))
				}
				p.announced = unit
			}
			p.scale = unit
		}
	}
}

// unitsOnly recognises a line below a heading with units only.
func (p *reportParser) unitsOnly(f []word) bool {
	for _, w := range f {
		text := strings.ToLower(strings.Trim(string(w.text), ":="))
		if _, ok := powerUnit(text); !ok && !strings.HasPrefix(text, "unit") && text != "power" && text != "" {
			return false
		}
	}
	return true
}
