// Package units reads quantities such as "10 um" or "130 W/(m K)": a number and any expression of units that has the
// dimension asked for. Values come out in SI units.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Dimension holds the powers of the base units.
type Dimension [5]int

// Indices of a Dimension.
const (
	Kilogram = iota
	Metre
	Second
	Kelvin
	Ampere
)

// Quantity is a kind of value of the stack format.
type Quantity struct {
	Name    string // with article, for messages: "a length"
	Unit    string // SI unit as it is printed
	Example string // for messages and documents
	Dim     Dimension
	// Absolute temperatures take degC and degF with their offset.
	Absolute bool
}

// The quantities of the stack format.
var (
	Length            = Quantity{"a length", "m", "10 um", Dimension{Metre: 1}, false}
	Time              = Quantity{"a time", "s", "5 ms", Dimension{Second: 1}, false}
	Temperature       = Quantity{"a temperature", "K", "85 degC", Dimension{Kelvin: 1}, true}
	TemperatureRise   = Quantity{"a temperature difference", "K", "1e-4 K", Dimension{Kelvin: 1}, false}
	Power             = Quantity{"a power", "W", "250 mW", watts(0, 0), false}
	Flux              = Quantity{"a heat flux", "W/m^2", "100 W/cm^2", watts(-2, 0), false}
	Conductivity      = Quantity{"a thermal conductivity", "W/(m K)", "130 W/(m K)", watts(-1, -1), false}
	HeatTransfer      = Quantity{"a heat-transfer coefficient", "W/(m^2 K)", "10000 W/(m^2 K)", watts(-2, -1), false}
	Resistance        = Quantity{"a thermal resistance", "K/W", "0.3 K/W", Dimension{-1, -2, 3, 1}, false}
	ContactResistance = Quantity{"a contact resistance", "m^2 K/W", "1 mm^2 K/W", Dimension{-1, 0, 3, 1}, false}
	VolumetricHeat    = Quantity{"a volumetric heat capacity", "J/(m^3 K)", "1.6 J/(cm^3 K)", Dimension{1, -1, -2, -1},
		false}
	SpecificHeat = Quantity{"a specific heat", "J/(kg K)", "700 J/(kg K)", Dimension{0, 2, -2, -1}, false}
	Density      = Quantity{"a density", "kg/m^3", "2.33 g/cm^3", Dimension{1, -3, 0, 0}, false}
	HeatCapacity = Quantity{"a heat capacity", "J/K", "150 J/K", Dimension{1, 2, -2, -1}, false}
	Velocity     = Quantity{"a velocity", "m/s", "3 m/s", Dimension{Metre: 1, Second: -1}, false}
	PerKelvin    = Quantity{"a rate per kelvin", "1/K", "0.015 1/K", Dimension{Kelvin: -1}, false}
	VolumeFlow   = Quantity{"a volume flow", "m^3/s", "42 ml/min", Dimension{Metre: 3, Second: -1}, false}
	Pressure     = Quantity{"a pressure", "Pa", "50 kPa", Dimension{Kilogram: 1, Metre: -1, Second: -2}, false}
	Permeability = Quantity{"a permeability", "m^2", "200 um^2", Dimension{Metre: 2}, false}
	Viscosity    = Quantity{"a viscosity", "Pa s", "0.85 mPa s", Dimension{Kilogram: 1, Metre: -1, Second: -1},
		false}
	Energy = Quantity{"an energy", "J", "0.9 eV", Dimension{Kilogram: 1, Metre: 2, Second: -2}, false}
	// CurrentDensity is of wires.
	CurrentDensity = Quantity{"a current density", "A/m^2", "1 MA/cm^2", Dimension{Metre: -2, Ampere: 1}, false}
	Number         = Quantity{"a number", "", "0.1", Dimension{}, false}
)

// Quantities lists them all.
var Quantities = []Quantity{
	Length, Time, Temperature, TemperatureRise, Power, Flux, Conductivity, HeatTransfer, Resistance,
	ContactResistance, VolumetricHeat, SpecificHeat, Density, HeatCapacity, Velocity, PerKelvin, VolumeFlow,
	Pressure, Permeability, Viscosity, Energy, CurrentDensity, Number,
}

// watts is the dimension W m^metre K^kelvin.
func watts(metre, kelvin int) Dimension { return Dimension{1, 2 + metre, -3, kelvin} }

// minBareKelvin is the smallest temperature that is accepted in K without a unit. Smaller numbers are usually meant in
// degC.
const minBareKelvin = 250

