package stack

import (
	"fmt"
	"strings"

	"thermsim/stack/heatsink"
	"thermsim/stack/internal/faults"
)

// Notation is how a text shows values, which differs between terminals and pages.
type Notation struct {
	Number, Celsius func(v float64) string // a number, and a temperature in K with its unit
	Brief           bool                   // omits parameters of temperature-dependent coefficients
}

// Text describes the condition, without patches.
func (b *Boundary) Text(n Notation) string {
	switch b.Kind {
	case Convective:
		text := "h = " + n.Number(b.H) + " W/(m2 K)"
		if b.TemperatureDependent() {
			text = strings.Join(b.terms(n), ", ")
		}
		text += " to " + n.Celsius(b.Temperature)
		if b.TemperatureDependent() && !n.Brief {
			text += fmt.Sprintf("; h = %s W/(m2 K) if the surface is %d K warmer", n.Number(b.TypicalH()), typicalRise)
		}
		return text
	case FixedTemperature:
		return "held at " + n.Celsius(b.Temperature)
	case HeatFlux:
		return "heat flux " + n.Number(b.Flux*1e-4) + " W/cm2 in"
	case LumpedResistance:
		return n.Number(b.Resistance) + " K/W to " + n.Celsius(b.Temperature)
	}
	return "adiabatic"
}

// Text describes the condition of the patch.
func (p *Patch) Text(n Notation) string {
	if m := p.Map; m != nil {
		return fmt.Sprintf("h by a map of %d x %d tiles, mean %s W/(m2 K), to %s", m.NX, m.NY, n.Number(m.Mean()),
			n.Celsius(p.Temperature))
	}
	return p.Boundary.Text(n)
}

// terms lists the terms of a temperature-dependent coefficient.
func (b *Boundary) terms(n Notation) (list []string) {
	add := func(brief, details string, args ...any) {
		if !n.Brief {
			brief += fmt.Sprintf(details, args...)
		}
		list = append(list, brief)
	}
	if b.H != 0 {
		add("h = "+n.Number(b.H)+" W/(m2 K)", "")
	}
	if b.Law != nil {
		add("h of the surface temperature", " (%v)", b.Law.Law)
	}
	switch b.Natural {
	case "":
	case heatsink.Vertical:
		add("natural convection", ", vertical, length %s", faults.Metres(b.Length))
	default:
		add("natural convection", ", facing %s, length %s", b.Natural, faults.Metres(b.Length))
	}
	if b.Emissivity > 0 {
		add("radiation", " of emissivity %s", n.Number(b.Emissivity))
	}
	return list
}
