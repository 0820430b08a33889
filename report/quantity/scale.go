package quantity

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Scale is a unit of temperature. A nil Scale is the default: degrees Celsius for people, kelvin in files.
type Scale struct {
	Name           string
	factor, offset float64 // of a temperature in K
}

func scales() []Scale {
	return []Scale{{"degC", 1, -ZeroCelsius}, {"K", 1, 0}, {"degF", 1.8, 32 - 1.8*ZeroCelsius}}
}

// ScaleNames lists the units of temperature.
func ScaleNames() (names []string) {
	for _, s := range scales() {
		names = append(names, s.Name)
	}
	return names
}

// ParseScale returns the unit of a name.
func ParseScale(name string) (*Scale, error) {
	for _, s := range scales() {
		if s.Name == name {
			return &s, nil
		}
	}
	return nil, fmt.Errorf("got %q; expected one of %s", name, strings.Join(ScaleNames(), ", "))
}

// Or replaces nil by the unit of a name of ScaleNames.
func (s *Scale) Or(name string) *Scale {
	if s == nil {
		s, _ = ParseScale(name)
	}
	return s
}

// Symbol is the unit as reports write it.
func (s *Scale) Symbol() string { return strings.Replace(s.Name, "deg", "°", 1) }

// DifferenceSymbol is the unit of differences as reports write it.
func (s *Scale) DifferenceSymbol() string { return strings.Replace(s.Differences(), "deg", "°", 1) }

// Of converts a temperature in K.
func (s *Scale) Of(kelvin float64) float64 { return kelvin*s.factor + s.offset }

var celsius = regexp.MustCompile(`-?[0-9.]+(?:e[+-]?[0-9]+)? degC\b`)

// Convert replaces the temperatures in degC in a message; nil leaves them.
func (s *Scale) Convert(text string) string {
	if s == nil || s.Name == "degC" {
		return text
	}
	return celsius.ReplaceAllStringFunc(text, func(t string) string {
		v, err := strconv.ParseFloat(strings.TrimSuffix(t, " degC"), 64)
		if err != nil {
			return t
		}
		return fmt.Sprintf("%.4g %s", s.Of(v+ZeroCelsius), s.Name)
	})
}

// Difference converts a temperature difference in K.
func (s *Scale) Difference(kelvin float64) float64 { return kelvin * s.factor }

// Differences is the unit of temperature differences: K or degF.
func (s *Scale) Differences() string {
	if s.factor == 1 {
		return "K"
	}
	return s.Name
}
