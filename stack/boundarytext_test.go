package stack

import (
	"fmt"
	"testing"

	"thermsim/stack/heatsink"
)

// Conditions in words. A radiating surface of 330 K exchanges 0.9 sigma (330^2 + 300^2) (330 + 300) = 6.395 W/(m2 K)
// with surroundings of 300 K.
func TestBoundaryTexts(t *testing.T) {
	n := Notation{Number: func(v float64) string { return fmt.Sprintf("%.4g", v) },
		Celsius: func(kelvin float64) string { return fmt.Sprintf("%.2f degC", kelvin-273.15) }}
	air := Film{Natural: heatsink.Up, Length: 0.04, Emissivity: 0.9}
	for want, b := range map[string]Boundary{
		"adiabatic":                     {},
		"held at 26.85 degC":            {Kind: FixedTemperature, Temperature: 300},
		"heat flux -3 W/cm2 in":         {Kind: HeatFlux, Flux: -3e4},
		"2 K/W to 26.85 degC":           {Kind: LumpedResistance, Resistance: 2, Temperature: 300},
		"h = 10 W/(m2 K) to 26.85 degC": {Kind: Convective, H: 10, Temperature: 300},
		"radiation of emissivity 0.9 to 26.85 degC; h = 6.395 W/(m2 K) if the surface is 30 K warmer": {
			Kind: Convective, Film: Film{Emissivity: 0.9}, Temperature: 300},
	} {
		if got := b.Text(n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	n.Brief = true
	b := Boundary{Kind: Convective, H: 5, Film: air, Temperature: 300}
	if got := b.Text(n); got != "h = 5 W/(m2 K), natural convection, radiation to 26.85 degC" {
		t.Errorf("brief: %q", got)
	}
	p := Patch{Boundary: b, Map: &FilmMap{NX: 2, NY: 1, Values: []float64{100, 300}}}
	if got := p.Text(n); got != "h by a map of 2 x 1 tiles, mean 200 W/(m2 K), to 26.85 degC" {
		t.Errorf("map: %q", got)
	}
}

// Temperatures of faces that exchange no heat with them do not count; those of patches do.
func TestReferences(t *testing.T) {
	s := &Stack{}
	if low, high, flux := s.References(); low <= high || flux {
		t.Errorf("adiabatic: %g to %g K, flux %v", low, high, flux)
	}
	s.Boundary[Top] = Boundary{Kind: Convective, H: 1, Temperature: 310,
		Patches: []Patch{{Boundary: Boundary{Kind: FixedTemperature, Temperature: 290}}}}
	s.Boundary[West] = Boundary{Kind: HeatFlux, Flux: 1, Temperature: 400}
	s.Boundary[East] = Boundary{Temperature: 200}
	if low, high, flux := s.References(); low != 290 || high != 310 || !flux {
		t.Errorf("%g to %g K, flux %v; want 290 to 310 K and a flux", low, high, flux)
	}
}
