package quantity

import (
	"fmt"
	"regexp"
	"slices"
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

// LengthUnit is a unit of length. A nil LengthUnit is the default: mm for people, m in files.
type LengthUnit struct {
	Name     string
	PerMetre float64
}

func lengths() []LengthUnit { return []LengthUnit{{"mm", 1e3}, {"um", 1e6}} }

// Text formats a length in m.
func (l *LengthUnit) Text(m float64) string {
	if l.Name == "mm" {
		return Millimetres(m)
	}
	return Fixed(m*l.PerMetre, 1)
}

// Or replaces nil by mm.
func (l *LengthUnit) Or() *LengthUnit {
	if l == nil {
		l = &lengths()[0]
	}
	return l
}

// Units are the units that a user chose.
type Units struct {
	Scale  *Scale
	Length *LengthUnit
}

// UnitNames lists the units of temperature and length.
func UnitNames() []string {
	names := ScaleNames()
	for _, l := range lengths() {
		names = append(names, l.Name)
	}
	return names
}

// ParseUnits reads a list of units, at most one of temperature and one of length.
func ParseUnits(list string) (u Units, err error) {
	for name := range strings.SplitSeq(list, ",") {
		n := slices.IndexFunc(lengths(), func(l LengthUnit) bool { return l.Name == name })
		scale, notScale := ParseScale(name)
		switch {
		case n >= 0 && u.Length == nil:
			u.Length = &lengths()[n]
		case notScale == nil && u.Scale == nil:
			u.Scale = scale
		case n >= 0 || notScale == nil:
			return u, fmt.Errorf("got %q; expected one unit of temperature and one of length", list)
		default:
			return u, fmt.Errorf("got %q; expected one of %s", name, strings.Join(UnitNames(), ", "))
		}
	}
	return u, nil
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
