package stack

import (
	"errors"

	"thermsim/stack/internal/units"
)

// ParseTime reads a time as stack files write it, such as "5 ms". A bare number is in s.
func ParseTime(text string) (float64, error) {
	t, err := units.Time.Parse(text)
	if fault := timeFault(t); err == nil && fault != "" {
		return 0, errors.New(fault)
	}
	return t, err
}

// ParseTemperature reads a temperature such as "85 degC". A bare number is in K, and refused below 250, where it could
// be degC.
func ParseTemperature(text string) (float64, error) { return units.Temperature.Parse(text) }

// ParseTemperatureRise reads a difference of temperatures such as "0.1 mK". A bare number is in K.
func ParseTemperatureRise(text string) (float64, error) { return units.TemperatureRise.Parse(text) }

// ParsePower reads a power such as "1 uW". A bare number is in W.
func ParsePower(text string) (float64, error) { return units.Power.Parse(text) }

// ParseLength reads a length such as "10 um". A bare number is in m.
func ParseLength(text string) (float64, error) { return units.Length.Parse(text) }

// ParseHeatTransfer reads a heat transfer coefficient such as "25 W/(m^2 K)". A bare number is in W/(m2 K).
func ParseHeatTransfer(text string) (float64, error) { return units.HeatTransfer.Parse(text) }

// SplitQuantity reads a number and leaves what follows it, whatever unit that is.
func SplitQuantity(text string) (x float64, unit string, err error) { return units.Split(text) }
