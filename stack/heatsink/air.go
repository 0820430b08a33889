package heatsink

import (
	"fmt"
	"math"
)

// Air is dry air at 1 atm.
type Air struct {
	K  float64 // W/(m K)
	Nu float64 // m2/s, kinematic viscosity
	Pr float64 // Prandtl number
}

// airTable is table A.4 of F. P. Incropera et al., Fundamentals of Heat and Mass Transfer, 6th ed., 2007.
var airTable = []struct {
	t float64 // K
	Air
}{
	{200, Air{18.1e-3, 7.590e-6, 0.737}}, {250, Air{22.3e-3, 11.44e-6, 0.720}}, {300, Air{26.3e-3, 15.89e-6, 0.707}},
	{350, Air{30.0e-3, 20.92e-6, 0.700}}, {400, Air{33.8e-3, 26.41e-6, 0.690}}, {450, Air{37.3e-3, 32.39e-6, 0.686}},
	{500, Air{40.7e-3, 38.79e-6, 0.684}}, {550, Air{43.9e-3, 45.57e-6, 0.683}}, {600, Air{46.9e-3, 52.69e-6, 0.685}},
}

// Density in kg/m3, from the specific heat of 1007 J/(kg K), which holds within 1 % from 250 to 400 K.
func (a Air) Density() float64 { return a.K * a.Pr / a.Nu / 1007 }

// Range in K of the properties of air.
const (
	ColdestAir = 200.0
	HottestAir = 600.0
)

// AirAt interpolates the properties of air linearly, from 200 to 600 K.
func AirAt(kelvin float64) (Air, error) {
	for i, b := range airTable[1:] {
		a := airTable[i]
		if kelvin >= a.t && kelvin <= b.t {
			w := (kelvin - a.t) / (b.t - a.t)
			mean := func(u, v float64) float64 { return u + w*(v-u) }
			return Air{mean(a.K, b.K), mean(a.Nu, b.Nu), mean(a.Pr, b.Pr)}, nil
		}
	}
	return Air{}, fmt.Errorf("properties of air are available from %g to %g K, not at %.4g K", ColdestAir, HottestAir,
		kelvin)
}

// Limits of Channel's modified Reynolds number.
const (
	LeastReynolds = 0.1
	MostReynolds  = 100
)

// Channel is the heat transfer coefficient in W/(m2 K) in the channels between plate fins. Air enters with a velocity U
// in m/s. The coefficient refers to the temperature at the inlet, so it includes the warming of the air. The modified
// Reynolds number is re = (U s / nu) (s / L) with the gap s and the length L. Then
//
//	h s / k = [ (re Pr / 2)^-3 + (0.664 sqrt(re) Pr^(1/3) sqrt(1 + 3.65 / sqrt(re)))^-3 ]^(-1/3).
//
// P. Teertstra, M. M. Yovanovich, J. R. Culham and T. Lemczyk, J. Electronics Manufacturing 10, 253 (2000), for laminar
// flow, developed or developing, 0.1 < re < 100.
func Channel(air Air, velocity, gap, length float64) (h, re float64) {
	re = velocity * gap / air.Nu * gap / length
	developed := re * air.Pr / 2
	developing := 0.664 * math.Sqrt(re) * math.Cbrt(air.Pr) * math.Sqrt(1+3.65/math.Sqrt(re))
	return air.K / gap * math.Pow(math.Pow(developed, -3)+math.Pow(developing, -3), -1.0/3), re
}
