// Package coolant works out how liquids flow through channels and take heat up there, in SI units.
package coolant

import (
	"fmt"
	"math"
)

// Fluid is a liquid at one temperature.
type Fluid struct {
	K         float64 // thermal conductivity, W/(m K)
	Cp        float64 // specific heat, J/(kg K)
	Density   float64 // kg/m3
	Viscosity float64 // dynamic, Pa s
}

// Prandtl number.
func (f *Fluid) Prandtl() float64 { return f.Viscosity * f.Cp / f.K }

// Liquid of the library.
type Liquid struct {
	Name      string
	Title     string
	Source    string
	Low, High float64 // K, the range of the properties
	Boiling   float64 // K, at 1 atm
	at        func(kelvin float64) Fluid
}

// At is the liquid at a temperature in its range.
func (l *Liquid) At(kelvin float64) (Fluid, error) {
	if !(kelvin >= l.Low && kelvin <= l.High) {
		return Fluid{}, fmt.Errorf("properties of %s are known from %.4g to %.4g K, not at %.4g K", l.Title, l.Low,
			l.High, kelvin)
	}
	return l.at(kelvin), nil
}

const celsius = 273.15

// Liquids are those of the library.
func Liquids() []Liquid {
	return []Liquid{
		{"water", "water", "C. O. Popiel and J. Wojtkowiak, Heat Transfer Engineering 19(3), 87 (1998)", celsius,
			celsius + 150, celsius + 100, water},
		{"glycol50", "ethylene glycol and water, half and half by mass",
			"M. Conde, Thermophysical properties of brines (2011)", celsius - 20, celsius + 100, celsius + 107,
			glycol50},
		{"fc-72", "FC-72", "3M, Fluorinert Electronic Liquid FC-72, product information: figures at 25 degC",
			celsius - 20, celsius + 56, celsius + 56,
			func(float64) Fluid { return Fluid{0.057, 1100, 1680, 0.38e-6 * 1680} }},
		{"hfe-7100", "HFE-7100", "3M, Novec 7100 Engineered Fluid, product information: figures at 25 degC",
			celsius - 20, celsius + 61, celsius + 61,
			func(float64) Fluid { return Fluid{0.069, 1183, 1510, 0.38e-6 * 1510} }},
	}
}

// Find is the liquid of a name, nil if there is none.
func Find(name string) *Liquid {
	for _, l := range Liquids() {
		if l.Name == name {
			return &l
		}
	}
	return nil
}

// water at saturation, with t in degC: fits to the tables of the International Association for the Properties of Water
// and Steam (IAPWS), within 0.5 % for the conductivity and less for the others.
func water(kelvin float64) Fluid {
	t := kelvin - celsius
	return Fluid{
		K: 0.5650285 + 0.0026363895*t - 0.00012516934*math.Pow(t, 1.5) - 1.5154918e-6*t*t -
			0.0009412945*math.Sqrt(t),
		Cp: 1e3 * (4.2174356 - 0.0056181625*t + 0.0012992528*math.Pow(t, 1.5) - 0.00011535353*t*t +
			4.14964e-6*math.Pow(t, 2.5)),
		Density:   999.79684 + 0.068317355*t - 0.010740248*t*t + 0.00082140905*math.Pow(t, 2.5) - 2.3030988e-5*t*t*t,
		Viscosity: 1 / (557.82468 + 19.408782*t + 0.1360459*t*t - 3.1160832e-4*t*t*t),
	}
}

// glycol50 evaluates the fits a1 + a2 x + a3 r + a4 x r + a5 r^2 at the mass fraction x = 0.5, where r is
// 273.15 K over the temperature.
func glycol50(kelvin float64) Fluid {
	r := celsius / kelvin
	fit := func(a [5]float64) float64 { return a[0] + 0.5*a[1] + a[2]*r + 0.5*a[3]*r + a[4]*r*r }
	return Fluid{
		K:         fit([5]float64{0.83818, -1.37620, -0.07629, 1.07720, -0.20174}),
		Cp:        1e3 * fit([5]float64{5.36449, 0.78863, -2.59001, -2.73187, 1.43759}),
		Density:   fit([5]float64{658.49825, -54.81501, 664.71643, 232.72605, -322.61661}),
		Viscosity: math.Exp(fit([5]float64{-4.63024, -2.14817, -12.70106, 5.40536, 10.98990})),
	}
}