// Bare refuses a number without a unit that could be meant in another one than the SI's: a temperature that makes sense
// in degC.
func (q Quantity) Bare(x float64) error {
	switch {
	case !q.Absolute || x >= minBareKelvin:
		return nil
	case x <= 0:
		return fmt.Errorf("%v without a unit is in K and not a valid temperature; write \"%[1]v degC\"", x)
	}
	return fmt.Errorf("%v without a unit could be degC or K; write \"%[1]v degC\" or \"%[1]v K\"", x)
}

// Parse reads a quantity, for example Parse(Length, "10 um"). A bare number is in SI units; a temperature below 250
// needs a unit.
func (q Quantity) Parse(text string) (float64, error) {
	number, expression := cutNumber(strings.TrimSpace(text))
	if number == "" {
		return 0, fmt.Errorf("expected %s, got %q", q.such(), text)
	}
	if expression == "" {
		x, err := decimal(number, 0, text)
		if err == nil {
			err = q.Bare(x)
		}
		return x, err
	}
	v, err := q.choose(expression)
	if err != nil {
		return 0, err
	}
	x, err := decimal(number, v.pow10, text)
	if err != nil {
		return 0, err
	}
	x *= v.factor
	if v.lone && q.Absolute {
		x += v.offset
	}
	if math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is out of range", text)
	}
	return x, nil
}

// Split separates a number from the text after it, whatever unit that is.
func Split(text string) (x float64, rest string, err error) {
	number, rest := cutNumber(strings.TrimSpace(strings.ReplaceAll(text, "_", "")))
	if number == "" {
		return 0, "", fmt.Errorf("expected a number, got %q", text)
	}
	x, err = decimal(number, 0, text)
	return x, rest, err
}

// Convert expresses a quantity in a unit. Without a unit, the number is that of SI units; ok is false if the text is no
// plain quantity or has another dimension.
func Convert(text, unit string) (x float64, ok bool) {
	for _, q := range Quantities {
		zero, err := q.Parse("0 " + unit)
		one, fault := q.Parse("1 " + unit)
		value, other := q.Parse(text)
		if err == nil && fault == nil && other == nil {
			return (value - zero) / (one - zero), true
		}
	}
	return 0, false
}

// Scale reads a unit alone and returns its size in SI units, for example 1e4 for "W/cm^2".
func (q Quantity) Scale(expression string) (float64, error) {
	v, err := q.choose(expression)
	if err != nil {
		return 0, err
	}
	if v.lone && v.offset != 0 && q.Dim == (Dimension{Kelvin: 1}) {
		return 0, fmt.Errorf("%q has an offset; use K", expression)
	}
	return math.Pow10(v.pow10) * v.factor, nil
}

// choose takes the first reading of the expression that has the dimension of q.
func (q Quantity) choose(expression string) (value, error) {
	var first error
	for _, r := range readings {
		v, err := parse(expression, r)
		if err == nil && v.dim == q.Dim {
			if v.lone && v.offset != 0 && !q.Absolute {
				return v, fmt.Errorf("expected %s, got %s, which is a unit for absolute temperatures, not for "+
					"differences", q.such(), expression)
			}
			return v, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = fmt.Errorf("expected %s, got %s", q.such(), expression)
	} else {
		first = fmt.Errorf("expected %s: %w", q.such(), first)
	}
	return value{}, first
}

func (q Quantity) such() string {
	return fmt.Sprintf("%s such as %q", q.Name, q.Example)
}

// decimal converts number * 10^pow10 with a single rounding.
func decimal(number string, pow10 int, text string) (float64, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	e := 0
	if exponent != "" {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil {
			return 0, fmt.Errorf("%q is out of range", text)
		}
	}
	x, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(e+pow10), 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is out of range", text)
	}
	return x, nil
}

// cutNumber separates a decimal number from the text after it. It accepts neither hexadecimal numbers nor words.
func cutNumber(s string) (number, rest string) {
	at := 0
	sign := func() {
		if at < len(s) && (s[at] == '+' || s[at] == '-') {
			at++
		}
	}
	digits := func() int {
		from := at
		for at < len(s) && isDigit(s[at]) {
			at++
		}
		return at - from
	}
	sign()
	n := digits()
	if at < len(s) && s[at] == '.' {
		at++
		n += digits()
	}
	if n == 0 {
		return "", s
	}
	end := at
	if at < len(s) && (s[at] == 'e' || s[at] == 'E') {
		at++
		if sign(); digits() > 0 {
			end = at
		}
	}
	return s[:end], strings.TrimLeftFunc(s[end:], unicode.IsSpace)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
